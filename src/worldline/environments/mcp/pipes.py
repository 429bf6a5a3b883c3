"""A server's pipes as the SDK's message streams, with a short way for calls.

The SDK's own stdio transport logs a traceback for every line that is no message, and has no bound
on a line's length. Here such lines are noise, counted; a line beyond the ceiling fails the request
that waits and is skipped. Calls, which are many, do not pass the SDK's layers: `ask` writes the
request and hands over the raw result. Everything runs on the event loop of the caller.
"""

import asyncio
import json
import math
import subprocess
from contextlib import suppress
from typing import Any, Self

import anyio
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)

from worldline.environments.mcp.noise import Noise

TOO_LONG = -32099
"""Code of the error that a message beyond the ceiling becomes (of the implementation's range)."""
LAST_WORDS = 4_000
FIRST_ID = 1 << 30
"""Of the requests that do not pass the SDK, whose ids count from 1."""
LIST_CHANGED = "notifications/tools/list_changed"
_START = b'{"jsonrpc"'


class Pipes:
    """The transport of one process: `read` and `write` are what a session needs.

    Args:
        process: started with pipes for stdin, stdout and stderr.
        ceiling: bytes that one message may have.
    """

    def __init__(self, process: subprocess.Popen[bytes], ceiling: int) -> None:
        self.process, self.ceiling = process, ceiling
        self.noise = Noise()
        self.stuck = False
        """A message beyond the ceiling has not ended yet."""
        self.changed = False
        """The server has said that its tool list is another one now."""
        self._words = b""
        self._ended = False
        self._asked: int | str | None = None
        self._next = FIRST_ID
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._send, self.read = anyio.create_memory_object_stream[SessionMessage | Exception](
            math.inf
        )
        self.write = _Writer(self)
        self._transports: list[asyncio.BaseTransport] = []

    async def open(self) -> None:
        """Attach the pipes to the running loop."""
        loop = asyncio.get_running_loop()
        process = self.process
        out = await loop.connect_read_pipe(lambda: _Lines(self), process.stdout)
        err = await loop.connect_read_pipe(lambda: _Words(self), process.stderr)
        into, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, process.stdin)
        self._transports = [out[0], err[0], into]
        self.write.into = into

    def close(self) -> None:
        """Detach; the server sees the end of its input."""
        for transport in self._transports:
            transport.close()
        self._transports = []
        self.ended()
        self.read.close()

    def last_words(self) -> str:
        """The last lines of stderr in one line, from the last one that names an error."""
        text = self._words.decode("utf-8", "replace")
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        telling = [i for i, line in enumerate(lines) if "rror" in line or "xception" in line]
        start = max(len(lines) - 3, 0)
        return " | ".join(lines[min([start, *telling[-1:]]) :])[:600]

    async def ask(self, method: str, params: Any, limit_s: float) -> dict[str, Any]:
        """The raw result of a request.

        Raises:
            MCPError: the server's error, a timeout (the server is told to cancel), a closed pipe,
                or an answer beyond the ceiling.
        """
        loop = asyncio.get_running_loop()
        number, self._next = self._next, self._next + 1
        future: asyncio.Future[dict[str, Any]] = loop.create_future()
        self._waiting[number] = future
        timer = loop.call_later(limit_s, self._late, number)
        try:
            self._say({"id": number, "method": method, "params": params})
            return await future
        finally:
            timer.cancel()
            self._waiting.pop(number, None)

    def _say(self, message: dict[str, Any]) -> None:
        if self._ended or self.write.into is None or self.write.into.is_closing():
            raise MCPError(CONNECTION_CLOSED, "Connection closed")
        self.write.into.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def _late(self, number: int) -> None:
        self._fail(number, REQUEST_TIMEOUT, "Request timed out")
        with suppress(MCPError):
            told = {"requestId": number, "reason": "timed out"}
            self._say({"method": "notifications/cancelled", "params": told})

    def _fail(self, number: int, code: int, message: str, data: Any = None) -> None:
        future = self._waiting.get(number)
        if future is not None and not future.done():
            future.set_exception(MCPError(code, message, data))

    # what the protocols tell

    def line(self, line: bytes) -> None:
        """One line of stdout."""
        value = _object(line)
        if value is None:
            at = line.find(_START)
            value = _object(line[at:]) if at > 0 else None  # a banner without an end of line
            self.noise.add(line if value is None else line[:at])
        if value is None or self._answered(value):
            return
        self.changed = self.changed or value.get("method") == LIST_CHANGED
        try:
            message = jsonrpc_message_adapter.validate_python(value, by_name=False)
        except ValueError:
            self.noise.add(line)
        else:
            self._deliver(message)

    def _answered(self, value: dict[str, Any]) -> bool:
        """Whether this is the answer to a request of `ask`, which then goes on."""
        number = value.get("id")
        if not isinstance(number, int) or number < FIRST_ID or "method" in value:
            return False
        future = self._waiting.get(number)
        if future is None or future.done():
            return True  # of a call that was given up
        result, error = value.get("result"), value.get("error")
        if isinstance(result, dict):
            future.set_result(result)
        elif isinstance(error, dict):
            code = error.get("code")
            code = code if isinstance(code, int) else INVALID_REQUEST
            self._fail(number, code, str(error.get("message", "")), error.get("data"))
        else:
            self._fail(number, INVALID_REQUEST, "the answer has no result")
        return True

    def too_long(self) -> None:
        """A message has grown beyond the ceiling: whoever waits is told at once."""
        told = f"a message of more than {self.ceiling} bytes (ceiling_bytes)"
        for number in self._waiting:
            self._fail(number, TOO_LONG, told)
        if self._asked is not None:
            error = ErrorData(code=TOO_LONG, message=told)
            self._deliver(JSONRPCError(jsonrpc="2.0", id=self._asked, error=error))

    def ended(self) -> None:
        """Stdout has ended."""
        self._ended = True
        self._send.close()
        for number in self._waiting:
            self._fail(number, CONNECTION_CLOSED, "Connection closed")

    def words(self, data: bytes) -> None:
        """Something on stderr."""
        self._words = (self._words + data)[-LAST_WORDS:]

    def _deliver(self, message: Any) -> None:
        if not self._ended:
            self._send.send_nowait(SessionMessage(message))

    def asking(self, message: Any) -> None:
        """A message is being sent."""
        if isinstance(message, JSONRPCRequest):
            self._asked = message.id


class _Lines(asyncio.Protocol):
    """Splits stdout into lines; beyond the ceiling a line is counted, not kept."""

    def __init__(self, pipes: Pipes) -> None:
        self.pipes = pipes
        self.parts: list[bytes] = []
        self.size = 0

    def data_received(self, data: bytes) -> None:
        lines = data.split(b"\n")
        for line in lines[:-1]:
            self._grow(line)
            self._end()
        if lines[-1]:
            self._grow(lines[-1])

    def _grow(self, part: bytes) -> None:
        pipes = self.pipes
        if pipes.stuck:
            return
        self.size += len(part)
        if self.size > pipes.ceiling:
            pipes.stuck, self.parts = True, []
            pipes.too_long()
        else:
            self.parts.append(part)

    def _end(self) -> None:
        parts, self.parts, self.size = self.parts, [], 0
        if self.pipes.stuck:
            self.pipes.stuck = False
        elif parts:
            self.pipes.line(parts[0] if len(parts) == 1 else b"".join(parts))

    def eof_received(self) -> None:
        self._end()
        self.pipes.ended()

    def connection_lost(self, exc: Exception | None) -> None:
        self.pipes.ended()


class _Words(asyncio.Protocol):
    def __init__(self, pipes: Pipes) -> None:
        self.pipes = pipes

    def data_received(self, data: bytes) -> None:
        self.pipes.words(data)


class _Writer:
    """The SDK's write stream: a message is written where it is sent, with no task between."""

    def __init__(self, pipes: Pipes) -> None:
        self.pipes = pipes
        self.into: asyncio.WriteTransport | None = None

    async def send(self, item: SessionMessage, /) -> None:
        if self.into is None or self.into.is_closing():
            raise anyio.BrokenResourceError
        self.pipes.asking(item.message)
        self.into.write(_line(item.message))

    async def aclose(self) -> None:
        self.into = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


def _object(line: bytes) -> dict[str, Any] | None:
    """The JSON object in a line, or `None`. Half surrogate pairs and broken UTF-8 pass."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _line(message: Any) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:  # half a surrogate pair: as an escape it passes
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True)).encode() + b"\n"
