"""What the protocol itself answers: unknown tools, and arguments that break a tool's schema.

Two forms, as in MCP: an unknown tool or a call that cannot be read is a JSON-RPC error, which
clients print as ``MCP error -32602: ...``; arguments that do not fit are a tool result with
``isError``, naming the field. The text is our own unless the session has shown how this server
words it: then it is the server's. Without a tool list there is no verdict.

Behind a gateway the tools belong to other servers, each with its own way of checking; there a
breach is answered only once that server has shown how it words one.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from worldline.domains.base import Known, Ledger
from worldline.domains.common import clip
from worldline.domains.mcp import refusals
from worldline.domains.mcp.actions import Call, CallError, parse_call
from worldline.domains.mcp.coercion import convertible
from worldline.domains.mcp.exact import Style
from worldline.domains.mcp.memo import RESULT_FORM, Memo, Wording, memo_of
from worldline.domains.mcp.observations import (
    TAKEN,
    Block,
    Body,
    Plain,
    ToolResult,
    render_body,
)
from worldline.domains.mcp.reading import is_error, leaf, with_leaf
from worldline.domains.mcp.schema import Verdict, check, sole_breach
from worldline.domains.mcp.tools import Target, Tool, toolbox

MAX_MESSAGE = 600
MAX_AROUND = 80
"""A wording may add this much around the message, so that a chance match teaches nothing."""


def reject(ledger: Ledger, action: str) -> Known | None:
    """The protocol's answer to an action it rejects, or `None` when the call goes through.

    `None` as well where only the server knows how it says so: in a recorded session it is its own
    wording that counts, once it has been shown.
    """
    memo = memo_of(ledger)
    if not ledger.tools:
        return None
    try:
        call = parse_call(action)
    except CallError as error:
        return _unreadable(ledger, memo, error)
    tool = memo.box.offered.get(call.name)
    if tool is None:
        shown = refusals.known(memo, memo.box.target(call))
        return _known(shown, "unknown_tool") if shown else _unknown_tool(memo, call.name)
    breach = _verdict(_Asked(tool, call))
    if breach.message is not None:
        direct = Target(call.name, call.arguments, None, tool)
        shown = refusals.known(memo, direct)
        if shown is not None:
            return _known(shown, "arguments")
        worded = memo.wordings.get(direct.speaker)
        if worded is not None:
            return _worded(worded, breach.message)
        if memo.recorded:
            return None
        problem = f"{breach.field or 'arguments'}: {clip(breach.message, MAX_MESSAGE)}"
        return _bad_arguments(ledger, memo, call.name, problem)
    return _behind_gateway(memo, memo.box.target(call))


def refuses(ledger: Ledger, action: str) -> bool:
    """Whether the protocol rejects an action, however that is worded."""
    memo = memo_of(ledger)
    if not ledger.tools:
        return False
    try:
        call = parse_call(action)
    except CallError:
        return True
    tool = memo.box.offered.get(call.name)
    if tool is None:
        return not memo.box.odd
    if _verdict(_Asked(tool, call)).message is not None:
        return True
    return _behind_gateway(memo, memo.box.target(call)) is not None


class _Asked:
    """A call of a tool as a cache key: both are the very same objects."""

    def __init__(self, tool: Tool, call: Call) -> None:
        self.tool = tool
        self.call = call

    def __hash__(self) -> int:
        return hash((id(self.tool), id(self.call)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.tool is other.tool and self.call is other.call


@lru_cache(maxsize=16)
def _verdict(asked: _Asked) -> Verdict:
    """What a tool's schema says of a call; the last ones are kept for rules that ask again."""
    return check(asked.tool.input_schema, asked.call.arguments)


def lacking(ledger: Ledger, action: str) -> str | None:
    """Why a call must fail however its server says so: no such tool, or no such argument given.

    A server may convert what it is given, or let it pass; it cannot make up what is required.
    """
    memo = memo_of(ledger)
    try:
        call = parse_call(action)
    except CallError:
        return None
    tool = memo.box.offered.get(call.name)
    if tool is None:
        known = ledger.tools and not memo.box.odd and call.name not in memo.box.gateways
        return f"there is no tool {clip(call.name, 200)!r}" if known else None
    if _verdict(_Asked(tool, call)).message is None:
        return None
    breach = sole_breach(tool.input_schema, call.arguments)
    if breach is None or breach.rule != "required":
        return None
    return f"{breach.field} is required"


def lenient(ledger: Ledger, action: str) -> bool:
    """Whether a server that converts or ignores what does not fit may take this rejected call."""
    try:
        call = parse_call(action)
    except CallError:
        return False
    memo = memo_of(ledger)
    tool = memo.box.offered.get(call.name) or memo.box.target(call).tool
    arguments = call.arguments if call.name in memo.box.offered else memo.box.target(call).arguments
    return tool is not None and convertible(tool.input_schema, arguments)


def harness_text(error: CallError, tools: Sequence[Any], dialect: str) -> str:
    """What an agent is told when its action cannot be sent to any server."""
    memo = Memo(box=toolbox(tools))
    ledger = Ledger(dialect=dialect, tools=tuple(tools))
    answer = _unreadable(ledger, memo, error)
    return str(error) if answer is None else answer.observation


def learn(memo: Memo, target: Target, body: Body) -> Memo:
    """Remember how a server words a breach of a schema, when this result shows it."""
    tool = target.tool
    end = leaf(body)
    if not isinstance(end, Plain) or not is_error(body):
        return memo
    memo = refusals.learn(memo, target, body)
    if tool is None:
        return memo
    server = target.speaker
    if server in memo.wordings:
        return memo
    breach = check(tool.input_schema, target.arguments)
    if breach.message is None or breach.message not in end.text:
        return memo
    before, _, after = end.text.partition(breach.message)
    around = f"{before}{after}"
    if len(around) > MAX_AROUND or any(
        name and name in around for name in (tool.name, breach.field)
    ):
        return memo  # said of this tool or field; of another the words would be others
    worded = Wording(body, before, after)
    return msgspec.structs.replace(memo, wordings={**memo.wordings, server: worded})


def _behind_gateway(memo: Memo, target: Target) -> Known | None:
    worded = memo.wordings.get(target.speaker)
    if target.server is None or target.tool is None or worded is None:
        return None
    breach = check(target.tool.input_schema, target.arguments)
    return None if breach.message is None else _worded(worded, breach.message)


def _worded(worded: Wording, message: str) -> Known | None:
    body = with_leaf(worded.body, f"{worded.before}{message}{worded.after}")
    return None if body is None else _known(render_body(body), "arguments")


def _unknown_tool(memo: Memo, name: str, *, ours: bool = False) -> Known | None:
    """In our own words, which are a recorded session's only where the harness said them."""
    if memo.box.odd or (memo.recorded and not ours):
        return None  # it may be one of the entries that could not be read
    return _known(f"MCP error -32602: Unknown tool: {clip(name, 200)}", "unknown_tool")


def _unreadable(ledger: Ledger, memo: Memo, error: CallError) -> Known | None:
    if error.name is None:
        title = "Parse error" if error.code == -32700 else "Invalid request"
        return _known(f"MCP error {error.code}: {title}: {error}", "unreadable")
    if error.name not in memo.box.offered:
        return _unknown_tool(memo, error.name, ours=True)
    return _bad_arguments(ledger, memo, error.name, str(error))


def _bad_arguments(ledger: Ledger, memo: Memo, name: str, problem: str) -> Known:
    text = f"Error: Invalid arguments for tool {name}: {problem}"
    if ledger.dialect == RESULT_FORM:
        text = render_body(error_result(memo.sample, text))
    return _known(text, "arguments")


def error_result(sample: Body | None, text: str) -> ToolResult:
    """A failed tool result that says `text`, printed as the results of this session are."""
    if isinstance(sample, ToolResult) and sample.style is not None:
        style = msgspec.structs.replace(sample.style, ascii=text.isascii())
        block = Block({"type": "text", "text": TAKEN}, Plain(text))
        return ToolResult({"content": [], "isError": True}, (block,), style)
    return repr_result(text, is_error=True)


def repr_result(text: str, *, is_error: bool = False) -> ToolResult:
    """A tool result of one text block, in the form Python prints a ``CallToolResult``."""
    fields = {"$class": "TextContent", "type": "text", "text": TAKEN, "annotations": None}
    return ToolResult(
        {"meta": None, "content": [], "isError": is_error}, (Block(fields, Plain(text)),)
    )


def json_result(text: str, *, is_error: bool = False) -> ToolResult:
    """A tool result of one text block, as compact JSON of the wire."""
    block = Block({"type": "text", "text": TAKEN}, Plain(text))
    return ToolResult({"content": [], "isError": is_error}, (block,), Style(None, ",", ":", False))


def _known(observation: str, rule: str) -> Known:
    return Known(observation=observation, rule=f"mcp.{rule}", origin="protocol")
