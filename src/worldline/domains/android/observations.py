"""An observation on a phone: a screen as a tree, or a text that is no screen."""

from collections.abc import Callable

import msgspec

from worldline.trees import Tree


class Screen(msgspec.Struct, frozen=True, tag="screen"):
    """The tree of a screen."""

    tree: Tree


class Message(msgspec.Struct, frozen=True, tag="text"):
    """A text that is no screen of the dialect (an error)."""

    text: str


class Observation(msgspec.Struct, frozen=True):
    """The parse of an observation."""

    body: Screen | Message


def reader(parse: Callable[[str], Tree | None]) -> Callable[[str], Observation]:
    """A parser of observations from one of trees."""

    def read(text: str) -> Observation:
        tree = parse(text)
        return Observation(Message(text) if tree is None else Screen(tree))

    return read


def writer(render: Callable[[Tree], str]) -> Callable[[Observation], str]:
    """The inverse of `reader`."""

    def write(observation: Observation) -> str:
        body = observation.body
        return body.text if isinstance(body, Message) else render(body.tree)

    return write
