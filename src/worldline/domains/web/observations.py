"""What a browser shows after an action: a state (a tree), or a sentence that is none.

The dialects share two structs. How a text becomes a tree is a dialect's own business; that it comes
back exactly is checked here, for every text, so that a page full of odd characters costs at most
its structure, never a byte.
"""

from collections.abc import Callable

import msgspec

from worldline.trees import Node, Tree

LINE = "raw"
"""The kind of a node for a source line that is no node of the dialect; its text is kept."""


class State(msgspec.Struct, frozen=True, tag="state"):
    """A page with what surrounds it: tabs, an error of the action before."""

    tree: Tree


class Sentence(msgspec.Struct, frozen=True, tag="text"):
    """Text that is no state: an error message, an answer."""

    text: str


Observation = State | Sentence


def observed(parse: Callable[[str], Tree | None], text: str) -> Observation:
    """The parse of an observation with a dialect's tree parser."""
    tree = parse(text)
    return Sentence(text) if tree is None else State(tree)


def shown(render: Callable[[Tree], str], observation: Observation) -> str:
    """The inverse of `observed`."""
    return render(observation.tree) if isinstance(observation, State) else observation.text


def line_node(text: str, depth: int) -> Node:
    """A node that keeps a source line as it is; `depth` says only below what it stands."""
    return Node(LINE, (("name", text),), depth)


def text_of(node: Node, name: str = "name") -> str:
    """A node's attribute if it is text, else nothing."""
    value = node.get(name)
    return value if isinstance(value, str) else ""
