"""What the nodes of every Android dialect have in common.

An element of a screen is a node whose kind is its short class, with `text` as its main text and
`desc`, `id`, `box` and flags as attributes; what is usual is not written. Everything else on a
screen (the app, the activity, state lines, lines that are no element) is a node of a kind of its
own. A line is only taken apart where its node gives the same line again; else it stays whole.
"""

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from worldline.trees import TEXT, Node, Tree, Value

MAIN = "text"
APP = "app"
"""The package that the elements below it belong to; its node has no line of its own."""
ACTIVITY = "activity"
LINE = "line"
"""A line that is no element, whole."""
ODD = "node"
"""An element whose class has no short form; the class is an attribute."""
LONGEST = 200
"""Characters of a package, at most: every element repeats the one it belongs to."""
_PACKAGE = re.compile(r"\w+(?:\.\w+)*+")
NUMBER = r"0|[1-9]\d{0,5}"
_NUMBER = re.compile(NUMBER)
_WIDGET = "android.widget."
_SHORT = ("view.", "webkit.", "app.")
"""Parts of Android whose classes are written without ``android.``."""
_NOT_SHORT = frozenset({APP, ACTIVITY, LINE, ODD})
FLAGS = (
    "clickable",
    "long_clickable",
    "focusable",
    "unfocusable",
    "checkable",
    "checked",
    "editable",
    "scrollable",
    "selected",
    "focused",
    "disabled",
    "invisible",
)
ORDER = (
    "class",
    MAIN,
    "desc",
    "id",
    "box",
    "hint",
    *FLAGS,
)
"""Where an added attribute goes. Everything a dialect writes is in this order unless it says so."""

Attrs = tuple[tuple[str, Value], ...]


def is_element(node: Node) -> bool:
    """Whether a node is an element of the screen, not a heading or a loose line."""
    return node.kind not in (APP, ACTIVITY, LINE) and not node.kind.endswith(":")


def kind_of(name: str) -> tuple[str, Attrs]:
    """A class as kind, and as the attribute ``class`` where it has no short form."""
    kind = name
    if name.startswith(_WIDGET):
        kind = name.removeprefix(_WIDGET)
    elif name.startswith("android.") and name[8:].startswith(_SHORT):
        kind = name[8:]
    if kind in _NOT_SHORT or kind.endswith(":") or not kind or _full(kind) != name:
        return ODD, (("class", name),)
    return kind, ()


def class_of(node: Node) -> str:
    """The class of an element, in full."""
    name = node.get("class") if node.kind == ODD else None
    return name if isinstance(name, str) else _full(node.kind)


def _full(kind: str) -> str:
    if "." not in kind:
        return _WIDGET + kind
    return f"android.{kind}" if kind.startswith(_SHORT) else kind


def short_id(name: str, package: str | None) -> str:
    """A resource id without its package, where that is the one around it."""
    return name.removeprefix(f"{package}:id/") if _is_package(package) else name


def full_id(name: str, package: str | None) -> str:
    """A resource id with its package, if what is around it is one."""
    if ":" in name or "/" in name or not _is_package(package):
        return name
    return f"{package}:id/{name}"


def _is_package(text: str | None) -> bool:
    return bool(text) and len(text) <= LONGEST and _PACKAGE.fullmatch(text) is not None


def key(node: Node) -> Hashable:
    """What makes a node the same in the next state: class, text and resource id."""
    return node.kind, node.get("class"), node.get(MAIN), node.get("id")


def numbers(tree: Tree, first: int = 0) -> list[int | None]:
    """For each node the number it is shown with; `None` for what is no element.

    A number that does not follow from the one before is the node's `ref`.
    """
    found: list[int | None] = []
    for node in tree.nodes:
        if not is_element(node):
            found.append(None)
            continue
        number = int(node.ref) if node.ref and _NUMBER.fullmatch(node.ref) else first
        found.append(number)
        first = number + 1
    return found


def handles(tree: Tree) -> tuple[str, ...]:
    """Elements by the number they are shown with, from 0; the rest is counted apart, as ``@1``."""
    return _handles(tree, 0)


def handles_from_1(tree: Tree) -> tuple[str, ...]:
    """As `handles`, for a dialect whose list begins at 1."""
    return _handles(tree, 1)


def _handles(tree: Tree, first: int) -> tuple[str, ...]:
    found: list[str] = []
    taken: set[int] = set()
    other = 0
    for number in numbers(tree, first):
        if number is None or number in taken:
            other += 1
            found.append(f"@{other}")
        else:
            taken.add(number)
            found.append(str(number))
    return tuple(found)


def quoted(text: str) -> str:
    """A text as the recorded dialects print it."""
    return json.dumps(text, ensure_ascii=False)


def quoted_object(fields: dict[str, Any]) -> str:
    """A JSON object as the recorded dialects print it."""
    return json.dumps(fields, ensure_ascii=False)


def text_of(node: Node, name: str = MAIN) -> str | None:
    """The value of an attribute that is a text."""
    value = node.get(name)
    return value if isinstance(value, str) else None


def flags_of(node: Node) -> list[str]:
    """The flags of an element, in their order."""
    return [name for name, value in node.attrs if value is None and name != "desc"]


def lined(node: Node) -> list[Node]:
    """An element whose text has several lines: all but the first are nodes below it."""
    first, *more = (text_of(node) or "").split("\n")
    if not more:
        return [node]
    attrs = tuple((name, first if name == MAIN else value) for name, value in node.attrs)
    below = [Node(TEXT, ((MAIN, line),), node.depth + 1) for line in more]
    return [msgspec.structs.replace(node, attrs=attrs), *below]


def joined(nodes: Sequence[Node]) -> Iterator[tuple[int, Node]]:
    """The nodes with their places, each text whole again."""
    at = 0
    while at < len(nodes):
        node, end = nodes[at], at + 1
        while end < len(nodes) and nodes[end].kind == TEXT and is_element(node):
            end += 1
        if end > at + 1:
            text = "\n".join(text_of(one) or "" for one in nodes[at:end])
            rest = tuple(one for one in node.attrs if one[0] != MAIN)
            node = msgspec.structs.replace(node, attrs=((MAIN, text), *rest))
        yield at, node
        at = end


def room(nodes: Sequence[Node]) -> int:
    """How deep the next node may be."""
    if not nodes or nodes[-1].kind == ACTIVITY:
        return 0
    return nodes[-1].depth + (nodes[-1].kind != TEXT)


def loose(line: str, nodes: Sequence[Node]) -> Node:
    """A line that is kept whole, as deep as the node above it."""
    return Node(LINE, ((MAIN, line),), nodes[-1].depth if nodes else 0)


def tree_of(nodes: Iterable[Node]) -> Tree | None:
    """The tree of a screen; `None` when nothing on it is an element."""
    found = tuple(nodes)
    return Tree(found) if any(map(is_element, found)) else None


def box_of(node: Node) -> tuple[int, int, int, int] | None:
    """Where an element is, in pixels: left, top, right, bottom."""
    match node.get("box"):
        case (int(left), int(top), int(right), int(bottom)):
            return left, top, right, bottom
    return None


def grouped(lines: Iterable[str], starts: Callable[[str], bool]) -> list[str]:
    """Lines, where one that starts no element belongs to the element above it.

    Texts of elements may hold line ends. Lines above the first element stand for themselves.
    """
    groups: list[list[str]] = []
    begun = False
    for line in lines:
        begun = begun or starts(line)
        if groups and begun and not starts(line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return ["\n".join(group) for group in groups]
