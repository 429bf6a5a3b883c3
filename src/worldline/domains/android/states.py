"""Screens below state lines, as AgentWorldBench has them: two layouts of one idea.

::

    **Current Phone State:**
    • **App:** Notes (com.example.notes)
    • **Keyboard:** Hidden

    1. Button: "com.example.notes:id/new", "New" - (0,0,200,90)

    • **Activity:** com.example.notes.Main
    Accessibility Tree:
      - Button id="com.example.notes:id/new" text="New" flags=clickable bounds=0,0,200,90

A state line is a node whose kind is its name with the colon. The texts of elements are printed as
they are, so a text may hold quotes and line ends.
"""

import re
from collections.abc import Callable, Iterable

from worldline.domains.android.nodes import (
    LINE,
    MAIN,
    NUMBER,
    ODD,
    Attrs,
    box_of,
    flags_of,
    full_id,
    grouped,
    is_element,
    joined,
    lined,
    loose,
    numbers,
    room,
    short_id,
    text_of,
)
from worldline.trees import Node, Tree

HEAD = "**Current Phone State:**"
TREE = "Accessibility Tree:"
_STATE = re.compile(r"• \*\*([^*\n:]{1,40}:)\*\* ([^\n]*)")
_PACKAGE = re.compile(r"\w+(?:\.\w+)+")
_ID = re.compile(r"[^\s\"]+")
_ROW_START = re.compile(rf"((?:  ){{0,200}})({NUMBER})\. ")
_BOX = r"(-?\d{1,6}),(-?\d{1,6}),(-?\d{1,6}),(-?\d{1,6})"
_ROW_END = re.compile(rf"(?: ; isChecked=(True|False))? - \({_BOX}\)")
_VIEW_START = re.compile(r"((?:  ){0,200})- (\S+)")
_VIEW_END = re.compile(rf"(?: flags=(\w+(?:,\w+)*+))? bounds={_BOX}")

Read = Callable[[str, int, str | None], Node | None]


def begins(text: str) -> bool:
    """Whether a text begins as such a screen."""
    return text.partition("\n")[0] == HEAD


def is_head(node: Node) -> bool:
    """Whether a node is the line that such a screen begins with."""
    return node.kind == LINE and node.get(MAIN) == HEAD


def parse(text: str) -> Tree | None:
    """A screen below state lines, in either layout; `None` for other text."""
    if not begins(text):
        return None
    nodes: list[Node] = []
    package, number = None, 1
    lines = text.split("\n")
    start, read = (_VIEW_START, _view) if _views(lines) else (_ROW_START, _row)
    for line in grouped(lines, lambda line: start.match(line) is not None):
        found = _STATE.fullmatch(line)
        node = read(line, number, package)
        if found is not None:
            nodes.append(Node(found[1], ((MAIN, found[2]),)))
            package = package_in(found[2]) if found[1] == "App:" else package
        elif node is None or node.depth > room(nodes):
            nodes += [loose(part, nodes) for part in line.split("\n")]
        else:
            nodes += lined(node)
            number = int(node.ref or number) + 1
    return Tree(tuple(nodes))


def render(tree: Tree) -> str:
    """The screen again."""
    lines: list[str] = []
    package = None
    heads = (node for node in tree.nodes if not node.kind.endswith(":"))
    views = _views((text_of(node) or "") if node.kind == LINE else "- " for node in heads)
    shown = numbers(tree, 1)
    for at, node in joined(tree.nodes):
        text = text_of(node) or ""
        if node.kind.endswith(":"):
            lines.append(f"• **{node.kind}** {text}")
            package = package_in(text) if node.kind == "App:" else package
        elif is_element(node):
            lines.append(
                _view_line(node, package) if views else _row_line(node, shown[at], package)
            )
        else:
            lines.append(text)
    return "\n".join(lines)


def _views(lines: Iterable[str]) -> bool:
    """Whether the heading of a tree stands before the first line that starts an element."""
    for line in lines:
        if line == TREE:
            return True
        if line == "- " or _VIEW_START.match(line) or _ROW_START.match(line):
            return False
    return False


def package_in(text: str) -> str | None:
    """The package in ``Name (package)``, or a package alone."""
    name = text[text.rfind("(") + 1 : -1] if text.endswith(")") else text
    return name if _PACKAGE.fullmatch(name) else None


def _kind(name: str) -> tuple[str, Attrs]:
    shown = Node(name)
    return (name, ()) if name and is_element(shown) and name != ODD else (ODD, (("class", name),))


def _class(node: Node) -> str:
    return text_of(node, "class") or "" if node.kind == ODD else node.kind


def _row(line: str, number: int, package: str | None) -> Node | None:
    """``3. Button: "id", "text" ; isChecked=True - (x1,y1,x2,y2)``."""
    head = _ROW_START.match(line)
    at = max(line.rfind(" ; isChecked="), 0) or line.rfind(" - (")
    end = _ROW_END.fullmatch(line, at) if at >= 0 else None
    if head is None or end is None or at < head.end():
        return None
    name, colon, details = line[head.end() : at].partition(":")
    if not colon or '"' in name:
        return None
    kind, attrs = _kind(name)
    checked = (
        () if end[1] is None else (("checkable", None), ("checked", None))[: 1 + (end[1] == "True")]
    )
    node = Node(
        kind,
        (*attrs, *_details(details, package), ("box", _sides(end)), *checked),
        len(head[1]) // 2,
        None if int(head[2]) == number else head[2],
    )
    return node if _row_line(node, int(head[2]), package) == line else None


def _details(text: str, package: str | None) -> Attrs:
    """`` "id", "text"``: either may be missing."""
    if not text.startswith(' "') or not text.endswith('"') or len(text) < 3:
        return ()
    first, comma, rest = text[2:-1].partition('", "')
    if not _ID.fullmatch(first) or not (comma or ":id/" in first):
        return ((MAIN, text[2:-1]),)
    name = ("id", short_id(first, package))
    return ((MAIN, rest), name) if comma else (name,)


def _sides(found: re.Match[str]) -> tuple[int, ...]:
    return tuple(int(side) for side in found.groups()[-4:])


def _row_line(node: Node, number: int | None, package: str | None) -> str:
    name, text = text_of(node, "id"), text_of(node)
    details = [] if name is None else [f'"{full_id(name, package)}"']
    details += [] if text is None else [f'"{text}"']
    parts = [f"{number}.", f"{_class(node)}:", *([", ".join(details)] if details else [])]
    if node.has("checkable"):
        parts.append(f"; isChecked={node.has('checked')}")
    if box := box_of(node):
        parts.append("- ({},{},{},{})".format(*box))
    return "  " * node.depth + " ".join(parts)


def _view(line: str, number: int, package: str | None) -> Node | None:
    """``- Button id="..." text="..." flags=clickable,focusable bounds=x1,y1,x2,y2``."""
    head = _VIEW_START.match(line)
    at = line.rfind(" flags=")
    end = _VIEW_END.fullmatch(line, at) if at >= 0 else None
    if end is None:
        at = line.rfind(" bounds=")
        end = _VIEW_END.fullmatch(line, at) if at >= 0 else None
    if head is None or end is None or at < head.end():
        return None
    kind, attrs = _kind(head[2])
    name, rest = None, line[head.end() : at]
    if rest.startswith(' id="') and (close := rest.find('"', 5)) > 0:
        name, rest = rest[5:close], rest[close + 1 :]
    found = [*attrs]
    if rest.startswith(' text="') and rest.endswith('"') and len(rest) > 7:
        found.append((MAIN, rest[7:-1]))
    if name is not None:
        found.append(("id", short_id(name, package)))
    flags = [(flag, None) for flag in (end[1] or "").split(",") if flag]
    node = Node(kind, (*found, ("box", _sides(end)), *flags), len(head[1]) // 2)
    return node if _view_line(node, package) == line else None


def _view_line(node: Node, package: str | None) -> str:
    parts = ["-", _class(node)]
    if (name := text_of(node, "id")) is not None:
        parts.append(f'id="{full_id(name, package)}"')
    if (text := text_of(node)) is not None:
        parts.append(f'text="{text}"')
    if flags := flags_of(node):
        parts.append(f"flags={','.join(flags)}")
    if box := box_of(node):
        parts.append("bounds={},{},{},{}".format(*box))
    return "  " * node.depth + " ".join(parts)
