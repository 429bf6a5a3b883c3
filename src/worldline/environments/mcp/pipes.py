"""A server's pipes as the SDK's message streams.

The SDK's own stdio transport logs a traceback for every line that is no message, and has no bound
on a line's length. Here such lines are noise, counted; a line beyond the ceiling fails the request
that waits and is skipped. Everything runs on the event loop of the caller.
"""

import asyncio
import json
import math
import subprocess
from typing import Any, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCRequest, jsonrpc_message_adapter

from worldline import jsonl
from worldline.environments.mcp.noise import Noise

TOO_LONG = -32099
"""Code of the error that a message beyond the ceiling becomes (of the implementation's range)."""
LAST_WORDS = 4_000
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
        self._words = b""
        self._ended = False
        self._asked: int | str | None = None
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

    # what the protocols tell

    def line(self, line: bytes) -> None:
        """One line of stdout."""
        message = _message(line)
        if message is None:
            at = line.find(_START)
            message = _message(line[at:]) if at > 0 else None  # a banner without an end of line
            self.noise.add(line if message is None else line[:at])
        if message is not None:
            self._deliver(message)

    def too_long(self) -> None:
        """A message has grown beyond the ceiling: whoever waits is told at once."""
        if self._asked is not None:
            told = f"a message of more than {self.ceiling} bytes (ceiling_bytes)"
            error = ErrorData(code=TOO_LONG, message=told)
            self._deliver(JSONRPCError(jsonrpc="2.0", id=self._asked, error=error))

    def ended(self) -> None:
        """Stdout has ended."""
        self._ended = True
        self._send.close()

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


def _message(line: bytes) -> Any:
    """The JSON-RPC message in a line, or `None`. Half surrogate pairs and broken UTF-8 pass."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass
    try:
        value = jsonl.loads(line.decode("utf-8", "replace"))
        return jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValueError, RecursionError):
        return None


def _line(message: Any) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:  # half a surrogate pair: as an escape it passes
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True)).encode() + b"\n"
