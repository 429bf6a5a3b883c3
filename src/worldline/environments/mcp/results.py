"""Tool results as observations of the two dialects, and as what a recording keeps beside them.

Text is shown in full, also that of embedded resources; of binary data the size, of links the URI.
What the text does not hold is kept in a turn's ``info["blocks"]``, from which `result_of` makes the
result again.
"""

import json
from typing import Any

from worldline import jsonl
from worldline.domains.mcp.memo import RESULT_FORM
from worldline.domains.mcp.observations import (
    TAKEN,
    Block,
    Body,
    Plain,
    ToolResult,
    parse_json_form,
    render_body,
)
from worldline.domains.mcp.protocol import repr_result
from worldline.domains.mcp.reading import is_error, structured_of, text_of

STRUCTURED = "structuredContent"
_CLASSES = {
    "text": "TextContent",
    "image": "ImageContent",
    "audio": "AudioContent",
    "resource": "EmbeddedResource",
    "resource_link": "ResourceLink",
}


def observation(result: dict[str, Any], dialect: str) -> str:
    """The text of a result in the dialect ``json`` or ``call-tool-result``."""
    return _wrapped(result) if dialect == RESULT_FORM else _bare(result)


def error_text(code: int, message: str) -> str:
    """A JSON-RPC error as clients print it, in both dialects."""
    start = f"MCP error {code}: "
    return message if message.startswith(start) else start + message


def blocks(result: dict[str, Any]) -> list[dict[str, Any]] | None:
    """All of a result that its text does not hold: its blocks in order, structured content last.

    `None` for one text block, which the observation is.
    """
    content = _content(result)
    more = {k: v for k, v in result.items() if k not in ("content", "isError", STRUCTURED)}
    plain = len(content) == 1 and content[0].keys() == {"type", "text"}
    if plain and not more and (STRUCTURED not in result or _said(result)):
        return None
    kept = list(content)
    if STRUCTURED in result:
        kept.append({"type": STRUCTURED, STRUCTURED: result[STRUCTURED]})
    if more:
        kept.append({"type": "fields", **more})
    return kept


def result_of(blocks: list[dict[str, Any]], *, failed: bool = False) -> dict[str, Any]:
    """The result that `blocks` were kept of."""
    result: dict[str, Any] = {"content": []}
    for block in blocks:
        if block.get("type") == STRUCTURED and STRUCTURED in block:
            result[STRUCTURED] = block[STRUCTURED]
        elif block.get("type") == "fields":
            result.update({k: v for k, v in block.items() if k != "type"})
        else:
            result["content"].append(block)
    if failed:
        result["isError"] = True
    return result


def finite(value: Any) -> Any:
    """JSON that can be kept: NaN and Infinity, which some servers print, become their names."""
    try:
        jsonl.dumps(value)
    except ValueError:
        return json.loads(json.dumps(value), parse_constant=str)
    return value


def _content(result: dict[str, Any]) -> list[dict[str, Any]]:
    content = result.get("content")
    return [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []


def _bare(result: dict[str, Any]) -> str:
    text = text_of(_body(result))
    if result.get("isError") is True and not is_error(Plain(text)):
        return f"Error: {text}"
    return text


def _body(result: dict[str, Any]) -> ToolResult:
    fields: dict[str, Any] = {"content": []}
    if STRUCTURED in result:
        fields[STRUCTURED] = result[STRUCTURED]
    return ToolResult(fields, tuple(_block(b, STRUCTURED in result) for b in _content(result)))


def _block(block: dict[str, Any], compared: bool) -> Block:
    if isinstance(block.get("text"), str):
        text = block["text"]
        body: Body = parse_json_form(text).body if compared else Plain(text)
        return Block({"type": "text", "text": TAKEN}, body)
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        return Block({**block, "resource": {**resource, "text": TAKEN}}, Plain(resource["text"]))
    return Block(block)


def _said(result: dict[str, Any]) -> bool:
    """Whether the structured content only says what the text says."""
    body = _body(result)
    alone = ToolResult({"content": []}, body.blocks)
    return structured_of(body) is None or text_of(body) == text_of(alone)


def _wrapped(result: dict[str, Any]) -> str:
    """As Python prints a ``CallToolResult``; binary data as its size."""
    shape = repr_result("", is_error=result.get("isError") is True)
    fields = dict(shape.fields)
    flag = fields.pop("isError")
    if STRUCTURED in result and not _said(result):
        fields[STRUCTURED] = result[STRUCTURED]
    fields["isError"] = flag
    return render_body(ToolResult(fields, tuple(map(_printed, _content(result)))))


def _printed(block: dict[str, Any]) -> Block:
    kind = str(block.get("type", ""))
    named: dict[str, Any] = {"$class": _CLASSES.get(kind, "Content"), "type": kind}
    rest = {k: _sized(v) for k, v in block.items() if k not in ("type", "annotations", "_meta")}
    if isinstance(rest.get("resource"), dict):
        held = rest["resource"]
        name = "TextResourceContents" if "text" in held else "BlobResourceContents"
        rest["resource"] = {"$class": name, **{k: _sized(v, k) for k, v in held.items()}}
    for key in ("data", "blob"):
        if key in rest:
            rest[key] = _sized(rest[key], key)
    return Block({**named, **rest, "annotations": block.get("annotations")})


def _sized(value: Any, key: str = "") -> Any:
    if key not in ("data", "blob") or not isinstance(value, str):
        return value
    return f"[{len(value) * 3 // 4 - value[-2:].count('=')} bytes]"
