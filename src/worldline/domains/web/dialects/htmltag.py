"""An element as Playwright's log shows it: ``<a bid="12" href="/">Home</a>``, ``<input id="q"/>``.

As a node: the tag is the name, attributes are attributes, the text inside is ``text`` (unless it
is left out in the log too). Marks that BrowserGym puts on every element get short names, and a long
value that begins with an earlier one says so (``^id:_label``), as ids of one widget do.
"""

import re

from worldline.trees import Node, Value

MARKS = {"browsergym_set_of_marks": "som", "browsergym_visibility_ratio": "seen"}
_FULL = {short: name for name, short in MARKS.items()}
_LEFT_OUT = "…"
_OPEN = re.compile(r"<([A-Za-z][\w-]{0,60})")
_ATTR = re.compile(r' ([^\s"=<>/]{1,80})(?:="([^"]*)")?')
_INT = re.compile(r"0|[1-9]\d{0,3}")
_VOID = frozenset({"input", "img", "br", "hr", "area", "embed", "source", "track", "wbr"})
MOST = 60
"""Attributes of one element; one with more is kept as text."""
_REPEATS = range(12, 200)
"""Characters of a value that is worth pointing at; a long one would come back many times."""


def parse(kind: str, source: str, depth: int) -> Node:
    """The element as a node of this kind; of anything else only the text is kept."""
    node = _element(kind, source, depth)
    if node is not None and render(node) == source:
        return node
    return Node(kind, (("raw", source),), depth)


def render(node: Node) -> str:
    """The element a node was parsed from, exactly.

    Raises:
        ValueError: the node has more attributes than an element.
    """
    if len(node.attrs) > MOST + 2:
        raise ValueError(f"over {MOST} attributes of one element")
    attrs = dict(node.attrs)
    if "raw" in attrs:
        return str(attrs["raw"])
    tag = str(attrs.pop("name", ""))
    text = attrs.pop("text", None)
    seen: dict[str, str] = {}
    parts = [f"<{tag}"]
    for name, value in attrs.items():
        full = _FULL.get(name, name.removeprefix("@"))
        if value is None:
            parts.append(f" {full}")
        else:
            seen[name] = _long(str(value), seen)
            parts.append(f' {full}="{seen[name]}"')
    if tag in _VOID and text is None:
        return "".join(parts) + "/>"
    return "".join(parts) + f">{_LEFT_OUT if text is None else text}</{tag}>"


def _element(kind: str, source: str, depth: int) -> Node | None:
    head = _OPEN.match(source)
    if head is None:
        return None
    tag, at = head[1], head.end()
    attrs: dict[str, Value] = {"name": tag}
    seen: dict[str, str] = {}
    while found := _ATTR.match(source, at):
        name, value = _short_name(found[1]), found[2]
        if name in attrs or len(attrs) > MOST:
            return None
        attrs[name] = None if value is None else _short(value, seen)
        if value is not None:
            seen[name] = value
        at = found.end()
    end = f"</{tag}>"
    if source.startswith(">", at) and source.endswith(end) and at + 1 + len(end) <= len(source):
        text = source[at + 1 : -len(end)]
        if text != _LEFT_OUT or tag in _VOID:
            attrs["text"] = text
    return Node(kind, tuple(attrs.items()), depth)


def _short_name(name: str) -> str:
    if name in MARKS:
        return MARKS[name]
    taken = name.startswith("@") or name in _FULL or name in ("name", "text", "raw")
    return f"@{name}" if taken else name


def _short(value: str, seen: dict[str, str]) -> Value:
    if _INT.fullmatch(value):
        return int(value)
    for name, earlier in seen.items():
        if len(earlier) in _REPEATS and value.startswith(earlier):
            return f"^{name}:{value[len(earlier) :]}"
    return value


def _long(value: str, seen: dict[str, str]) -> str:
    if value.startswith("^"):
        name, colon, rest = value[1:].partition(":")
        if colon and len(seen.get(name, "")) in _REPEATS:
            return seen[name] + rest
    return value
