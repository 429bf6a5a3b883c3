"""The dialect ``browsergym``: open tabs, accessibility tree, and an error of the action before.

    Open tabs:
    - Tab 0 (active)
      - Title: Shop
      - URL: http://shop.example/

    Accessibility tree:
    RootWebArea 'Shop', focused, url='http://shop.example/'
        [12] button 'Save'

A failed action stands above as ``Error from previous action:`` with what Playwright says. A bare
tree without tabs is a state too (so benchmarks quote it). Lines that fit nothing of this are kept
as `raw` nodes; then the headings are such nodes as well.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from worldline.domains.web.dialects import axline, errorlog
from worldline.domains.web.dialects.axline import ERROR, FAILURE, LOOSE, TAB
from worldline.domains.web.observations import LINE, line_node, text_of
from worldline.trees import Node, Tree
from worldline.trees.line import place

TABS = "Open tabs:"
TREE = "Accessibility tree:"
ROOT = "RootWebArea "
_TAB = re.compile(r"- Tab (\d{1,6}) (\(active\))?")
_TITLE, _URL = "  - Title: ", "  - URL: "


def parse(text: str) -> Tree | None:
    """The nodes of a state; `None` for text without a page (an error sentence)."""
    lines = text.split("\n")
    if not any(line.startswith((ROOT, TABS)) for line in lines):
        return None
    tree = _strict(lines)
    if tree is None or render(tree) != text:
        tree = Tree((Node(LOOSE), *_nodes(lines)))
    return tree


def render(tree: Tree) -> str:
    """The text of a state, exactly."""
    nodes = tree.nodes
    if nodes and nodes[0].kind == LOOSE:
        return "\n".join(_line(node) for node in nodes[1:])
    failed = [node for node in nodes if node.kind in ERROR]
    tabs = [node for node in nodes if node.kind == TAB]
    rest = [node for node in nodes if node.kind not in ERROR and node.kind != TAB]
    lines = errorlog.render(failed)
    if rest and rest[0].kind == "RootWebArea":
        rest[0] = _root_in_full(rest[0], tabs)
    if tabs:
        lines.append(TABS)
        for number, tab in enumerate(tabs):
            lines += _tab_lines(tab, number)
        lines += ["", TREE]
    return "\n".join([*lines, *(_line(node) for node in rest)])


def state_text(tabs: Sequence[tuple[str, str, bool]], tree: str, error: str = "") -> str:
    """A state as the dialect prints it.

    Args:
        tabs: (title, URL, whether it is the active one) of each.
        tree: the accessibility tree, as `axtree.render` gives it.
        error: what the action before failed with, as ``ValueError: ...``.
    """
    lines = [errorlog.HEADING, f"Error: {error}", ""] if error else []
    lines.append(TABS)
    for number, (title, url, active) in enumerate(tabs):
        lines += [f"- Tab {number} {'(active)' if active else ''}", _TITLE + title, _URL + url]
    return "\n".join([*lines, "", TREE, tree])


def failed(tree: Tree) -> bool:
    """Whether the state stands below an error."""
    return any(node.kind == FAILURE for node in tree.nodes)


def without_error(tree: Tree) -> Tree:
    """The state without the error above it."""
    return Tree(tuple(node for node in tree.nodes if node.kind not in ERROR))


def _strict(lines: list[str]) -> Tree | None:
    """The nodes of a text with all its headings in their places."""
    nodes: list[Node] = []
    at = 0
    if lines[0] == errorlog.HEADING:
        head = TABS if TABS in lines else None
        at = lines.index(head) if head else _first_root(lines)
        nodes += errorlog.parse(lines[:at])
    if at < len(lines) and lines[at] == TABS:
        try:
            end = lines.index(TREE, at)
        except ValueError:
            return None
        tabs = _tabs(lines[at + 1 : end - 1])
        if tabs is None:
            return None
        nodes += tabs
        at = end + 1
    tree = _nodes(lines[at:])
    if tree and tree[0].kind == "RootWebArea":
        tree[0] = _short_root(tree[0], nodes)
    return Tree((*nodes, *tree))


def _short_root(root: Node, tabs: Iterable[Node]) -> Node:
    """The root without the title and the address that its tab has too."""
    tab = _active(tabs)
    if tab is None:
        return root
    told = {("name", tab.get("name")), ("url", tab.get("url"))}
    attrs = [one for one in root.attrs if one not in told]
    if not root.has("name") and tab.get("name"):
        attrs.insert(0, ("name", ""))
    if not root.has("url"):
        attrs.append(("url", axline.UNSAID))
    return msgspec.structs.replace(root, attrs=tuple(attrs))


def _root_in_full(root: Node, tabs: Iterable[Node]) -> Node:
    """The inverse of `_short_root`."""
    tab = _active(tabs)
    attrs = root.attrs
    for name in ("name", "url") if tab is not None else ():
        if tab is not None and not root.has(name):
            attrs = tuple(place(attrs, name, tab.get(name), axline.ORDER))
    return msgspec.structs.replace(root, attrs=attrs)


def _active(tabs: Iterable[Node]) -> Node | None:
    return next((tab for tab in tabs if tab.kind == TAB and tab.has("active")), None)


def _first_root(lines: list[str]) -> int:
    return next((i for i, line in enumerate(lines) if line.startswith(ROOT)), len(lines))


def _tabs(lines: list[str]) -> list[Node] | None:
    if len(lines) % 3:
        return None
    tabs: list[Node] = []
    for i in range(0, len(lines), 3):
        head, title, url = lines[i : i + 3]
        match = _TAB.fullmatch(head)
        if not (match and title.startswith(_TITLE) and url.startswith(_URL)):
            return None
        attrs: list[tuple[str, str | int | None]] = [
            ("name", title.removeprefix(_TITLE)),
            ("url", url.removeprefix(_URL)),
        ]
        if int(match[1]) != len(tabs):
            attrs.append(("number", int(match[1])))
        if match[2]:
            attrs.append(("active", None))
        tabs.append(Node(TAB, tuple(attrs)))
    return tabs


def _tab_lines(tab: Node, number: int) -> Iterable[str]:
    shown = tab.get("number", number)
    yield f"- Tab {shown} {'(active)' if tab.has('active') else ''}"
    yield _TITLE + text_of(tab)
    yield _URL + text_of(tab, "url")


def _nodes(lines: list[str]) -> list[Node]:
    """A node a line; no node is more than one level below the one above it."""
    nodes: list[Node] = []
    deepest = -1
    for line in lines:
        bare = line.lstrip("\t")
        depth = len(line) - len(bare)
        node = axline.parse(bare, depth) if depth <= deepest + 1 else None
        if node is None:
            node = line_node(line, max(deepest, 0))
        nodes.append(node)
        deepest = node.depth
    return nodes


def _line(node: Node) -> str:
    if node.kind == LINE:
        return text_of(node)
    return "\t" * node.depth + axline.render(node)
