"""A text of many lines as text nodes below its element, one a line.

A terminal shows the last rows of what was printed. So a terminal's node says how many ``rows`` its
window has; the empty ones at the end follow from that, and when there are more rows below it than
fit, the first are out of sight: what is added at the end scrolls the rest up by itself, and a long
line at the top is cut where the window wraps it. Other texts (documents) say how many empty lines
they end in (``blank``).
"""

from collections.abc import Sequence

from worldline.trees import TEXT, Node, Tree, Value

TERMINAL = "terminal"
COLUMNS = 80
"""Columns of a terminal whose size says nothing better."""
CELL, FRAME = 9, 2
"""Width of a character and of the frame of Ubuntu's terminal, in pixels."""
MOST = 5_000
"""Empty lines that an attribute may stand for: a longer text has a node for each."""
ROOM = 200_000
"""Characters that the attributes of one tree may stand for together (see `Room`)."""
WINDOW = 500
"""Lines that a window may have for what scrolled out of it to be followed."""

Attrs = list[tuple[str, Value]]


class Room:
    """What short attributes may still stand for in one tree, in characters.

    A few characters of an edit may ask for thousands (``blank=5000``). Parsing and rendering count
    alike, so that a parsed text always has room; a tree that an edit made may have none.
    """

    def __init__(self, left: int = ROOM) -> None:
        self.left = left

    def take(self, wanted: int) -> bool:
        """Whether so many characters had room; they have it no more."""
        if wanted > self.left:
            return False
        self.left -= max(wanted, 0)
        return True


def split(tag: str, text: str, size: Value, room: Room, depth: int = 1) -> tuple[Attrs, list[Node]]:
    """The attributes and the nodes that tell a text of several lines.

    Args:
        size: the element's width and height in pixels.
        room: what the attributes may stand for; without any, each empty line is a node.
        depth: of the lines.
    """
    lines = text.split("\n")
    filled = max((i + 1 for i, line in enumerate(lines) if line), default=0)
    filled = max(filled, len(lines) - MOST)
    blank = len(lines) - filled
    told: Attrs = [("blank", blank)] if blank else []
    if tag == TERMINAL and blank:
        width = columns(size)
        told = [("rows", sum(_rows(line, width) for line in lines[:filled]) + blank - 1)]
    if not all(room.take(_stands_for(value)) for _, value in told):
        told, filled = [], len(lines)
    return told, [Node(TEXT, (("name", line),) if line else (), depth) for line in lines[:filled]]


def _stands_for(count: Value) -> int:
    return min(count, MOST) if isinstance(count, int) else 0


def joined(node: Node, below: Sequence[Node], room: Room) -> str:
    """The text that `split` made this of.

    Raises:
        ValueError: the empty lines of the tree are more than there is room for.
    """
    lines = [_text(one) for one in below]
    rows, blank = node.get("rows"), node.get("blank")
    if not room.take(_stands_for(rows if isinstance(rows, int) else blank)):
        raise ValueError(f"over {ROOM} empty or repeated characters in one state")
    if isinstance(rows, int):
        lines = visible(lines, rows, columns(node.get("size")))
    elif isinstance(blank, int):
        lines += [""] * min(blank, MOST)
    return "\n".join(lines)


def visible(lines: Sequence[str], rows: int, width: int) -> list[str]:
    """What a terminal of so many rows shows of these lines, and the row below them.

    The first line may be cut; empty lines fill the window.
    """
    shown: list[str] = []
    room = max(rows, 0)
    for line in reversed(lines):
        need = _rows(line, width)
        if need > room:
            shown += [line[(need - room) * width :]] if room else []
            room = 0
            break
        room -= need
        shown.append(line)
    return [*reversed(shown), *[""] * min(room, MOST), ""]


def columns(size: Value) -> int:
    """How many characters a terminal of this size has in a row."""
    inner = size[0] - FRAME if isinstance(size, tuple) and size else 0
    return inner // CELL if inner > CELL * 9 and inner % CELL == 0 else COLUMNS


def scrolled(before: Tree, after: Tree) -> Tree:
    """The state after, terminals holding also what has scrolled out of sight since before.

    It renders to the same text, and what was printed is an addition at the end.
    """
    old = dict(enumerate(_terminals(before)))
    nodes: list[Node] = []
    at = 0
    for number, (start, end) in enumerate(_terminals(after)):
        nodes += after.nodes[at : start + 1]
        shown = after.nodes[start + 1 : end]
        if number in old:
            first, last = old[number]
            shown = _lengthened(before.nodes[first + 1 : last], after.nodes[start], shown)
        nodes += shown
        at = end
    return Tree((*nodes, *after.nodes[at:]))


def _terminals(tree: Tree) -> list[tuple[int, int]]:
    """Where terminals with a window stand: their own index, and the index behind their lines."""
    found, nodes, i = [], tree.nodes, 0
    while i < len(nodes):
        end = i + 1
        while end < len(nodes) and nodes[end].kind == TEXT and nodes[end].depth > nodes[i].depth:
            end += 1
        if isinstance(nodes[i].get("rows"), int):
            found.append((i, end))
        i = end
    return found


def _lengthened(old: Sequence[Node], terminal: Node, new: Sequence[Node]) -> Sequence[Node]:
    """`new` with those of the old lines on top that it follows on."""
    rows = terminal.get("rows")
    if not (new and len(old) <= WINDOW and isinstance(rows, int)):
        return new
    width = columns(terminal.get("size"))
    had, shown = [_text(one) for one in old], [_text(one) for one in new]
    wanted = visible(shown, rows, width)
    for k in range(len(had)):
        # From line k on, cut where the window begins; the last one, a prompt, may have gone on.
        again = had[k + 1 : -1]
        if not had[k].endswith(shown[0]) or again != shown[1 : len(again) + 1]:
            continue
        if visible(had[: k + 1] + shown[1:], rows, width) == wanted:
            return [*old[: k + 1], *new[1:]]
    # Nothing of it is in sight any more; a prompt that ends both is the same one.
    stays = len(old) - (had[-1:] == shown[-1:])
    return [*old[:stays], *new] if visible(had[:stays] + shown, rows, width) == wanted else new


def _rows(line: str, width: int) -> int:
    return max(1, -(-len(line) // width))


def _text(node: Node) -> str:
    name = node.get("name")
    return name if isinstance(name, str) else ""
