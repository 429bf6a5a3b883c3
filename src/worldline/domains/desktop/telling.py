"""Which facts a model is told before it predicts, and in what words."""

from collections.abc import Iterator, Sequence

from worldline.domains.base import Ledger
from worldline.domains.common import block, clip
from worldline.domains.desktop import screen
from worldline.domains.desktop.actions import Call, calls
from worldline.domains.desktop.memo import memo_of
from worldline.domains.desktop.shell import typed_into
from worldline.facts import Fact, fact
from worldline.trees import Tree

SHORT, LONG = 200, 800
"""Characters of a name, and of an output."""
POINTS = 8
"""Places of an action that are looked up."""


def chosen(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """The facts that bear on an action, most telling first, in `budget` characters."""
    kept: list[Fact] = []
    for one in _relevant(ledger, calls(action)):
        size = len(line(one)) + 1
        if size <= budget:
            kept.append(one)
            budget -= size
    return kept


def text(facts: Sequence[Fact]) -> str:
    """The facts block; whatever the facts hold, they cannot close it."""
    return block(line(one) for one in facts)


def line(one: Fact) -> str:
    """One fact as the model reads it."""
    value = str(one.value)
    match one.kind, one.key:
        case "tree", place:
            return f"At ({place}) stands: {_short(value)}"
        case "entity", "focus":
            return f"In front: {_short(value)}"
        case "entity", "focused":
            return f"Has the focus: {_short(value)}"
        case "entity", "typing":
            return f"Will be typed: {_short(value, LONG)}"
        case "entity", "typed":
            return f"Was typed last: {_short(value, LONG)}"
        case "entity", "clipboard":
            return f"On the clipboard: {_short(value, LONG)}"
        case "entity", "prompt":
            return f"The terminal's last line: {_short(value)}"
        case "cwd", _:
            return f"The terminal's directory: {_short(value)}"
        case "page", key:
            return f"The page's {_flat(key)[:40]}: {_short(value)}"
        case "row", key:
            since = "" if one.complete else " (it had not ended)"
            command = _short(key.removeprefix("terminal: "))
            return f"In turn {one.turn} {command} printed{since}:\n{clip(value, LONG)}"
        case kind, key:
            return f"{kind} {_short(key)}: {_short(value)}"


def _relevant(ledger: Ledger, made: Sequence[Call]) -> Iterator[Fact]:
    tree = memo_of(ledger).tree
    if tree is not None:
        yield from _under(tree, made, ledger.turn)
    typing = [text for text in map(typed_into, made) if text]
    if typing:
        yield fact("entity", "typing", "\n".join(typing), origin="action", turn=ledger.turn)
    yield from _now(ledger, tree)
    if any(call.name.endswith("hotkey") and tuple(call.args[:2]) == ("ctrl", "v") for call in made):
        yield from _stored(ledger, "entity:clipboard")
    yield from _printed(ledger, typing)
    given = (one for one in ledger.facts.values() if one.origin == "given" and one.turn == 0)
    yield from (one for one in given if one.kind not in ("page", "cwd", "row", "entity"))


def _under(tree: Tree, made: Sequence[Call], turn: int) -> Iterator[Fact]:
    """The elements that the action points at; each place once."""
    places = dict.fromkeys(screen.points(made))
    for x, y in list(places)[:POINTS]:
        found = screen.element_at(tree, (x, y))
        value = "nothing" if found is None else screen.named(tree, found)
        yield fact("tree", f"{x}, {y}", value, origin="real", turn=turn, complete=found is not None)


def _now(ledger: Ledger, tree: Tree | None) -> Iterator[Fact]:
    """What has the focus, and where terminal and browser are."""
    yield from _stored(ledger, "entity:focus")
    if tree is None:
        return
    if (focused := screen.with_focus(tree)) is not None:
        value = screen.named(tree, focused)
        yield fact("entity", "focused", value, origin="real", turn=ledger.turn)
    for _, lines in screen.terminals(tree):
        if last := screen.prompt(lines):
            yield fact("entity", "prompt", last, origin="real", turn=ledger.turn)
    yield from _stored(ledger, "cwd:cwd", "page:title", "page:address")


def _stored(ledger: Ledger, *ids: str) -> Iterator[Fact]:
    yield from (ledger.facts[one] for one in ids if one in ledger.facts)


def _printed(ledger: Ledger, typing: Sequence[str]) -> Iterator[Fact]:
    """What the commands that are about to be typed printed before, if it is out of sight."""
    for command in typing:
        for one in command.split("\n"):
            known = ledger.get("row", f"terminal: {clip(one.strip(), 500)}")
            if one.strip() and known is not None:
                yield known


def _flat(value: str) -> str:
    return " ".join(value.split())


def _short(value: str, limit: int = SHORT) -> str:
    """One line: what stands on a screen cannot begin a line of ours."""
    flat = _flat(value)
    return flat if len(flat) <= limit else f"{flat[: limit - 3]}..."
