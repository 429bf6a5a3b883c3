"""What a tool call returned, as a tree that renders back exactly.

A `Body` is one of four things: text with no structure we rely on (`Plain`), JSON printed in a known
way (`Json`), an MCP tool result with its content blocks (`ToolResult`), or such a text that a
recorder cut in the middle of a string (`Cut`). They nest: a result's text block may hold JSON, or
another result that a gateway passed on.
"""

import json
import re
from typing import Any, Literal

import msgspec

from worldline.domains.mcp import exact
from worldline.domains.mcp.dialects import pyrepr

MAX_NESTING = 4
LONGEST_ESCAPE = len(r"\U0001F600")
TAKEN = ""
"""Stands in a block's fields where its text was; the text is the block's `body`."""


class Plain(msgspec.Struct, frozen=True, tag="text"):
    """Text."""

    text: str


class Json(msgspec.Struct, frozen=True, tag="json"):
    """A JSON object or array and how it was printed."""

    value: Any
    style: exact.Style


class Cut(msgspec.Struct, frozen=True, tag="cut"):
    """A string literal that never ends: `head` opens it, `tail` is what was left of an escape.

    `quote` is Python's quote, or ``json`` / ``json-ascii`` for a JSON string.
    """

    head: str
    body: "Body"
    quote: Literal["'", '"', "json", "json-ascii"]
    tail: str = ""


class Block(msgspec.Struct, frozen=True):
    """One content block: its fields as they came, its text taken out and parsed."""

    fields: dict[str, Any]
    body: "Body | None" = None

    @property
    def type(self) -> str:
        """``text``, ``image``, ``audio``, ``resource``, ``resource_link``, or the server's own."""
        return str(self.fields.get("type", ""))


class ToolResult(msgspec.Struct, frozen=True, tag="result"):
    """An MCP ``CallToolResult``: `fields` in order, ``content`` taken out as `blocks`.

    `style` is how its JSON was printed; `None` for Python's ``str(CallToolResult)``.
    """

    fields: dict[str, Any]
    blocks: tuple[Block, ...]
    style: exact.Style | None = None


Body = Plain | Json | Cut | ToolResult


class Observation(msgspec.Struct, frozen=True):
    """The parse of an observation in either dialect."""

    body: Body


_REPR_START = re.compile(r"(?:meta=None )?content=\[")
_REPR_HEAD = re.compile(r"(?:meta=None )?content=\[TextContent\(type='text', text=(['\"])")
_JSON_HEAD = re.compile(
    r'\{\s{0,9}(?:"_meta":\s?null,\s{0,9})?"content":\s?\[\s{0,9}\{\s{0,9}"type":\s?"text",'
    r'\s{0,9}"text":\s?"'
)
_RESULT_KEYS = frozenset(
    {"_meta", "meta", "content", "isError", "is_error", "structuredContent", "structured_content"}
)
_JSON_RUN = re.compile(r'[^"\\\x00-\x1f]+')
_JSON_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')


def parse_json_form(text: str) -> Observation:
    """An observation of the ``json`` dialect: JSON that renders back exactly, else text."""
    found = exact.parse(text)
    return Observation(Plain(text) if found is None else Json(*found))


def parse_result_form(text: str) -> Observation:
    """An observation of the ``call-tool-result`` dialect; other text stays what it is."""
    return Observation(_body(text, MAX_NESTING))


def render(observation: Observation) -> str:
    """The text an observation was parsed from, exactly."""
    return render_body(observation.body)


def render_body(body: Body) -> str:
    """The text of a body, exactly."""
    match body:
        case Plain():
            return body.text
        case Json():
            return body.style.render(body.value)
        case Cut():
            inner = render_body(body.body)
            if body.quote in ("'", '"'):
                return body.head + pyrepr.encode(inner, body.quote) + body.tail
            shown = json.dumps(inner, ensure_ascii=body.quote == "json-ascii")
            return body.head + shown[1:-1] + body.tail
        case ToolResult():
            content = [_put(block) for block in body.blocks]
            fields = {key: content if key == "content" else v for key, v in body.fields.items()}
            return pyrepr.render_fields(fields) if body.style is None else body.style.render(fields)


def _body(text: str, depth: int) -> Body:
    if depth and _REPR_START.match(text):
        found = _repr_result(text, depth) or _cut_repr(text, depth)
        if found is not None and render_body(found) == text:
            return found
    parsed = exact.parse(text)
    if parsed is not None:
        value, style = parsed
        if depth and _is_result(value):
            return ToolResult(_without_content(value), _blocks(value["content"], depth), style)
        return Json(value, style)
    cut = _cut_json(text, depth) if depth else None
    return cut if cut is not None and render_body(cut) == text else Plain(text)


def _is_result(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("content"), list)
        and value.keys() <= _RESULT_KEYS
        and all(isinstance(b, dict) and isinstance(b.get("type"), str) for b in value["content"])
    )


def _repr_result(text: str, depth: int) -> ToolResult | None:
    try:
        fields = pyrepr.parse_fields(text)
    except ValueError:
        return None
    if not _is_result(fields) or not exact.keepable(fields):
        return None
    return ToolResult(_without_content(fields), _blocks(fields["content"], depth))


def _without_content(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: [] if key == "content" else value for key, value in fields.items()}


def _blocks(content: list[dict[str, Any]], depth: int) -> tuple[Block, ...]:
    return tuple(_take(block, depth - 1) for block in content)


def _take(block: dict[str, Any], depth: int) -> Block:
    if isinstance(block.get("text"), str):
        return Block({**block, "text": TAKEN}, _body(block["text"], depth))
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        return Block({**block, "resource": {**resource, "text": TAKEN}}, Plain(resource["text"]))
    return Block(block)


def _put(block: Block) -> dict[str, Any]:
    if block.body is None:
        return block.fields
    text = render_body(block.body)
    if "text" in block.fields:
        return {**block.fields, "text": text}
    return {**block.fields, "resource": {**block.fields["resource"], "text": text}}


def _cut_repr(text: str, depth: int) -> Cut | None:
    head = _REPR_HEAD.match(text)
    if head is None:
        return None
    quote: Literal["'", '"'] = "'" if head[1] == "'" else '"'
    inner, end = pyrepr.decode(text, head.end(), quote)
    if len(text) - end > LONGEST_ESCAPE:
        return None
    return Cut(head[0], _body(inner, depth - 1), quote, text[end:])


def _cut_json(text: str, depth: int) -> Cut | None:
    head = _JSON_HEAD.match(text)
    if head is None:
        return None
    at = head.end()
    while True:
        run = _JSON_RUN.match(text, at) or _JSON_ESCAPE.match(text, at)
        if run is None:
            break
        at = run.end()
    if len(text) - at > LONGEST_ESCAPE:
        return None
    inner = json.loads(f'"{text[head.end() : at]}"')
    quote: Literal["json", "json-ascii"] = "json-ascii" if text.isascii() else "json"
    return Cut(head[0], _body(inner, depth - 1), quote, text[at:])
