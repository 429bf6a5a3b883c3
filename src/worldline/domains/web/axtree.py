"""From Chromium's accessibility tree to the text of the ``browsergym`` dialect.

The nodes are those of the DevTools call ``Accessibility.getFullAXTree``. A wrapper that is left out
(Chromium marks them as ignored) leaves its children in its place, one level up; an element without
a name that can be clicked stays. Every node that went in comes out as a line or as a `Drop` that
says why not: nothing is lost in silence.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from worldline.domains.web.dialects import axline

AXNode = Mapping[str, Any]
"""``{nodeId, ignored, role, name, value, properties, childIds, backendDOMNodeId}`` as CDP sends."""
Why = Literal["ignored", "role", "plain", "said above", "unreachable"]
"""``ignored``: Chromium says so. ``role``: line breaks, boxes of text, presentation. ``plain``: a
generic wrapper that says nothing and takes no click. ``said above``: text that its parent's name
holds. ``unreachable``: no node lists it as a child."""

NO_ROLES = frozenset({"none", "presentation", "InlineTextBox", "LineBreak"})
NO_PROPERTIES = frozenset(
    {"editable", "readonly", "level", "settable", "multiline", "invalid", "focusable"}
)
"""Properties that BrowserGym does not print."""
FRAMES = frozenset({"Iframe", "IframePresentational"})
NO_ID = frozenset({"RootWebArea", "StaticText", "ListMarker"})
"""Roles that an action cannot be aimed at."""
FLAGS = frozenset({"required", "focused", "atomic"})
"""Printed as bare names, and only when true."""


class Drop(NamedTuple):
    """A node that has no line. `frame` is the bid of its frame, empty in the page itself."""

    node: str
    why: Why
    frame: str = ""


class Rendered(NamedTuple):
    """The lines of a tree, each with its depth, and what has none.

    ``len(lines) + len(drops)`` is the number of nodes that went in, those of frames included.
    """

    lines: tuple[tuple[int, str], ...]
    drops: tuple[Drop, ...]

    @property
    def text(self) -> str:
        """The tree as it stands below ``Accessibility tree:``."""
        return "\n".join("\t" * depth + line for depth, line in self.lines)


def render(
    nodes: Sequence[AXNode],
    *,
    frames: Mapping[int, Sequence[AXNode]] | None = None,
    bid: Callable[[AXNode], str | None] | None = None,
    clickable: Collection[int] = frozenset(),
    repeats: bool = True,
) -> Rendered:
    """The text of a page's accessibility tree.

    Args:
        nodes: the page's nodes, its root first.
        frames: trees that CDP gives apart (frames, closed shadow roots), by the
            ``backendDOMNodeId`` of their host. Node ids need be unique only within each.
        bid: an element's id; by default ``browsergym_id`` if the node has one, else its
            ``backendDOMNodeId`` behind the letters of its frame.
        clickable: ``backendDOMNodeId`` of elements that take clicks (``DOMSnapshot`` knows).
        repeats: whether text that its parent's name holds too is printed again.
    """
    return _Walk(frames or {}, bid, clickable, repeats).run(nodes)


def letters(number: int) -> str:
    """The letters of the frame with this number among its siblings: a ... z, aA ... zA, aB ..."""
    high, low = divmod(number, 26)
    tail = ""
    while high:
        high, digit = divmod(high - 1, 26)
        tail = chr(65 + digit) + tail
    return chr(97 + low) + tail


class _Document:
    """The nodes of one document: which were not visited yet, how ids in it begin."""

    def __init__(self, nodes: Sequence[AXNode], prefix: str) -> None:
        self.prefix = prefix
        self.nodes = nodes
        self.places: dict[str, int] = {}
        for at, node in enumerate(nodes):
            self.places.setdefault(str(node.get("nodeId")), at)
        self.left = set(range(len(nodes)))
        self.frames = 0


class _Visit(NamedTuple):
    """A node to be visited. `said` is its parent's name."""

    document: _Document
    at: int
    depth: int
    said: str


class _Walk:
    def __init__(
        self,
        frames: Mapping[int, Sequence[AXNode]],
        bid: Callable[[AXNode], str | None] | None,
        clickable: Collection[int],
        repeats: bool,
    ) -> None:
        self.frames = dict(frames)
        self.bid = bid
        self.clickable = clickable
        self.repeats = repeats
        self.lines: list[tuple[int, str]] = []
        self.drops: list[Drop] = []
        self.documents: list[_Document] = []

    def run(self, nodes: Sequence[AXNode]) -> Rendered:
        """Depth first, without recursion: pages nest as deep as they like."""
        todo = self._open(nodes, "", 0)
        while todo:
            visit = todo.pop()
            if visit.at in visit.document.left:
                visit.document.left.remove(visit.at)
                todo += reversed(self._visit(visit))
        for host, frame in self.frames.items():  # nobody reached their hosts
            self.documents.append(_Document(frame, f"?{host}"))
        for document in self.documents:
            for at in sorted(document.left):
                self._drop(document, document.nodes[at], "unreachable")
        return Rendered(tuple(self.lines), tuple(self.drops))

    def _open(self, nodes: Sequence[AXNode], prefix: str, depth: int) -> list[_Visit]:
        """A document that is entered at its root."""
        document = _Document(nodes, prefix)
        self.documents.append(document)
        return [_Visit(document, 0, depth, "")] if nodes else []

    def _visit(self, visit: _Visit) -> list[_Visit]:
        """Print the node or say why not; its children come next."""
        document, at, depth, said = visit
        node = document.nodes[at]
        host = node.get("backendDOMNodeId")
        apart = self.frames.pop(host, None) if isinstance(host, int) else None
        letter = self._letters(document) if apart is not None and _role(node) in FRAMES else ""
        name = _text(node.get("name")).strip()
        attrs = _attributes(node)
        why = self._why_not(node, name, attrs, said)
        if why is None:
            if not name and not attrs and _role(node) == "generic" and self._clicks(node):
                attrs = ["clickable"]
            ref = letter or self._bid(node, document)
            self.lines.append((depth, _line(_role(node), name, node.get("value"), attrs, ref)))
            depth += 1
        else:
            self._drop(document, node, why)
            name = said if node.get("ignored") or not name else name
        children = [
            _Visit(document, place, depth, name)
            for child in node.get("childIds") or ()
            if (place := document.places.get(str(child))) is not None
        ]
        if apart is None:
            return children
        return children + self._open(apart, letter or document.prefix, depth)

    @staticmethod
    def _letters(document: _Document) -> str:
        """What ids in the next frame of this document begin with."""
        document.frames += 1
        return document.prefix + letters(document.frames - 1)

    def _why_not(self, node: AXNode, name: str, attrs: Sequence[str], said: str) -> Why | None:
        role = _role(node)
        if node.get("ignored"):
            return "ignored"
        if role in NO_ROLES or not axline.is_role(role):
            return "role"
        if role == "generic" and not (name or attrs or self._clicks(node)):
            return "plain"
        if role == "StaticText" and not self.repeats and name in said:
            return "said above"
        return None

    def _clicks(self, node: AXNode) -> bool:
        """Whether an element takes clicks: it is said to, or it can have the focus."""
        properties = {item.get("name"): _value(item) for item in node.get("properties") or ()}
        return (
            node.get("backendDOMNodeId") in self.clickable
            or properties.get("clickable") is True
            or properties.get("focusable") is True
        )

    def _bid(self, node: AXNode, document: _Document) -> str | None:
        if self.bid is not None:
            return self.bid(node)
        if "browsergym_id" in node:
            return str(node["browsergym_id"])
        number = node.get("backendDOMNodeId")
        if _role(node) in NO_ID or not isinstance(number, int):
            return None
        return f"{document.prefix}{number}"

    def _drop(self, document: _Document, node: AXNode, why: Why) -> None:
        self.drops.append(Drop(str(node.get("nodeId")), why, document.prefix))


def _line(role: str, name: str, value: Any, attrs: Sequence[str], bid: str | None) -> str:
    head = f"[{bid}] {role}" if bid is not None else role
    if name or role != "generic":
        head += f" {name!r}"
    if isinstance(value, Mapping) and isinstance(value.get("value"), str | int | float):
        head += f" value={value['value']!r}"
    return ", ".join([head, *attrs])


def _attributes(node: AXNode) -> list[str]:
    """What is printed behind the name, in Chromium's order."""
    found: list[str] = []
    for item in node.get("properties") or ():
        name, value = item.get("name"), _value(item)
        if not isinstance(name, str) or name in NO_PROPERTIES or name == "clickable":
            continue
        if name in FLAGS:
            found += [name] if value else []
        elif isinstance(value, str | bool | int | float):
            found.append(f"{name}={value!r}")
    return found


def _value(item: Mapping[str, Any]) -> Any:
    value = item.get("value")
    return value.get("value") if isinstance(value, Mapping) else None


def _text(value: Any) -> str:
    found = value.get("value") if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


def _role(node: AXNode) -> str:
    return _text(node.get("role"))
