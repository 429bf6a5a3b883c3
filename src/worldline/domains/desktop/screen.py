"""What a screen shows: which element is where, what has the focus, what a terminal says last."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from worldline.domains.desktop.actions import Call, dotted
from worldline.domains.desktop.lines import TERMINAL
from worldline.trees import TEXT, Node, Tree, Value

POINTING = ("click", "doubleClick", "tripleClick", "rightClick", "middleClick", "moveTo", "dragTo")
POINTING += ("leftClick", "mouseDown", "mouseUp", "scroll")
TOP_BAR = 40
"""Pixels from the top in which a desktop's own bar lies."""
PROMPT = re.compile(r"[\w.-]+@[\w.-]+:(?P<cwd>[^\s$#]*)[$#] ?(?P<command>.*)", re.DOTALL)
"""A line of a shell: who and where, then what was typed."""

Point = tuple[int, int]


class Command(msgspec.Struct, frozen=True):
    """A command line in a terminal, and the lines below it as far as they are in sight."""

    text: str
    output: tuple[str, ...] = ()
    done: bool = False
    """A new prompt stands below it."""


def box(node: Node) -> tuple[int, int, int, int] | None:
    """Left, top, width and height in pixels."""
    at = size = None
    for key, value in node.attrs:
        if key == "at":
            at = value
        elif key == "size":
            size = value
    if isinstance(at, tuple) and isinstance(size, tuple) and len(at) == len(size) == 2:
        return at[0], at[1], size[0], size[1]
    return None


def element_at(tree: Tree, point: Point) -> int | None:
    """The element at a point: the smallest box that holds it; of equal ones the first."""
    best: tuple[int, int] | None = None
    for i, node in enumerate(tree.nodes):
        if (found := box(node)) is None:
            continue
        x, y, width, height = found
        if x <= point[0] < x + width and y <= point[1] < y + height:
            best = min(best or (width * height, i), (width * height, i))
    return best and best[1]


def points(calls: Sequence[Call]) -> Iterator[Point]:
    """The places that calls point at, in order."""
    for call in dotted(calls, *POINTING):
        place = 1 if call.name.endswith(".scroll") else 0
        x, y = call.value(place, "x"), call.value(place + 1, "y")
        if isinstance(x, list) and len(x) == 2:
            x, y = x[0], x[1]
        if isinstance(x, int | float) and isinstance(y, int | float):
            yield int(x), int(y)


def aimed_at(tree: Tree, calls: Sequence[Call]) -> int | None:
    """The element at the first place that calls point at."""
    for point in points(calls):
        return element_at(tree, point)
    return None


def said(nodes: Sequence[Node], i: int) -> str:
    """What an element says: its text, else its name, else what the one above says."""
    while i > 0 and nodes[i].has("same"):
        i -= 1
    text = nodes[i].get("text") or nodes[i].get("name")
    return text if isinstance(text, str) else ""


def named(tree: Tree, i: int) -> str:
    """An element in words: its kind and name, with its text where that is another one."""
    node, nodes = tree.nodes[i], tree.nodes
    name, text = node.get("name") or said(nodes, i), node.get("text")
    shown = f"{node.kind} {name!r}" if name else node.kind
    return f"{shown} with the text {text!r}" if isinstance(text, str) and text != name else shown


def app_in_front(tree: Tree) -> str | None:
    """The application that has the focus, as far as the screen shows it.

    The desktop's bar names it (the leftmost menu there); a whole tree marks its active window.
    """
    menus: list[tuple[int, str]] = []
    for node in tree.nodes:
        name, place = node.get("name"), box(node)
        if not isinstance(name, str) or not name:
            continue
        if node.has("st:active") and node.kind in ("frame", "window", "dialog"):
            return name
        if node.kind == "menu" and place and place[1] == 0 and place[3] <= TOP_BAR:
            menus.append((place[0], name))
    return min(menus)[1] if len(menus) > 1 else None


def is_address_bar(name: Value) -> bool:
    """Whether this is what browsers call the field of the page's address."""
    words = name.lower() if isinstance(name, str) else ""
    return "address" in words and ("search" in words or "bar" in words)


def with_focus(tree: Tree) -> int | None:
    """The element that a whole tree marks as focused."""
    marked = (i for i, node in enumerate(tree.nodes) if node.has("st:focused"))
    return max(marked, default=None)


def terminals(tree: Tree) -> Iterator[tuple[int, list[str]]]:
    """Each terminal's index, and the lines in its window."""
    for i, node in enumerate(tree.nodes):
        if node.kind == TERMINAL:
            lines: list[str] = []
            for below in tree.nodes[i + 1 :]:
                if below.kind != TEXT:
                    break
                text = below.get("name")
                lines.append(text if isinstance(text, str) else "")
            yield i, lines


def prompt(lines: Sequence[str]) -> str | None:
    """The last line of a terminal, if anything stands in it."""
    return next((line for line in reversed(lines) if line.strip()), None)


def cwd(lines: Sequence[str]) -> str | None:
    """The directory that the newest prompt names."""
    for line in reversed(lines):
        if match := PROMPT.fullmatch(line):
            return match["cwd"] or None
    return None


def commands(lines: Sequence[str]) -> list[Command]:
    """The command lines in sight with what they printed, the oldest first."""
    found: list[Command] = []
    text, output = None, list[str]()  # of the command that is not done
    for line in lines:
        match = PROMPT.fullmatch(line)
        if match is None:
            output.append(line)
            continue
        if text is not None:
            found.append(Command(text, tuple(output), done=True))
        text, output = match["command"].strip() or None, []
    if text is not None:
        found.append(Command(text, tuple(output)))
    return found
