"""A tool call as text: ``{"name": ..., "arguments": {...}}``.

Clients send the arguments as an object or as JSON text of that object; both are the same call, and
what was sent is kept. Nothing else is guessed into an object: a broken text, a string in a string
or an array is rejected, never replaced by ``{}``. Only absent or ``null`` arguments mean ``{}``,
and whether *that* will do, the tool's schema says.
"""

import json
from functools import lru_cache
from typing import Any, Literal

import msgspec

from worldline import jsonl
from worldline.domains.base import ActionError
from worldline.domains.mcp import exact

Form = Literal["object", "string", "null", "absent"]


class CallError(ActionError):
    """The text is no tool call.

    `name` is the tool, when at least that was readable; `code` the JSON-RPC error code.
    """

    def __init__(self, message: str, code: int, name: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.name = name


class Call(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tool call. Two calls are the same when `name` and `arguments` are (see `key`)."""

    name: str
    arguments: dict[str, Any]
    form: Form = "object"
    """How the arguments were sent."""
    sent: str | None = None
    """The arguments as they were sent, when that was a string."""
    fields: dict[str, Any] = {}
    """The call as it came, its arguments taken out."""
    style: exact.Style | None = None
    raw: str | None = None
    """The whole text, when no style prints it again."""

    @property
    def key(self) -> str:
        """Equal for equal calls, however they were printed."""
        return call_key(self.name, self.arguments)


def call_key(name: str, arguments: Any) -> str:
    """Canonical text of a call, equal for equal calls."""
    return f"{name}{jsonl.dumps(arguments, sort_keys=True).decode('utf-8', 'surrogatepass')}"


def call_text(name: str, arguments: dict[str, Any]) -> str:
    """A call as the action text of both dialects."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def spelled_out(line: str) -> str:
    """The call a person means by ``NAME`` or ``NAME {...}``; any other line is unchanged.

    What follows the name is passed on as it is: text that is not JSON becomes broken arguments,
    which the protocol rejects, and never an empty object.
    """
    name, _, rest = line.strip().partition(" ")
    if not name or name[0] in '{[`"':
        return line
    sent = rest.strip() or "{}"
    try:
        jsonl.loads(sent)
    except (ValueError, RecursionError):
        sent = json.dumps(sent, ensure_ascii=False)
    return f'{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": {sent}}}'


@lru_cache(maxsize=64)
def parse_call(text: str) -> Call:
    """The call in `text`, which may stand in a Markdown code fence.

    The last ones are kept: every rule and measure asks for the call it is about.

    Raises:
        CallError: not JSON, no tool name, or arguments that are not an object.
    """
    before, body, after = _unfence(text)
    parsed = exact.parse(body)
    value, style = parsed if parsed is not None else (_load(body), None)
    if not isinstance(value, dict):
        raise CallError(f"expected an object, got {kind(value)}", -32600)
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise CallError(f"name: expected the tool's name, got {kind(name)}", -32600)
    arguments, form, sent = _arguments(name, value)
    if style is not None:
        style = msgspec.structs.replace(
            style, before=before + style.before, after=style.after + after
        )
    return Call(
        name=name,
        arguments=arguments,
        form=form,
        sent=sent,
        fields={k: None if k == "arguments" else v for k, v in value.items()} if style else {},
        style=style,
        raw=None if style is not None else text,
    )


def render_call(call: Call) -> str:
    """The text a call was parsed from, exactly; a call of our own as plain JSON."""
    if call.raw is not None:
        return call.raw
    if call.style is None:
        return call_text(call.name, call.arguments)
    sent = {"object": call.arguments, "string": call.sent}.get(call.form)
    return call.style.render({k: sent if k == "arguments" else v for k, v in call.fields.items()})


def kind(value: Any) -> str:
    """What JSON calls the type of a value."""
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")


def _arguments(name: str, fields: dict[str, Any]) -> tuple[dict[str, Any], Form, str | None]:
    if "arguments" not in fields:
        return {}, "absent", None
    value = fields["arguments"]
    if isinstance(value, dict):
        return value, "object", None
    if value is None:
        return {}, "null", None
    if not isinstance(value, str):
        raise CallError(f"arguments: expected an object, got {kind(value)}", -32602, name)
    try:
        inner = jsonl.loads(value)
    except (ValueError, RecursionError):
        raise CallError("arguments: the text is not JSON", -32602, name) from None
    if not isinstance(inner, dict) or not exact.keepable(inner):
        found = kind(inner) if not isinstance(inner, dict) else "one that is too deep"
        raise CallError(f"arguments: expected an object, the text holds {found}", -32602, name)
    return inner, "string", value


def _load(body: str) -> Any:
    try:
        value = jsonl.loads(body)
    except (ValueError, RecursionError):
        raise CallError("the action is not JSON", -32700) from None
    if not exact.keepable(value):
        raise CallError("the action is nested too deeply, or a number is too large", -32700)
    return value


def _unfence(text: str) -> tuple[str, str, str]:
    """What stands before, in and after a Markdown fence that holds the whole text."""
    body = text.strip()
    first = body.find("\n")
    if not body.startswith("```") or not body.endswith("```") or not 0 < first < len(body) - 3:
        return "", text, ""
    start = text.index("```") + first + 1
    end = text.rindex("```")
    return text[:start], text[start:end], text[end:]
