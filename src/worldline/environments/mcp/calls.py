"""One call, from the agent's text to what the server, or the harness, answers."""

from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError

from worldline.domains.mcp.actions import CallError
from worldline.domains.mcp.protocol import harness_text
from worldline.environments.base import Observed
from worldline.environments.mcp.connection import Connection
from worldline.environments.mcp.pipes import TOO_LONG
from worldline.environments.mcp.results import blocks, error_text, finite, observation


class Target(NamedTuple):
    """The server that a call goes to, and what the tool is called there."""

    connection: Connection
    tool: str


async def carry_out(
    target: Target, arguments: dict[str, Any], limit_s: float, dialect: str
) -> Observed:
    """Call a tool of a server that is believed to be alive. Never raises for what it answers."""
    connection = target.connection
    try:
        result = await connection.call(target.tool, arguments, limit_s)
    except MCPError as error:
        return await _refused(connection, error)
    told = observation(result, dialect)
    kept = blocks(result)
    return Observed(observation=told, info={} if kept is None else {"blocks": finite(kept)})


def unreadable(error: CallError, tools: tuple[dict[str, Any], ...], dialect: str) -> Observed:
    """What the harness says to an action that is no call, or names no server's tool."""
    return Observed(observation=harness_text(error, tools, dialect))


async def _refused(connection: Connection, error: MCPError) -> Observed:
    if error.code == types.REQUEST_TIMEOUT:
        return await _timed_out(connection)
    if error.code == types.CONNECTION_CLOSED:
        words = await connection.last_words()
        if connection.reach.url is not None:
            words = f", or sent a message of more than {connection.reach.ceiling} bytes"
        return _lost(f"the server {connection.name!r} has gone{words}")
    if error.code == TOO_LONG:
        return _lost(f"the server {connection.name!r} sent {error.message}")
    info = {} if error.data is None else {"error": finite({"code": error.code, "data": error.data})}
    return Observed(observation=error_text(error.code, error.message), info=info)


async def _timed_out(connection: Connection) -> Observed:
    """The SDK has told the server that the call is cancelled; if it still hangs, it is replaced."""
    recovered = "cancelled"
    if not await connection.answers():
        await connection.reopen()
        recovered = "restarted"
    return Observed(
        observation=error_text(types.REQUEST_TIMEOUT, "Request timed out"),
        status="timeout",
        info={"recovered": recovered},
    )


def _lost(reason: str) -> Observed:
    return Observed(observation=None, status="capture_failed", reason=reason)
