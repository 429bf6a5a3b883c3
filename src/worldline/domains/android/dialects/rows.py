"""``json``: a row an element, actions as JSON (*from reference*).

::

    [  0] | android.widget.FrameLayout | res="com.example.notes:id/root" | bounds=[0,0][1080,2400]
    [  1] | android.widget.Button | text="New" res="com.example.notes:id/new" | bounds=... | ...

In the tree an element stands below the package that resource ids around it name. Texts are printed
as they are; where their order or what separates them is not as above, the node says so.
"""

import re
from collections.abc import Mapping

from worldline.domains.android.nodes import (
    APP,
    MAIN,
    NUMBER,
    Attrs,
    box_of,
    class_of,
    flags_of,
    full_id,
    grouped,
    is_element,
    joined,
    kind_of,
    lined,
    loose,
    numbers,
    short_id,
    text_of,
    tree_of,
)
from worldline.trees import Node, Tree

_START = re.compile(r"\[([ \d]{1,5}\d)\] \| ([^\s|]+)(?= \|)")
_NUMBER = re.compile(NUMBER)
_NAMES = {"text": MAIN, "desc": "desc", "res": "id"}
_SHOWN = {name: shown for shown, name in _NAMES.items()}
_NEXT = r' (?:\| )?(?:text|desc|res)="'
_TEXT = re.compile(rf' (\| )?(text|desc|res)="(.*?)"(?=\Z|{_NEXT})', re.DOTALL)
_BOUNDS = " | bounds=["
_END = re.compile(
    r" \| bounds=\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\](?: \| (\w[\w ,]*))?"
)
_PACKAGE = re.compile(r' res="(\w+(?:\.\w+)++):id/')
_COMMA = ","
_BETWEEN = (", ", _COMMA, " ")
"""What stands between flags."""


def parse(text: str) -> Tree | None:
    """The rows of a screen, below the packages that their ids name."""
    nodes: list[Node] = []
    package: str | None = None
    number = 0
    for row in grouped(text.split("\n"), lambda line: _START.match(line) is not None):
        found = _PACKAGE.search(row)
        named = found[1] if found else package
        node = _row(row, named, number)
        if node is None:
            nodes += [loose(line, nodes) for line in row.split("\n")]
            continue
        if not nodes or named != package:
            nodes.append(Node(APP, ((MAIN, named),) if named else ()))
        nodes += lined(node)
        package, number = named, int(node.ref or number) + 1
    return tree_of(nodes)


def render(tree: Tree) -> str:
    """The rows again."""
    lines: list[str] = []
    package: str | None = None
    shown = numbers(tree)
    for at, node in joined(tree.nodes):
        if node.kind == APP:
            package = text_of(node)
        elif is_element(node):
            lines.append(_line(node, shown[at] or 0, package))
        else:
            lines.append(text_of(node) or "")
    return "\n".join(lines)


def _row(row: str, package: str | None, number: int) -> Node | None:
    """The node of a row, if it gives the row again."""
    head, at = _START.match(row), row.rfind(_BOUNDS)
    end = _END.fullmatch(row, at) if at >= 0 else None
    if head is None or end is None or at < head.end() or not _NUMBER.fullmatch(head[1].strip()):
        return None
    kind, attrs = kind_of(head[2])
    found = (*attrs, *_texts(row[head.end() : at], package))
    box = ("box", tuple(int(side) for side in end.groups()[:4]))
    shown = int(head[1])
    ref = None if shown == number else str(shown)
    node = Node(kind, (*found, box, *_flags(end[5] or "")), 1, ref)
    return node if _line(node, shown, package) == row else None


def _texts(part: str, package: str | None) -> Attrs:
    found: list[re.Match[str]] = []
    at = 0
    while one := _TEXT.match(part, at):  # anchored: a text that never ends is searched once
        found.append(one)
        at = one.end()
    values = {_NAMES[one[2]]: one[3] for one in found}
    if "id" in values:
        values["id"] = short_id(values["id"], package)
    split = len(found) > 1 and found[1][1] is not None
    form = ("|" if split else " ").join(values)
    usual = [(name, values[name]) for name in _SHOWN if name in values]
    return tuple(usual) if form == _usual(values) else (("form", form), *usual)


def _usual(values: Mapping[str, str]) -> str:
    return " ".join(name for name in _SHOWN if name in values)


def _flags(text: str) -> Attrs:
    by = next((by for by in _BETWEEN if by in text), _COMMA)
    flags = [(flag, None) for flag in text.split(by) if flag]
    return tuple(flags if by == _COMMA else [("flags_by", by), *flags])


def _line(node: Node, number: int, package: str | None) -> str:
    given = {name: value for name in _SHOWN if (value := text_of(node, name)) is not None}
    if "id" in given:
        given["id"] = full_id(given["id"], package)
    form = text_of(node, "form") or _usual(given)
    by = " | " if "|" in form else " "
    order = dict.fromkeys(form.replace("|", " ").split(" "))
    names = [name for name in order if name in given]
    parts = [f"[{number:3}]", class_of(node)]
    if names:
        parts.append(by.join(f'{_SHOWN[name]}="{given[name]}"' for name in names))
    if box := box_of(node):
        parts.append("bounds=[{},{}][{},{}]".format(*box))
    if flags := flags_of(node):
        by = text_of(node, "flags_by")
        parts.append((by if by in _BETWEEN else _COMMA).join(flags))
    return " | ".join(parts)
