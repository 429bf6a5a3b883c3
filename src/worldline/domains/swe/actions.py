"""What a coding agent does: tool calls and command lines, and the deeds they come to.

Every harness names its tools and their arguments in its own way; `operation` makes one of a few
deeds of each call, on which the ledger works whatever the dialect.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.base import ActionError
from worldline.domains.mcp import exact
from worldline.domains.terminal.actions import Call


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool call ``{"name", "arguments"}`` as written.

    `inner`: the arguments came as JSON text, printed in this style. `fields` are the call's other
    fields, in order. `raw` is the whole text, where no style prints it again.
    """

    name: str
    arguments: dict[str, Any]
    inner: exact.Style | None = None
    fields: dict[str, Any] = {}
    style: exact.Style | None = None
    raw: str | None = None


def parse_call(text: str) -> ToolCall:
    """The call in a text.

    Raises:
        ActionError: it is no JSON object with a name and arguments.
    """
    parsed = exact.parse(text)
    value, style = parsed if parsed is not None else (_load(text), None)
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise ActionError('expected a JSON object {"name": ..., "arguments": {...}}')
    arguments, inner = value.get("arguments"), None
    if isinstance(arguments, str):
        sent = arguments
        nested = exact.parse(sent)
        arguments, inner = nested if nested is not None else (_load(sent), None)
        style = style if inner is not None else None
    if not isinstance(arguments, dict):
        raise ActionError('expected a field "arguments" that holds an object, or its JSON text')
    fields = {key: None if key == "arguments" else one for key, one in value.items()}
    if style is None:
        return ToolCall(name=value["name"], arguments=arguments, raw=text)
    return ToolCall(
        name=value["name"], arguments=arguments, inner=inner, fields=fields, style=style
    )


def _load(text: str) -> Any:
    try:
        value = jsonl.loads(text)
    except (ValueError, RecursionError):
        raise ActionError("expected JSON") from None
    if not exact.keepable(value):
        raise ActionError("the JSON is nested too deeply, or a number is too large")
    return value


def render_call(call: ToolCall) -> str:
    """The text again; a call of our own as plain JSON."""
    if call.raw is not None:
        return call.raw
    if call.style is None:
        return json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
    sent: Any = call.arguments if call.inner is None else call.inner.render(call.arguments)
    return call.style.render(
        {key: sent if key == "arguments" else one for key, one in call.fields.items()}
    )


# deeds


class Read(msgspec.Struct, frozen=True):
    """A file is read: whole, or `count` lines from `first`."""

    path: str
    first: int | None = None
    count: int | None = None

    @property
    def whole(self) -> bool:
        """Whether no part was asked for."""
        return self.first is None and self.count is None


class Write(msgspec.Struct, frozen=True):
    """A file is written anew."""

    path: str
    content: str


class Edit(msgspec.Struct, frozen=True):
    """Texts in a file are replaced: (old, new) pairs; `all`: wherever they stand."""

    path: str
    swaps: tuple[tuple[str, str], ...]
    all: bool = False


class Inspect(msgspec.Struct, frozen=True):
    """Something is looked at that we do not follow; nothing changes."""


class Anything(msgspec.Struct, frozen=True):
    """Something is done that we do not follow."""


Operation = Read | Write | Edit | Inspect | Anything


class Names(msgspec.Struct, frozen=True, kw_only=True):
    """How a dialect calls its file tools and their arguments."""

    read: str
    write: str
    edit: tuple[str, ...]
    path: tuple[str, ...]
    old: str
    new: str
    all: str
    inspects: frozenset[str]
    optional: frozenset[str] = frozenset()
    """Arguments that change nothing, as a description."""


def operation(names: Names, call: Call) -> Operation:
    """What a call of a tool other than the shell comes to."""
    given = {key: one for key, one in call.arguments.items() if key not in names.optional}
    path = next((given.pop(key) for key in names.path if isinstance(given.get(key), str)), None)
    if call.name in names.inspects:
        return Inspect()
    if path is None:
        return Inspect() if call.name == names.read else Anything()
    if call.name == names.read:
        return _read(path, given)
    if call.name == names.write and isinstance(given.get("content"), str):
        return Write(path, given["content"])
    if call.name in names.edit:
        return _edit(names, path, given)
    return Anything()


def _read(path: str, given: Mapping[str, Any]) -> Operation:
    first, count = given.get("offset"), given.get("limit")
    numbers = all(one is None or type(one) is int for one in (first, count))
    return Read(path, first, count) if numbers and set(given) <= {"offset", "limit"} else Inspect()


def _edit(names: Names, path: str, given: Mapping[str, Any]) -> Operation:
    """An edit; one that we cannot read still touches its file and no other."""
    several = given.get("edits")
    parts = several if isinstance(several, list) else [given]
    swaps: list[tuple[str, str]] = []
    for part in parts:
        old = part.get(names.old) if isinstance(part, dict) else None
        new = part.get(names.new) if isinstance(part, dict) else None
        if not isinstance(old, str) or not isinstance(new, str):
            return Edit(path, ())
        swaps.append((old, new))
    known = {names.old, names.new, names.all, "mode"} if several is None else {"edits"}
    plain = set(given) <= known and given.get("mode", "replace") == "replace"
    return Edit(path, tuple(swaps) if plain else (), given.get(names.all) is True)
