"""The inside of a tool's answer, to be changed on purpose.

The wrapping is taken off, the innermost text or value is changed, and the same wrapping is put
around it again.
"""

import copy
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import msgspec

from worldline.domains.mcp.actions import CallError, parse_call
from worldline.domains.mcp.dialects import pyrepr
from worldline.domains.mcp.memo import parse_observation
from worldline.domains.mcp.observations import Body, Cut, Json, Plain, ToolResult, render_body
from worldline.domains.mcp.records import is_id
from worldline.domains.mcp.values import NOTHING, literal
from worldline.verify.corrupt.common import other_number, other_word
from worldline.verify.measure import Moment

WORD = re.compile(r"[^\W\d_]{4,}")


class Place(NamedTuple):
    """A plain value in a JSON value: what holds it, under which key or index."""

    holder: Any
    at: str | int

    @property
    def value(self) -> Any:
        """The value itself."""
        return self.holder[self.at]


def inside(body: Body, change: Callable[[Body], str | None]) -> Body | None:
    """The body with its innermost text (of several blocks, the longest) changed."""
    if isinstance(body, Cut):
        inner = inside(body.body, change)
        return None if inner is None else msgspec.structs.replace(body, body=inner)
    if not isinstance(body, ToolResult):
        text = change(body)
        return None if text is None else Plain(text)
    found = [i for i, block in enumerate(body.blocks) if block.body is not None]
    if not found:
        return None
    longest = max(found, key=lambda i: len(render_body(body.blocks[i].body or Plain(""))))
    block = body.blocks[longest]
    inner = inside(block.body or Plain(""), change)
    if inner is None:
        return None
    blocks = list(body.blocks)
    blocks[longest] = msgspec.structs.replace(block, body=inner)
    return msgspec.structs.replace(body, blocks=tuple(blocks))


def changed(moment: Moment, change: Callable[[Body], str | None]) -> str | None:
    """The observation with its innermost body replaced by a text; `None` where it has none."""
    body = parse_observation(moment.ledger.dialect, moment.truth).body
    found = inside(body, change)
    return None if found is None else render_body(found)


def on_value(moment: Moment, change: Callable[[Any], Any]) -> str | None:
    """The observation with its JSON (or rows as Python prints them) changed in place."""

    def on(body: Body) -> str | None:
        rows = literal(body.text) if isinstance(body, Plain) else NOTHING
        if not isinstance(body, Json) and rows is NOTHING:
            return None
        value = copy.deepcopy(body.value if isinstance(body, Json) else rows)
        if not change(value):
            return None
        return body.style.render(value) if isinstance(body, Json) else pyrepr.render(value)

    return changed(moment, on)


def on_text(moment: Moment, change: Callable[[str], str | None]) -> str | None:
    """The observation with its plain text changed."""

    def on(body: Body) -> str | None:
        if not isinstance(body, Plain) or literal(body.text) is not NOTHING:
            return None
        return change(body.text)

    return changed(moment, on)


def holders(value: Any) -> Iterator[Any]:
    """Objects and arrays, outer ones first."""
    todo = [value]
    while todo:
        one = todo.pop(0)
        if isinstance(one, dict | list):
            yield one
            todo += list(one.values()) if isinstance(one, dict) else one


def plain_values(value: Any) -> list[Place]:
    """Plain values that are no id and no name of an item, and no argument's echo."""
    found: list[Place] = []
    for holder in holders(value):
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for at, inner in pairs:
            named = isinstance(at, str) and (is_id(at) or at in ("name", "index", "title", "path"))
            if not named and not isinstance(inner, dict | list):
                found.append(Place(holder, at))
    return found


def said_in(moment: Moment) -> dict[str, Any]:
    """The arguments of the call, those of a gateway's inner call among them."""
    try:
        arguments = parse_call(moment.action).arguments
    except CallError:
        return {}
    inner = arguments.get("params")
    return {**arguments, **(inner if isinstance(inner, dict) else {})}


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def other(value: Any, rng: Random) -> Any:
    """Another text of the same form, or another number."""
    if isinstance(value, str):
        return WORD.sub(lambda m: other_word(m[0], rng), value)
    return value + rng.randint(1, 9)


def twin(item: Any, rng: Random) -> Any:
    """An item like another one, with other words and numbers."""
    if isinstance(item, dict):
        return {k: twin(v, rng) for k, v in item.items()}
    if isinstance(item, list):
        return [twin(v, rng) for v in item]
    if isinstance(item, bool) or item is None:
        return item
    if isinstance(item, str):
        other = re.sub(r"\d+", lambda m: other_number(m[0], rng), item)
        return WORD.sub(lambda m: other_word(m[0], rng), other)
    return item + rng.randint(1000, 9000)
