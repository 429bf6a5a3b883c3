"""What a tree is: nodes in document order, each with its depth.

A dialect's parser turns the *whole* text of a state into nodes, headers and error lines included
(as nodes of a kind of their own), so that an edit script can change any of it and rendering gives
the text back exactly. Long text of many lines (a terminal's window) is best given as one child node
of the kind `TEXT` a line: then a new line costs a line, not the whole text.
"""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import NamedTuple

import msgspec

Value = str | bool | int | float | tuple[int, ...] | None
"""An attribute's value; `None` is a flag: only its name is written."""

TEXT = ":"
"""The kind of a node that is one line of a longer text. Written ``: the text``."""


class Node(msgspec.Struct, frozen=True):
    """One node.

    `ref` is the id that the source itself shows (a web page's bid) when it does not follow from the
    node's place; `attrs` are in the order of the source, names at most once.
    """

    kind: str
    attrs: tuple[tuple[str, Value], ...] = ()
    depth: int = 0
    ref: str | None = None

    def get(self, name: str, default: Value = None) -> Value:
        """The value of an attribute."""
        for key, value in self.attrs:  # asked for each node of a screen by each rule: no generator
            if key == name:
                return value
        return default

    def has(self, name: str) -> bool:
        """Whether the attribute is there, flags included."""
        return any(key == name for key, _ in self.attrs)


class Tree(msgspec.Struct, frozen=True):
    """Nodes in document order. `depth` grows by at most one from a node to the next."""

    nodes: tuple[Node, ...]


def by_ref(tree: Tree) -> tuple[str, ...]:
    """Handles from the ids the source shows.

    A node without one is counted from the nearest node before that has one: ``a12+1`` (a count that
    is the id of some node is left out). A ref that stands on two nodes names the first only.
    """
    handles: list[str] = []
    seen: set[str] = set()
    taken = {node.ref for node in tree.nodes}
    last, offset = "", 0
    for node in tree.nodes:
        if node.ref is not None and node.ref not in seen:
            seen.add(node.ref)
            last, offset = node.ref, 0
            handles.append(node.ref)
        else:
            offset += 1
            while f"{last}+{offset}" in taken:
                offset += 1
            handles.append(f"{last}+{offset}")
    return tuple(handles)


def by_number(*headers: str) -> Callable[[Tree], tuple[str, ...]]:
    """Handles that count the nodes from 0; those of a `headers` kind are counted apart (``@1``).

    A node with a `ref` of its own (it does not follow from the place) keeps it as ``#ref``.
    """

    def handles(tree: Tree) -> tuple[str, ...]:
        found, number, header = [], 0, 0
        for node in tree.nodes:
            if node.kind in headers:
                header += 1
                found.append(f"@{header}")
            else:
                found.append(str(number))
                number += 1
        return tuple(found)

    return handles


def identity(node: Node) -> Hashable:
    """The default key: the id the source shows, else kind and attributes."""
    return node.ref or (node.kind, node.attrs)


def _itself(before: "Tree", after: "Tree") -> "Tree":
    return after


class TreeForm(NamedTuple):
    """How the states of one dialect are trees."""

    parse: Callable[[str], Tree | None]
    """The tree of a state; `None` for text that is no state of this dialect (an error message)."""
    render: Callable[[Tree], str]
    """``render(parse(text)) == text`` wherever `parse` gives a tree."""
    key: Callable[[Node], Hashable] = identity
    """What makes a node the same node in the next state. Never its place in a list."""
    handles: Callable[[Tree], tuple[str, ...]] = by_ref
    """The names of the nodes of a state in edit scripts and views; all different."""
    main: str = "text"
    """The attribute that is written as a bare string behind the kind."""
    order: tuple[str, ...] = ()
    """Where an added attribute goes: the order of names in the source."""
    target: Callable[[str, Tree], int | None] = lambda action, tree: None
    """The node an action is aimed at, by its index: views that must be cut are cut around it."""
    near: Callable[[Tree, Tree], Tree] = _itself
    """(before, after) -> a tree that renders as the state after and lies nearer to the one before:
    lines that have scrolled out of a window still stand in it. Edits are made for that one."""


@lru_cache(maxsize=32)
def parsed(form: TreeForm, text: str) -> Tree | None:
    """``form.parse(text)``; a turn looks at its states several times."""
    return form.parse(text)
