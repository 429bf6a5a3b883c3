"""``ui-elements``: the list of elements that AndroidWorld records, a JSON object a line.

::

    UI element 12: {"text": "Save", "class_name": "android.widget.Button", "bbox_pixels": ...}

Fields that are null or false are not printed. In the tree an element stands below the package it
belongs to, and has as flags only what is unusual: an element is visible and enabled, and can have
the focus when it can be clicked.
"""

import json
import re
from typing import Any

from worldline.domains.android.nodes import (
    APP,
    FLAGS,
    LONGEST,
    MAIN,
    NUMBER,
    Attrs,
    box_of,
    class_of,
    full_id,
    is_element,
    joined,
    kind_of,
    lined,
    loose,
    numbers,
    quoted_object,
    short_id,
    text_of,
    tree_of,
)
from worldline.trees import Node, Tree

_LINE = re.compile(rf"UI element ({NUMBER}): (\{{.*\}})")
_BOX = ("x_min", "y_min", "x_max", "y_max")
_SHOWN = ("x_min", "x_max", "y_min", "y_max")
_FLAGS = {
    "is_clickable": "clickable",
    "is_long_clickable": "long_clickable",
    "is_editable": "editable",
    "is_checkable": "checkable",
    "is_checked": "checked",
    "is_selected": "selected",
    "is_scrollable": "scrollable",
    "is_focused": "focused",
}
_PRINTED = (
    "is_checked",
    "is_checkable",
    "is_clickable",
    "is_editable",
    "is_enabled",
    "is_focused",
    "is_focusable",
    "is_long_clickable",
    "is_scrollable",
    "is_selected",
    "is_visible",
)
"""The order of the source."""
_FAR = 10**6
"""Pixels that no screen has."""
_TEXTS = ("text", "content_description", "hint_text", "class_name", "package_name", "resource_name")


def parse(text: str) -> Tree | None:
    """The elements of a screen, below the packages they belong to."""
    nodes: list[Node] = []
    package: str | None = None
    number = 0
    for line in text.split("\n"):
        found = _LINE.fullmatch(line)
        fields = _fields(found[2]) if found else None
        if found is None or fields is None:
            nodes.append(loose(line, nodes))
            continue
        shown, name = int(found[1]), fields.get("package_name")
        node = _element(fields, None if shown == number else found[1])
        if _line(node, shown, name) != line:
            nodes.append(loose(line, nodes))
            continue
        if name != package or not nodes:
            nodes.append(Node(APP, () if name is None else ((MAIN, name),)))
        nodes += lined(node)
        package, number = name, shown + 1
    return tree_of(nodes)


def render(tree: Tree) -> str:
    """The list again.

    Raises:
        ValueError: the package of elements is no name but a long text.
    """
    lines: list[str] = []
    package: str | None = None
    shown = numbers(tree)
    for at, node in joined(tree.nodes):
        if node.kind == APP:
            package = text_of(node)
            if package is not None and len(package) > LONGEST:
                raise ValueError(f"a package has at most {LONGEST} characters")
        elif is_element(node):
            lines.append(_line(node, shown[at] or 0, package))
        else:
            lines.append(text_of(node) or "")
    return "\n".join(lines)


def _fields(text: str) -> dict[str, Any] | None:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    box = fields.get("bbox_pixels")
    texts = all(isinstance(fields.get(name, ""), str) for name in _TEXTS)
    sides = isinstance(box, dict) and all(_pixels(box.get(name)) for name in _BOX)
    short = texts and len(fields.get("package_name", "")) <= LONGEST
    return fields if short and sides and "class_name" in fields else None


def _pixels(value: object) -> bool:
    return type(value) is int and abs(value) < _FAR


def _element(fields: dict[str, Any], ref: str | None) -> Node:
    kind, attrs = kind_of(fields["class_name"])
    found = [*attrs]
    text, told = fields.get("text"), fields.get("content_description")
    if text is not None:
        found.append((MAIN, text))
    if told is not None:
        found.append(("desc", None if told == text else told))
    if (name := fields.get("resource_name")) is not None:
        found.append(("id", short_id(name, fields.get("package_name"))))
    found.append(("box", tuple(fields["bbox_pixels"][side] for side in _BOX)))
    if (hint := fields.get("hint_text")) is not None:
        found.append(("hint", hint))
    return Node(kind, (*found, *_flags(fields)), 1, ref)


def _flags(fields: dict[str, Any]) -> Attrs:
    flags = {flag for name, flag in _FLAGS.items() if name in fields}
    clicked, focused = "is_clickable" in fields, "is_focusable" in fields
    if clicked != focused:
        flags.add("focusable" if focused else "unfocusable")
    if "is_enabled" not in fields:
        flags.add("disabled")
    if "is_visible" not in fields:
        flags.add("invisible")
    return tuple((flag, None) for flag in FLAGS if flag in flags)


def _line(node: Node, number: int, package: str | None) -> str:
    fields: dict[str, Any] = {}
    text, told, name, hint = (text_of(node, one) for one in (MAIN, "desc", "id", "hint"))
    if text is not None:
        fields["text"] = text
    if node.has("desc"):
        fields["content_description"] = (text or "") if told is None else told
    fields["class_name"] = class_of(node)
    if box := box_of(node):
        sides = dict(zip(_BOX, box, strict=True))
        fields["bbox_pixels"] = {side: sides[side] for side in _SHOWN}
    if hint is not None:
        fields["hint_text"] = hint
    true = _true(node)
    fields |= {name: True for name in _PRINTED if name in true}
    if package is not None:
        fields["package_name"] = package
    if name is not None:
        fields["resource_name"] = full_id(name, package)
    return f"UI element {number}: {quoted_object(fields)}"


def _true(node: Node) -> set[str]:
    found = {name for name, flag in _FLAGS.items() if node.has(flag)}
    if not node.has("disabled"):
        found.add("is_enabled")
    if not node.has("invisible"):
        found.add("is_visible")
    if node.has("focusable") or (node.has("clickable") and not node.has("unfocusable")):
        found.add("is_focusable")
    return found
