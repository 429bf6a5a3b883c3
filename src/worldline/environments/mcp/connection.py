"""One server and the session with it: connect, list, call, find out what is wrong, start again.

The session lives in a task of its own for as long as the server does; a call is one request on the
SDK's dispatcher, whose raw result is kept (the typed client would refuse a result that breaks the
tool's own output schema, and lose it).
"""

import asyncio
import json
import logging
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, NamedTuple

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from worldline.environments.mcp.noise import Noise
from worldline.environments.mcp.pipes import TOO_LONG, Pipes
from worldline.errors import WorldlineError

START_S = 60.0
PING_S = 1.0
MAX_PAGES = 1_000

logging.getLogger("mcp").setLevel(logging.CRITICAL)
logging.getLogger("client").setLevel(logging.CRITICAL)


class ServerError(WorldlineError):
    """A server cannot be started, or is not one."""


class Reach(NamedTuple):
    """How to reach a server: `start` makes its process, or `url` is where it listens."""

    start: Callable[[], subprocess.Popen[bytes]] | None
    url: str | None = None
    ceiling: int = 16 << 20
    kill: bool = False
    """End it at once, without asking: what it leaves is thrown away with its sandbox."""


class Connection:
    """A live session with one server.

    Args:
        name: what messages call it.
        reach: how to reach it; used again after a crash.
    """

    def __init__(self, name: str, reach: Reach) -> None:
        self.name, self.reach = name, reach
        self.tools: tuple[dict[str, Any], ...] = ()
        self.about: types.InitializeResult | None = None
        self._changed = False
        self.lost = False
        """The transport has closed under us."""
        self._pipes: Pipes | None = None
        self._dispatcher: JSONRPCDispatcher[Any] | None = None
        self._task: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()
        self._headers: dict[str, Any] = {}

    async def open(self) -> None:
        """Start or reach the server and read its tools.

        Raises:
            ServerError: it does not start, or does not speak MCP.
        """
        self._stop, self.lost = asyncio.Event(), False
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(ready))
        try:
            async with asyncio.timeout(START_S):
                await ready
        except Exception as error:
            words = await self.last_words()
            await self.close()
            said = "did not answer in time" if isinstance(error, TimeoutError) else str(error)
            raise ServerError(f"the server {self.name!r}: {said or error!r}{words}") from error

    async def call(self, name: str, arguments: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """The raw ``CallToolResult``, as the server sent it.

        Raises:
            MCPError: what the server, or the transport, answers instead.
        """
        params = {"name": name, "arguments": arguments}
        try:
            if self._pipes is not None:
                return await self._pipes.ask("tools/call", params, limit_s)
            result = await self._request("tools/call", params, limit_s)
            if len(json.dumps(result)) > self.reach.ceiling:
                told = f"a message of more than {self.reach.ceiling} bytes (ceiling_bytes)"
                raise MCPError(TOO_LONG, told)
            return result
        except MCPError as error:
            self.lost = error.code == types.CONNECTION_CLOSED
            raise

    async def refresh(self) -> None:
        """Read the tool list again, page by page."""
        self._changed = False
        if self._pipes is not None:
            self._pipes.changed = False
        self.tools = tuple([tool async for tool in self._pages()])

    async def answers(self) -> bool:
        """Whether the server still reacts, asked with a ping."""
        if self._pipes is not None and self._pipes.stuck:
            return False
        try:
            if self._pipes is not None:
                await self._pipes.ask("ping", {}, PING_S)
            else:
                await self._request("ping", None, PING_S)
        except MCPError as error:
            return error.code not in (types.REQUEST_TIMEOUT, types.CONNECTION_CLOSED)
        return True

    @property
    def changed(self) -> bool:
        """The server has said that its tool list is another one now."""
        return self._changed or (self._pipes is not None and self._pipes.changed)

    @property
    def noise(self) -> Noise | None:
        """What it printed beside its messages."""
        return self._pipes.noise if self._pipes is not None else None

    def usable(self) -> bool:
        """Whether a call can be sent, as far as one can see without asking."""
        if self.lost or self._dispatcher is None:
            return False
        pipes = self._pipes
        return pipes is None or (pipes.process.poll() is None and not pipes.stuck)

    async def reopen(self) -> None:
        """A new process, or a new session where the server is not ours to start."""
        await self.close()
        await self.open()

    async def last_words(self) -> str:
        """How it ended, for an error message: exit status and the end of stderr."""
        pipes = self._pipes
        if pipes is None:
            return ""
        for _ in range(20):
            await asyncio.sleep(0.01)  # the rest of stderr comes in
            if pipes.process.poll() is not None:
                break
        code, said = pipes.process.poll(), pipes.last_words()
        ended = f" (it ended with status {code})" if code is not None else ""
        return f"{ended}{f': {said}' if said else ''}"

    async def close(self) -> None:
        """End the session and the process."""
        self._stop.set()
        task, self._task, pipes, self._pipes = self._task, None, self._pipes, None
        self._dispatcher = None
        if task is not None:
            with suppress(asyncio.CancelledError, Exception):
                async with asyncio.timeout(2.0):
                    await asyncio.shield(task)
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task
        if pipes is not None:
            pipes.close()
            end(pipes.process, kill=self.reach.kill)

    # the session

    async def _live(self, ready: "asyncio.Future[None]") -> None:
        try:
            if self.reach.start is None:
                from worldline.environments.mcp.http import streams

                async with streams(self.reach) as (read, write):
                    await self._session(read, write, ready)
            else:
                self._pipes = Pipes(self.reach.start(), self.reach.ceiling)
                await self._pipes.open()
                await self._session(self._pipes.read, self._pipes.write, ready)
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(_first(error))

    async def _session(self, read: Any, write: Any, ready: "asyncio.Future[None]") -> None:
        dispatcher: JSONRPCDispatcher[Any] = JSONRPCDispatcher(read, write)
        about = types.Implementation(name="worldline", version="1")
        session = ClientSession(
            dispatcher=dispatcher, client_info=about, message_handler=self._heard
        )
        async with session:
            self.about = await session.initialize()
            self._dispatcher = dispatcher
            self._headers = {MCP_PROTOCOL_VERSION_HEADER: self.about.protocol_version}
            await self.refresh()
            if await self.answers() and self.changed:  # said right after the handshake
                await self.refresh()
            ready.set_result(None)
            await self._stop.wait()

    async def _heard(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed = True

    async def _pages(self) -> AsyncIterator[dict[str, Any]]:
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            params = None if cursor is None else {"cursor": cursor}
            page = await self._request("tools/list", params, START_S)
            tools = page.get("tools", [])
            if not isinstance(tools, list) or not all(isinstance(one, dict) for one in tools):
                raise ServerError(f"the server {self.name!r} lists tools that are no objects")
            for tool in tools:
                yield tool
            following = page.get("nextCursor")
            if not following or following == cursor:
                return
            cursor = following

    async def _request(
        self, method: str, params: dict[str, Any] | None, limit_s: float
    ) -> dict[str, Any]:
        if self._dispatcher is None:
            raise MCPError(types.CONNECTION_CLOSED, "Connection closed")
        headers = {"headers": self._headers} if self.reach.start is None else {}
        options: Any = {"timeout": limit_s, **headers}
        return await self._dispatcher.send_raw_request(method, params, options)


def end(process: subprocess.Popen[bytes], *, kill: bool = False) -> None:
    """End a process and its group; without `kill` it gets the time to end by itself."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    for number, patience in () if kill else ((0, 0.5), (signal.SIGTERM, 0.5)):
        _signal(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            break
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _first(error: BaseException) -> Exception:
    """The error inside the groups that task groups wrap it in."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, Exception) else RuntimeError(str(error) or repr(error))
