"""Rules that need no truth: what a screen cannot be, and what it hardly is.

An ``error`` claims that the observation is impossible as a screen of this dialect; what is only
unlikely is a ``warning``. None speaks up on the recordings.
"""

from collections.abc import Iterator, Sequence

from worldline.domains.base import Ledger
from worldline.domains.common import leaks
from worldline.domains.desktop import rows, screen
from worldline.domains.desktop.actions import Call, calls
from worldline.domains.desktop.ledger import memo_of, parse, typed_text
from worldline.prediction import Violation
from worldline.trees import Node, Tree

CUT = "[...]"
"""What OSWorld writes where it cuts a long tree."""
EMPTY = Node(rows.RAW, (("name", ""),))
"""A line end after the last row."""
QUIET = ("time.sleep", "pyautogui.sleep", "WAIT")
"""Calls that leave typed text where it is."""
LEAST = 3
"""Characters of typed text that must be seen."""
MOST = 5
"""Violations of one rule that are told."""


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the screen after this action."""
    memo = memo_of(ledger)
    context = action if memo.tree is None else "\n".join([action, *_texts(memo.tree)])
    found = leaks(observation, context)
    tree = parse(ledger, observation)
    if tree is None:
        return [*found, _no_screen(ledger, observation)]
    if ledger.dialect != "xml":
        found += _rows(observation, tree)
    found += _boxes(tree)
    found += _typed(tree, memo.tree, calls(action))
    return found


def _error(rule: str, message: str) -> Violation:
    return Violation(rule=f"os.{rule}", severity="error", message=message)


def _warning(rule: str, message: str) -> Violation:
    return Violation(rule=f"os.{rule}", severity="warning", message=message)


def _texts(tree: Tree) -> Iterator[str]:
    for node in tree.nodes:
        yield from (text for key in ("name", "text") if isinstance(text := node.get(key), str))


def _no_screen(ledger: Ledger, observation: str) -> Violation:
    start = observation[:60]
    if ledger.dialect == "xml":
        return _error("no_screen", f"is no well-formed tree of elements: {start!r}")
    lines = observation.split("\n", 8)
    if rows.HEADER in lines:
        return _error("header", f"the line that names the columns is not the first, but {start!r}")
    if any(rows.parse(f"{rows.HEADER}\n{line}") and line.count("\t") >= 6 for line in lines):
        return _error("header", "lacks the line that names the columns")
    return _error("no_screen", f"is no screen: it begins {start!r}")


def _rows(observation: str, tree: Tree) -> Iterator[Violation]:
    """Every row has its seven columns; a recorder may have cut the last one."""
    nodes = tree.nodes
    end = len(nodes)
    while end and end > len(nodes) - 2 and nodes[end - 1] == EMPTY:
        end -= 1
    lines = [str(node.get("name") or "") for node in nodes[:end] if node.kind == rows.RAW]
    if lines and lines[-1].rstrip().endswith(CUT):
        return
    for line in lines[:MOST]:
        yield _error("columns", f"this line is no row of seven columns: {line[:80]!r}")
    if observation == rows.HEADER:
        yield _warning("empty", "the screen has no element at all")


def _boxes(tree: Tree) -> list[Violation]:
    """Boxes are not inside out, and lie on the screen (what is scrolled away lies below it)."""
    width = _width(tree)
    found: list[Violation] = []
    for i, node in enumerate(tree.nodes):
        if (place := screen.box(node)) is None:
            continue
        x, y, across, down = place
        if across < 0 or down < 0:
            found.append(_warning("box", f"{screen.named(tree, i)} has the size {(across, down)}"))
        elif x + across < 0 or y + down < 0 or (width is not None and x > width):
            found.append(_warning("box", f"{screen.named(tree, i)} at {(x, y)} is off the screen"))
    return found[:MOST]


def _width(tree: Tree) -> int | None:
    """The screen's width: of the whole frame, or up to where the top bar ends."""
    for node in tree.nodes:
        place = screen.box(node)
        if node.kind == "desktop-frame" and place:
            return place[2] or None
    bar = [place for node in tree.nodes if (place := _in_bar(node))]
    return max((x + width for x, _, width, _ in bar), default=None) if len(bar) > 1 else None


def _in_bar(node: Node) -> tuple[int, int, int, int] | None:
    place = screen.box(node)
    top = node.kind == "menu" and place and place[1] == 0 and place[3] <= screen.TOP_BAR
    return place if top else None


def _typed(tree: Tree, before: Tree | None, made: Sequence[Call]) -> Iterator[Violation]:
    """What was typed last into a field or a terminal, and not sent off, is to be seen in it."""
    last = max((i for i, call in enumerate(made) if typed_text(call)), default=None)
    if last is None or before is None:
        return
    text = typed_text(made[last]) or ""
    after = all(call.name in QUIET for call in made[last + 1 :])
    clicks = [point for call in made[:last] for point in screen.points([call])]
    aimed = screen.element_at(before, clicks[-1]) if clicks else None
    takes = aimed is not None and before.nodes[aimed].kind in ("entry", "terminal", "text")
    if not (after and takes) or len(text) < LEAST or "\n" in text or made[last].maybe:
        return
    secret = aimed is not None and "password" in screen.named(before, aimed).lower()
    if not secret and not any(text in shown for shown in _texts(tree)):
        yield _warning("typed", f"{text[:80]!r} was typed and is not to be seen")
