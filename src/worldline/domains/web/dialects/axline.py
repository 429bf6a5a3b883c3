"""One node of an accessibility tree as BrowserGym prints it.

    [a271] combobox 'Quantity' value='1', hasPopup='menu', expanded=False

``[bid] role 'name' value=..., attr=..., flag``, one node a line, a tab for each level. What nearly
every node of a role says (``selected=False`` of an option) is no attribute of ours; a node that
does not say it has the attribute `UNSAID`. The form is that of ``flatten_axtree_to_str`` in
browsergym-core 0.14.3; attributes come in Chromium's order.
"""

import re

from worldline.domains.web import pyliteral
from worldline.domains.web.observations import LINE
from worldline.trees import Node, Value
from worldline.trees.line import place

MAIN = "name"
ORDER = (
    *("name", "value", "box", "center", "clickable", "visible", "som"),
    *("disabled", "hidden", "hiddenRoot", "focused", "live", "atomic", "relevant", "busy", "root"),
    *("autocomplete", "hasPopup", "multiselectable", "orientation", "required"),
    *("valuemin", "valuemax", "valuetext", "checked", "expanded", "pressed", "selected", "modal"),
    *("activedescendant", "owns", "controls", "describedby", "details", "errormessage", "flowto"),
    *("labelledby", "keyshortcuts", "roledescription", "url"),
)
"""Where an attribute stands among the others."""
UNSAID = "unsaid"
"""The value of an attribute that most nodes of the role have and this one does not."""
TAB, LOOSE = "opentab", "loose"
FAILURE, CALLS, ELEMENT, COVER, TRACE = "failure", "calls", "element", "cover", "trace"
ERROR = frozenset({FAILURE, CALLS, ELEMENT, COVER, TRACE})
RESERVED = ERROR | {LINE, TAB, LOOSE}
"""Kinds of nodes that are no nodes of the tree; no role has these names."""

_HEAD = re.compile(r"(?:\[([A-Za-z0-9]{1,40})\] )?([A-Za-z][A-Za-z-]{0,40})(?![\w-])")
_ROLE = re.compile(r"[A-Za-z][A-Za-z-]{0,40}")
_NAME = re.compile(r"[A-Za-z][\w-]{0,60}", re.ASCII)
USUAL_ATTRIBUTES: dict[str, tuple[str, Value]] = {
    "option": ("selected", False),
    "tab": ("selected", False),
    "checkbox": ("checked", "false"),
    "radio": ("checked", "false"),
    "separator": ("orientation", "horizontal"),
}
"""What a node of this role says unless it says otherwise."""
_LIVE: tuple[str, Value] = ("relevant", "additions text")

Attrs = list[tuple[str, Value]]


def is_role(role: str) -> bool:
    """Whether lines can begin with this word."""
    return _ROLE.fullmatch(role) is not None and role not in RESERVED


def parse(line: str, depth: int) -> Node | None:
    """The node of a line without its indentation; `None` if the line is none, or not exactly so."""
    head = _HEAD.match(line)
    if head is None or head[2] in RESERVED:
        return None
    role, at = head[2], head.end()
    attrs: Attrs = []
    if line.startswith((" '", ' "'), at):
        name = pyliteral.string(line, at + 1)
        if name is None:
            return None
        at = name[1]
        if name[0] or role == "generic":
            attrs.append((MAIN, name[0]))
    elif role != "generic":
        return None
    if line.startswith(" value=", at):
        value = pyliteral.scalar(line, at + 7)
        if value is None:
            return None
        attrs.append(("value", value.value))
        at = value.end
    rest = _attributes(line, at)
    if rest is None:
        return None
    attrs += rest
    node = Node(role, tuple(_without_usual(role, attrs)), depth, head[1])
    return node if render(node) == line else None


def render(node: Node) -> str:
    """The line of a node, without indentation."""
    parts = [node.kind if node.ref is None else f"[{node.ref}] {node.kind}"]
    attrs = _with_usual(node.kind, list(node.attrs))
    given = dict(attrs)
    if MAIN in given or node.kind != "generic":
        parts.append(f" {_text(given.pop(MAIN, ''))}")
    if "value" in given:
        parts.append(f" value={_text(given.pop('value'))}")
    for name, value in attrs:
        if name in given:
            parts.append(f", {name}" if value is None else f", {name}={_text(value)}")
    return "".join(parts)


def _attributes(line: str, at: int) -> Attrs | None:
    """What stands behind the name, each behind a comma."""
    found: Attrs = []
    while at < len(line):
        name = _NAME.match(line, at + 2) if line.startswith(", ", at) else None
        if name is None:
            return None
        at = name.end()
        if line.startswith("=", at):
            value = pyliteral.scalar(line, at + 1)
            if value is None:
                return None
            found.append((name[0], value.value))
            at = value.end
        else:
            found.append((name[0], None))
    names = {name for name, _ in found}
    taken = len(names) < len(found) or not names.isdisjoint({MAIN, "value"})
    return None if taken else found


def _usual(role: str, names: set[str]) -> list[tuple[str, Value]]:
    """What a node of this role with these attributes says too, as a rule."""
    usual = [USUAL_ATTRIBUTES[role]] if role in USUAL_ATTRIBUTES else []
    return [*usual, _LIVE] if "live" in names else usual


def _without_usual(role: str, attrs: Attrs) -> Attrs:
    usual = _usual(role, {name for name, _ in attrs})
    if not usual:
        return attrs
    names = {name for name, _ in attrs}
    kept = [one for one in attrs if one not in usual]
    return kept + [(name, UNSAID) for name, _ in usual if name not in names]


def _with_usual(role: str, attrs: Attrs) -> Attrs:
    names = {name for name, _ in attrs}
    for name, value in _usual(role, names):
        if name not in names:
            attrs = place(tuple(attrs), name, value, ORDER)
    return [(name, value) for name, value in attrs if value != UNSAID]


def _text(value: Value) -> str:
    return "" if value is None else pyliteral.write(value)
