r"""JSON results of the ``json`` dialect: JSON text inside JSON strings, prose inside those.

``{"results": "[{\"url\": ...}]"}`` is one tree here. Whatever is JSON in a string is parsed where
it stands; what a page store says is a record; long texts are taken out as leaves. All of it renders
back exactly, and a text that would not stays a leaf.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from worldline.domains.mcp import exact

MAX_NESTING = 4
LONG = 120
"""Strings from this length on are taken out of the JSON as leaves."""

_SAVED = "SUCCESS: The result has been saved to the data storage under the key: "
_OVERWRITES = (
    "WARNING: The key already exists in the data storage. The new result overwrites the old one.\n"
)
_LISTED = re.compile(r"\.\nThe data_storage currently contains the following keys:\n( *)")

Path = tuple[str | int, ...]


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Text, by paragraphs (what stands between empty lines)."""

    paragraphs: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole."""
        return "\n\n".join(self.paragraphs)


def text_of(text: str) -> Text:
    """A text that has no form of its own, taken apart into paragraphs."""
    return Text(tuple(text.split("\n\n")))


class Saved(msgspec.Struct, frozen=True, tag="saved"):
    """A page was saved under a key; these are all the keys."""

    key: str
    keys: tuple[str, ...]
    overwrites: bool = False
    indent: int = 0
    """Blanks before the first key."""


class Tree(msgspec.Struct, frozen=True, tag="json"):
    """A JSON value, how it was printed, and what stands in some of its strings."""

    value: Any
    style: exact.Style
    inner: tuple["Inner", ...] = ()


class Inner(msgspec.Struct, frozen=True):
    """The content of the string at `path`, where the value itself has an empty one."""

    path: Path
    body: "Body"


Body = Text | Saved | Tree


class Observation(msgspec.Struct, frozen=True):
    """The parse of an observation."""

    body: Body


def parse(text: str) -> Observation:
    """The observation in `text`. Never raises."""
    return Observation(_body(text, MAX_NESTING))


def render(observation: Observation) -> str:
    """The text of an observation, exactly."""
    return render_body(observation.body)


def render_body(body: Body) -> str:
    """The text of a body, exactly."""
    match body:
        case Text():
            return body.text
        case Saved():
            warning = _OVERWRITES if body.overwrites else ""
            listed = " " * body.indent + "\n".join(body.keys)
            return (
                f"{warning}{_SAVED}{body.key}.\n"
                f"The data_storage currently contains the following keys:\n{listed}\n"
            )
        case Tree():
            return body.style.render(_filled(body.value, body.inner, render_body))


def plain(body: Body) -> Any:
    """The value as one JSON tree, JSON in strings included; texts as they are."""
    if isinstance(body, Tree):
        return _filled(body.value, body.inner, plain)
    return render_body(body)


def texts(body: Body) -> Iterator[str]:
    """The texts in a body's strings, wherever they stand; short ones are part of its value."""
    todo: list[Body] = [body]
    while todo:
        one = todo.pop()
        if isinstance(one, Tree):
            todo += [inner.body for inner in one.inner]
        elif isinstance(one, Text):
            yield one.text


def saved_in(body: Body) -> Saved | None:
    """What the page store said, if this is its answer."""
    while isinstance(body, Tree) and len(body.inner) == 1:
        body = body.inner[0].body
    return body if isinstance(body, Saved) else None


def _body(text: str, depth: int) -> Body:
    saved = _saved(text)
    if saved is not None:
        return saved
    found = exact.parse(text) if depth else None
    if found is None:
        return text_of(text)
    taken: list[Inner] = []
    value = _taken(found[0], (), depth - 1, taken)
    return Tree(value, found[1], tuple(taken))


def _taken(value: Any, path: Path, depth: int, taken: list[Inner]) -> Any:
    """A copy of a JSON value, with what is worth it taken out of its strings."""
    if isinstance(value, dict):
        return {k: _taken(v, (*path, k), depth, taken) for k, v in value.items()}
    if isinstance(value, list):
        return [_taken(v, (*path, i), depth, taken) for i, v in enumerate(value)]
    if not isinstance(value, str) or not value:
        return value
    body = _body(value, depth)
    if isinstance(body, Text) and len(value) < LONG:
        return value
    taken.append(Inner(path, body))
    return ""


def _filled(value: Any, inner: tuple[Inner, ...], make: Any) -> Any:
    """The value with the contents of `inner` in place."""
    if not inner:
        return value
    made = msgspec.to_builtins(value)  # a copy: the parse is frozen
    for one in inner:
        *way, last = one.path
        at = made
        for step in way:
            at = at[step]
        at[last] = make(one.body)
    return made


def _saved(text: str) -> Saved | None:
    if not text.startswith((_SAVED, _OVERWRITES)):
        return None
    overwrites = text.startswith(_OVERWRITES)
    start = len(_OVERWRITES) * overwrites
    listed = _LISTED.search(text, start)
    if listed is None or not text.startswith(_SAVED, start) or not text.endswith("\n"):
        return None
    keys = tuple(text[listed.end() : -1].split("\n"))
    made = Saved(text[start + len(_SAVED) : listed.start()], keys, overwrites, len(listed[1]))
    return made if render_body(made) == text else None
