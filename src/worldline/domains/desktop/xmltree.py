"""Dialect ``xml``: the whole accessibility tree as nested elements.

::

    <push-button name="Close" st:enabled="true" cp:screencoord="(882, 27)" cp:size="(38, 35)"/>

A scanner of our own reads it in one pass. It resolves no entity and loads no definition: hostile
text stays text, and a text that would not be rendered again to the last byte is no tree at all. An
element is a node, named by its role; ``at`` and ``size`` are ``cp:screencoord`` and ``cp:size``; an
attribute that is "true" is a flag. Text inside an element is its ``text``, or lines below it.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from worldline.domains.desktop.lines import Room, joined, split
from worldline.domains.desktop.rows import pair
from worldline.trees import TEXT, Node, Tree, Value

ORDER = ("name", "at", "size", "text", "open", "rows", "blank")
"""Attributes whose order is known; others follow them when they are new."""
LAYOUT = "layout"
"""Kind of the node that tells of what stands around the elements: indentation, a first line."""
DEEP = 400
"""Elements within elements, at most."""
INDENT = 16
"""Characters of one level's indentation, at most."""
GAPS = 4_000_000
"""Characters of all indentation of a document, at most."""

_NAMES = {"cp:screencoord": "at", "cp:size": "size"}
_SOURCE = {short: long for long, short in _NAMES.items()}
_OWN = frozenset({"text", "open", "rows", "blank", *_SOURCE})
"""Names that mean something of ours: a source that uses one is no tree."""
_HEAD = re.compile(r"(?:<\?xml [^<>]*\?>)?\s*")
_TAG = re.compile(r"[A-Za-z_][\w.:-]*+")
_ATTR = re.compile(r' ([A-Za-z_][\w.:-]*+)="([^"<]*+)"')
_GAP = re.compile(r">\n([ \t]*)<")

Attrs = list[tuple[str, Value]]


def parse(text: str) -> Tree | None:
    """The tree of a screen; `None` for text that is no well-formed tree of elements."""
    head = _HEAD.match(text)
    start = head.end() if head else 0
    end = len(text.rstrip())
    if not text.startswith("<", start):
        return None
    nodes = _Scanner(text, end).nodes(start)
    gap = _GAP.search(text, start)
    for indent in (gap[1], None) if gap and len(gap[1]) <= INDENT else (None,):
        around = (("head", text[:start]), ("indent", indent), ("end", text[end:]))
        told = tuple(one for one in around if one[1] or (one[0] == "indent" and one[1] is not None))
        tree = Tree((*([Node(LAYOUT, told)] if told else []), *(nodes or ())))
        if nodes is not None and _shows(tree, text):
            return tree
    return None


def _shows(tree: Tree, text: str) -> bool:
    try:
        return render(tree) == text
    except ValueError:
        return False


def render(tree: Tree) -> str:
    """The text of a tree.

    Raises:
        ValueError: the indentation is none, or attributes stand for more text than a state has.
    """
    nodes, first = tree.nodes, tree.nodes[0] if tree.nodes else None
    around = dict(first.attrs) if first and first.kind == LAYOUT else {}
    indent = _string(around["indent"]) if "indent" in around else None
    if indent and (len(indent) > INDENT or indent.strip(" \t")):
        raise ValueError(f"an indentation is at most {INDENT} blanks or tabs")
    writer = _Writer(indent)
    at = 1 if around or (first and first.kind == LAYOUT) else 0
    while at < len(nodes):
        below = at + 1
        while below < len(nodes) and _is_line(nodes[below], nodes[at]):
            below += 1
        inner = below < len(nodes) and nodes[below].depth > nodes[at].depth
        writer.element(nodes[at], nodes[at + 1 : below], inner)
        at = below
    writer.close(0)
    return "".join([_string(around.get("head")), *writer.parts, _string(around.get("end"))])


def _is_line(node: Node, above: Node) -> bool:
    return node.kind == TEXT and above.kind != TEXT and node.depth == above.depth + 1


def _string(value: Value) -> str:
    return value if isinstance(value, str) else ""


# from text


class _Scanner:
    """Reads elements up to `end`, one tag after the other."""

    def __init__(self, text: str, end: int) -> None:
        self.text, self.end = text, end
        self.found: list[Node] = []
        self.open: list[str] = []
        self.room = Room()
        self.fresh = False
        """The last tag opened an element: text that follows is its own."""

    def nodes(self, at: int) -> list[Node] | None:
        """The nodes of the one element at `at`; `None` if that is not all there is."""
        while at < self.end:
            tag = self.text.find("<", at, self.end)
            if tag < 0 or (self.found and not self.open):
                return None
            closing = self.text.startswith("</", tag)
            if self.fresh:
                self._own_text(self.text[at:tag], closing)
            after = self._closing(tag) if closing else self._opening(tag)
            if after is None:
                return None
            at = after
        return self.found if self.found and not self.open else None

    def _own_text(self, text: str, closing: bool) -> None:
        if not closing and not text.strip():
            return  # indentation
        node = self.found.pop()
        attrs, below = list(node.attrs), list[Node]()
        if not text:
            attrs.append(("open", None))
        elif "\n" in text:
            told, below = split(node.kind, text, node.get("size"), self.room, node.depth + 1)
            attrs += told
        else:
            attrs.append(("text", text))
        self.found += [Node(node.kind, tuple(attrs), node.depth), *below]

    def _closing(self, at: int) -> int | None:
        self.fresh = False
        end = self.text.find(">", at, self.end)
        known = self.open and self.text[at + 2 : end] == self.open.pop()
        return end + 1 if end >= 0 and known else None

    def _opening(self, at: int) -> int | None:
        name = _TAG.match(self.text, at + 1)
        if name is None or len(self.open) >= DEEP or name[0] == LAYOUT:
            return None
        attrs: Attrs = []
        at = name.end()
        while part := _ATTR.match(self.text, at):
            attrs.append(_attribute(part[1], part[2]))
            at = part.end()
        names = {one for one, _ in attrs}
        if len(names) < len(attrs) or any(one in _OWN and one not in _SOURCE for one in names):
            return None
        self.found.append(Node(name[0], tuple(attrs), len(self.open)))
        self.fresh = self.text.startswith(">", at)
        if self.fresh:
            self.open.append(name[0])
            return at + 1
        return at + 2 if self.text.startswith("/>", at) else None


def _attribute(name: str, value: str) -> tuple[str, Value]:
    if name in _NAMES and (numbers := pair(value)) is not None:
        return _NAMES[name], numbers
    flags: dict[str, Value] = {"true": None, "false": False}
    return name, flags.get(value, value)


# to text


class _Open(NamedTuple):
    depth: int
    kind: str
    indented: bool
    """Elements inside stand on lines of their own."""


class _Writer:
    def __init__(self, indent: str | None) -> None:
        self.indent = indent
        self.parts: list[str] = []
        self.open: list[_Open] = []
        self.room, self.gaps = Room(), Room(GAPS)

    def element(self, node: Node, lines: Sequence[Node], inner: bool) -> None:
        """A node, the lines of its text, and whether elements stand inside."""
        self.close(node.depth)
        self._gap(self.indent is not None and (not self.open or self.open[-1].indented))
        own = dict(node.attrs)
        if node.kind == TEXT:
            self.parts.append(_string(own.get("name")))
            return
        text = own.get("text")
        if lines or "rows" in own or "blank" in own:
            text = joined(node, lines, self.room)
        self.parts.append(f"<{node.kind}{''.join(map(_pair, node.attrs))}")
        if text is None and not inner and "open" not in own:
            self.parts.append("/>")
            return
        above = not self.open or self.open[-1].indented
        indented = self.indent is not None and above and text is None and inner
        self.parts.append(f">{_string(text)}")
        self.open.append(_Open(node.depth, node.kind, indented))

    def close(self, depth: int) -> None:
        """Close all that is open at this depth and below."""
        while self.open and self.open[-1].depth >= depth:
            last = self.open.pop()
            self._gap(last.indented)
            self.parts.append(f"</{last.kind}>")

    def _gap(self, wanted: bool) -> None:
        if wanted and self.parts:
            if not self.gaps.take(len(self.indent or "") * len(self.open)):
                raise ValueError(f"over {GAPS} characters of indentation")
            self.parts.append("\n" + (self.indent or "") * len(self.open))


def _pair(attr: tuple[str, Value]) -> str:
    name, value = attr
    if name in _OWN and name not in _SOURCE:
        return ""
    if isinstance(value, tuple):
        shown = f"({', '.join(map(str, value))})"
    else:
        shown = "true" if value is None else "false" if value is False else str(value)
    return f' {_SOURCE.get(name, name)}="{shown}"'
