"""``droidbot``: the hierarchy of views of an explored app, as recorded.

::

    foreground_activity: com.example.notes/.ui.Main
    [0] android.widget.FrameLayout bounds=[0,0][1080,1920]
      [1] android.widget.Button text="New" resource-id="com.example.notes:id/new" bounds=... (...)

The other form of this dialect, ``Accessibility Tree:`` below state lines, is in `states`.
"""

import json
import re

from worldline.domains.android import states
from worldline.domains.android.nodes import (
    ACTIVITY,
    MAIN,
    NUMBER,
    box_of,
    class_of,
    flags_of,
    full_id,
    is_element,
    joined,
    kind_of,
    lined,
    loose,
    numbers,
    quoted,
    room,
    short_id,
    text_of,
    tree_of,
)
from worldline.trees import Node, Tree

HEAD = "foreground_activity: "
_LINE = re.compile(rf"((?:  ){{0,200}})\[({NUMBER})\] (\S+)")
_TEXTS = {"text": MAIN, "content-desc": "desc", "resource-id": "id"}
_TEXT = re.compile(r' (text|content-desc|resource-id)=("(?:[^"\\]|\\.)*+")')
_END = re.compile(
    r" bounds=\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\](?: \((\w+(?: \w+)*+)\))?"
)


def parse(text: str) -> Tree | None:
    """The views of a screen in either form."""
    if states.begins(text):
        return states.parse(text)
    nodes: list[Node] = []
    package, number = None, 0
    for line in text.split("\n"):
        if line.startswith(HEAD) and not nodes:
            activity = line.removeprefix(HEAD)
            package = package_of(activity)
            nodes.append(Node(ACTIVITY, ((MAIN, activity),)))
            continue
        node = _view(line, package, number)
        if node is None or node.depth > room(nodes):
            nodes.append(loose(line, nodes))
        else:
            nodes += lined(node)
            number = int(node.ref or number) + 1
    return tree_of(nodes)


def render(tree: Tree) -> str:
    """The views again."""
    if tree.nodes and states.is_head(tree.nodes[0]):
        return states.render(tree)
    lines: list[str] = []
    package = None
    shown = numbers(tree)
    for at, node in joined(tree.nodes):
        if node.kind == ACTIVITY:
            activity = text_of(node) or ""
            package = package_of(activity)
            lines.append(HEAD + activity)
        elif is_element(node):
            lines.append(_line(node, shown[at] or 0, package))
        else:
            lines.append(text_of(node) or "")
    return "\n".join(lines)


def package_of(activity: str) -> str | None:
    """The package in ``package/activity``."""
    package, slash, _ = activity.partition("/")
    return package if slash and package else None


def _view(line: str, package: str | None, number: int) -> Node | None:
    """The node of a line, if it gives the line again."""
    head = _LINE.match(line)
    if head is None:
        return None
    texts, at = {}, head.end()
    while found := _TEXT.match(line, at):
        texts[_TEXTS[found[1]]] = _loads(found[2])
        at = found.end()
    end = _END.fullmatch(line, at)
    if end is None or None in texts.values():
        return None
    if "id" in texts:
        texts["id"] = short_id(str(texts["id"]), package)
    kind, attrs = kind_of(head[3])
    flags = [(flag, None) for flag in (end[5] or "").split(" ") if flag]
    named = [(name, texts[name]) for name in (MAIN, "desc", "id") if name in texts]
    box = ("box", tuple(int(side) for side in end.groups()[:4]))
    node = Node(
        kind,
        (*attrs, *named, box, *flags),
        len(head[1]) // 2,
        None if int(head[2]) == number else head[2],
    )
    return node if _line(node, int(head[2]), package) == line else None


def _loads(text: str) -> str | None:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _line(node: Node, number: int, package: str | None) -> str:
    parts = [f"[{number}]", class_of(node)]
    for shown, name in _TEXTS.items():
        value = text_of(node, name)
        if value is not None:
            value = full_id(value, package) if name == "id" else value
            parts.append(f"{shown}={quoted(value)}")
    if box := box_of(node):
        parts.append("bounds=[{},{}][{},{}]".format(*box))
    if flags := flags_of(node):
        parts.append(f"({' '.join(flags)})")
    return "  " * node.depth + " ".join(parts)
