"""What one screen cannot be by itself."""

from collections.abc import Iterator

from worldline.domains.desktop import rows, screen
from worldline.domains.desktop.places import Breach, where
from worldline.trees import Node, Tree

CUT = "[...]"
"""What OSWorld writes where it cuts a long tree."""
EMPTY = Node(rows.RAW, (("name", ""),))
"""A line end after the last row."""
MOST = 5
"""Breaches of one rule that are told."""


def breaches(tree: Tree, dialect: str, text: str) -> Iterator[Breach]:
    """Everything that this screen breaks."""
    if dialect == "xml":
        yield from _pairs(tree)
    else:
        yield from _rows(text, tree)
        yield from _quotes(tree)
        yield from _twice(tree)
    yield from _boxes(tree, dialect)


def no_screen(dialect: str, text: str) -> Breach:
    """Why a text is no screen of the dialect."""
    start = text[:60]
    if dialect == "xml":
        return Breach("no_screen", f"is no well-formed tree of elements: {start!r}")
    lines = text.split("\n", 8)
    if rows.HEADER in lines:
        said = f"the line that names the columns is not the first, but {start!r}"
        return Breach("header", said, rows.HEADER)
    if any(rows.parse(f"{rows.HEADER}\n{line}") and line.count("\t") >= 6 for line in lines):
        return Breach("header", "lacks the line that names the columns")
    return Breach("no_screen", f"is no screen: it begins {start!r}")


def _rows(text: str, tree: Tree) -> Iterator[Breach]:
    """Every row has its seven columns; a recorder may have cut the last one."""
    nodes = tree.nodes
    end = len(nodes)
    while end and end > len(nodes) - 2 and nodes[end - 1] == EMPTY:
        end -= 1
    lines = [str(node.get("name") or "") for node in nodes[:end] if node.kind == rows.RAW]
    if lines and lines[-1].rstrip().endswith(CUT):
        return
    for line in lines[:MOST]:
        yield Breach("columns", f"this line is no row of seven columns: {line[:80]!r}", line)
    if text == rows.HEADER:
        yield Breach("empty", "the screen has no element at all", "", "warning")


def _quotes(tree: Tree) -> Iterator[Breach]:
    """A text that holds a quote is quoted as in CSV, and no other is."""
    for node in tree.nodes:
        raw = node.get("raw")
        if isinstance(raw, str):
            yield Breach("quotes", f"no text is shown as {raw[:60]!r}", raw)
            return


def _pairs(tree: Tree) -> Iterator[Breach]:
    """Places and sizes are written as ``(x, y)``."""
    for node in tree.nodes:
        for name in ("cp:screencoord", "cp:size", "at", "size"):
            value = node.get(name)
            if isinstance(value, str):
                at = f'{name if ":" in name else _SOURCE[name]}="{value}"'
                yield Breach("pair", f"{value!r} is no pair of numbers as (x, y)", at)
                return


_SOURCE = {"at": "cp:screencoord", "size": "cp:size"}


def _twice(tree: Tree) -> Iterator[Breach]:
    """Two elements of one kind with different names do not lie in the very same place."""
    shown: dict[object, Node] = {}
    for node in tree.nodes:
        box = screen.box(node)
        if box is None or not node.get("name") or box[2] <= 0 or box[3] <= 0:
            continue
        above = shown.setdefault((node.kind, box), node)
        if above.get("name") != node.get("name"):
            said = f"{node.get('name')!r} lies exactly on {above.get('name')!r}"
            yield Breach("twice", said, where("", node))
            return


def _boxes(tree: Tree, dialect: str) -> Iterator[Breach]:
    """Boxes are not inside out, and lie on the screen (what is scrolled away lies below it)."""
    width = _width(tree)
    told = 0
    for i, node in enumerate(tree.nodes):
        if told == MOST or (place := screen.box(node)) is None:
            continue
        x, y, across, down = place
        said = None
        if across < 0 or down < 0:
            said = f"{screen.named(tree, i)} has the size {(across, down)}"
        elif x + across < 0 or y + down < 0 or (width is not None and x > width):
            said = f"{screen.named(tree, i)} at {(x, y)} is off the screen"
        if said is not None:
            told += 1
            yield Breach("box", said, where(dialect, node), "warning")


def _width(tree: Tree) -> int | None:
    """The screen's width: of the whole frame, or up to where the top bar ends."""
    for node in tree.nodes:
        if node.kind == "desktop-frame" and (place := screen.box(node)):
            return place[2] or None
    bar = [place for node in tree.nodes if (place := _in_bar(node))]
    return max((x + width for x, _, width, _ in bar), default=None) if len(bar) > 1 else None


def _in_bar(node: Node) -> tuple[int, int, int, int] | None:
    place = screen.box(node) if node.kind == "menu" else None
    return place if place and place[1] == 0 and place[3] <= screen.TOP_BAR else None
