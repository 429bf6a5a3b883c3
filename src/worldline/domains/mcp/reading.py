"""What a parsed result says: its text, its structured content, whether the call failed.

Failure has several faces: ``isError`` at any level of a nested result, a text that starts as error
texts do, an object with an ``error`` member. `lasting` tells a failure that the same call would
meet again (the arguments are wrong) from one that may pass (a timeout, a busy server).
"""

import json
import re
from typing import Any

import msgspec

from worldline.domains.mcp.observations import (
    Block,
    Body,
    Cut,
    Json,
    Plain,
    ToolResult,
    render_body,
)

_FAILS = re.compile(
    r"\s{0,9}(?:error\b|err:|\[error\]|input validation error|output validation error|unknown tool"
    r"|mcp error|tool call timed out|traceback \(most recent|failed to\b|invalid\b"
    r"|validation error|exception\b|\d{1,3} validation errors? for)",
    re.IGNORECASE,
)
_PASSING = re.compile(
    r"time[d]?[ -]?out|temporar|rate.?limit|too many|try again|retry|network|connection|connect to"
    r"|econn|socket|dns|unreachable|service unavailable|internal (?:server )?error|busy|locked"
    r"|deadlock|quota|throttl|overload|maintenance|\b(?:408|429|50[0-4])\b|expired|cancel",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"not found|does(?: not|n't) exist|no such|invalid|required|missing|must\b|cannot|can't"
    r"|not enough|insufficient|not available|does not add up|already exists|unknown|not valid"
    r"|validation|not of type|is not\b|unexpected|not allowed|unsupported|not supported|mismatch"
    r"|out of range|too (?:long|short|large|small)",
    re.IGNORECASE,
)


def text_of(body: Body) -> str:
    """What an agent reads: block texts one below the other, a note for what is not text."""
    match body:
        case Cut():
            return text_of(body.body)
        case ToolResult():
            parts = [_block_text(block) for block in body.blocks]
            structured = structured_of(body)
            if structured is not None and not _repeated(body, structured):
                parts.append(json.dumps(structured, ensure_ascii=False))
            return "\n".join(parts)
        case _:
            return render_body(body)


def leaf(body: Body) -> Body:
    """The innermost body when each level holds just one text; else the body itself."""
    while isinstance(body, ToolResult | Cut):
        inner = body.body if isinstance(body, Cut) else _only_text(body)
        if inner is None:
            return body
        body = inner
    return body


def with_leaf(body: Body, text: str) -> Body | None:
    """A body of the same form that says `text` instead; `None` when the form does not allow it."""
    match body:
        case Plain():
            return Plain(text)
        case ToolResult() if structured_of(body) is None:
            inner = _only_text(body)
            changed = None if inner is None else with_leaf(inner, text)
            if changed is None:
                return None
            block = msgspec.structs.replace(body.blocks[0], body=changed)
            return msgspec.structs.replace(body, blocks=(block,))
        case Json():
            return Plain(text)
        case _:
            return None


def structured_of(body: Body) -> Any:
    """A result's structured content, if it has any."""
    if not isinstance(body, ToolResult):
        return None
    return body.fields.get("structuredContent", body.fields.get("structured_content"))


def is_error(body: Body) -> bool:
    """Whether the call failed, as far as the result shows it."""
    match body:
        case ToolResult():
            flag = body.fields.get("isError", body.fields.get("is_error"))
            inner = [block.body for block in body.blocks if block.body is not None]
            return flag is True or (len(inner) == 1 and is_error(inner[0]))
        case Json():
            return isinstance(body.value, dict) and _says_error(body.value)
        case Cut():
            return is_error(body.body)
        case _:
            return _FAILS.match(body.text[:200]) is not None


def lasting(body: Body) -> bool:
    """Whether the call failed for a reason that lies in the call and not in the moment."""
    text = text_of(body)[:2000]
    return is_error(body) and _PASSING.search(text) is None and _LASTING.search(text) is not None


def _says_error(value: dict[str, Any]) -> bool:
    return bool(
        value.get("error")
        or value.get("status") in ("error", "failed", "failure")
        or value.get("success") is False
        or value.get("isError") is True
    )


def _only_text(result: ToolResult) -> Body | None:
    if len(result.blocks) == 1 and result.blocks[0].type == "text":
        return result.blocks[0].body
    return None


def _repeated(result: ToolResult, structured: Any) -> bool:
    """Whether the structured content says only what the text blocks say already.

    Servers wrap a text, or a list of which each item became a block, in an object of one member.
    """
    bodies = [block.body for block in result.blocks]
    if any(isinstance(body, Json) and body.value == structured for body in bodies):
        return True
    if not isinstance(structured, dict) or len(structured) != 1:
        return False
    (inner,) = structured.values()
    if any(_says(body, inner) for body in bodies):
        return True
    return isinstance(inner, list) and len(inner) == len(bodies) and all(map(_says, bodies, inner))


def _says(body: Body | None, value: Any) -> bool:
    """Whether a block's text is this value: as it is, or printed as JSON."""
    if isinstance(body, Json):
        return value in (body.value, render_body(body))
    if not isinstance(body, Plain):
        return False
    if isinstance(value, str):
        return body.text == value
    return isinstance(value, bool | int | float) and body.text == json.dumps(value)


def _block_text(block: Block) -> str:
    if "text" in block.fields and block.body is not None:
        return text_of(block.body)
    where = block.fields.get("resource")
    about = where if isinstance(where, dict) else block.fields
    words = [str(about[k]) for k in ("name", "uri", "mimeType") if isinstance(about.get(k), str)]
    data = about.get("data", about.get("blob"))
    if isinstance(data, str):
        words.append(f"{len(data) * 3 // 4 - data[-2:].count('=')} bytes")
    note = f"[{' '.join([block.type, *words])}]"
    return note if block.body is None else f"{note}\n{text_of(block.body)}"
