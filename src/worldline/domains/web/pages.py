"""What a state says about the browser: tabs, address, focus, what its fields hold."""

from typing import NamedTuple

from worldline.domains.web.dialects import axline, playwright
from worldline.domains.web.observations import text_of
from worldline.trees import Node, Tree

FIELDS = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox", "checkbox", "radio"}
    | {"switch", "input", "textarea", "select"}
)
"""Roles (and tags) of what a person fills in."""
TICKED = frozenset({"checkbox", "switch"})
"""Roles of what each click turns to the other of two states."""


class TabInfo(NamedTuple):
    """One open tab."""

    title: str
    url: str
    active: bool


class Page(NamedTuple):
    """What can be read off a state. `None`: the dialect does not show it."""

    url: str | None = None
    title: str | None = None
    tabs: tuple[TabInfo, ...] = ()
    focused: str | None = None
    """The id of the element that has the focus."""
    active: int | None = None
    """The active tab's index in `tabs`."""


def page_of(tree: Tree) -> Page:
    """The page of a state, in whatever dialect."""
    tabs: list[TabInfo] = []
    url = title = focused = None
    for node in tree.nodes:
        if node.kind == axline.TAB:
            tabs.append(TabInfo(text_of(node), text_of(node, "url"), node.has("active")))
        elif node.kind == playwright.URL:
            url = text_of(node)
        elif node.kind == playwright.TITLE:
            title = text_of(node)
        elif node.kind == "RootWebArea":
            if not tabs and url is None:
                url, title = text_of(node, "url") or None, text_of(node)
        elif node.ref is not None and (node.has("focused") or node.has("active")):
            focused = node.ref
    active = next((i for i, tab in enumerate(tabs) if tab.active), None)
    if active is not None:
        url, title = tabs[active].url, tabs[active].title
    return Page(url, title, tuple(tabs), focused, active)


def value_of(tree: Tree, at: int) -> str | None:
    """What the field at this index holds; `None` if its node does not say."""
    node = tree.nodes[at]
    for name in ("value", "text"):
        if isinstance(node.get(name), str):
            return text_of(node, name)
    for name in ("checked", "pressed", "selected"):
        if node.has(name):
            return f"{name}={node.get(name)}"
    if node.kind in axline.USUAL_ATTRIBUTES:
        name, usual = axline.USUAL_ATTRIBUTES[node.kind]
        return f"{name}={usual}"
    inside = [one for one in below(tree, at) if one.kind == "StaticText"]
    return text_of(inside[0]) if inside else None


def below(tree: Tree, at: int) -> tuple[Node, ...]:
    """The nodes under the one at this index."""
    depth = tree.nodes[at].depth
    end = at + 1
    while end < len(tree.nodes) and tree.nodes[end].depth > depth:
        end += 1
    return tree.nodes[at + 1 : end]


def above(tree: Tree, at: int) -> list[int]:
    """The indices of the nodes that hold the one at this index, outermost first."""
    found: list[int] = []
    depth = tree.nodes[at].depth
    for i in range(at - 1, -1, -1):
        if tree.nodes[i].depth < depth:
            depth = tree.nodes[i].depth
            found.append(i)
            if depth == 0:
                break
    return found[::-1]


def find(tree: Tree, ref: str) -> int | None:
    """The index of the node with this id."""
    return next((i for i, node in enumerate(tree.nodes) if node.ref == ref), None)


def at_point(tree: Tree, x: float, y: float) -> int | None:
    """The smallest element whose box holds a point, where the state shows boxes."""
    best: tuple[float, int] | None = None
    for i, node in enumerate(tree.nodes):
        box = node.get("box")
        if isinstance(box, tuple) and len(box) == 4 and _holds(box, x, y):
            size = float((box[2] - box[0]) * (box[3] - box[1]))
            best = min(best or (size, i), (size, i), key=lambda one: (one[0], -one[1]))
    return best[1] if best else None


def _holds(box: tuple[int, ...], x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]
