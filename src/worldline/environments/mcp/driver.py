"""`McpDriver`: servers of the list in a sandbox, or one of the caller's own, called by an agent."""

import asyncio
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.domains.mcp.actions import CallError, parse_call
from worldline.domains.mcp.exact import keepable
from worldline.environments.base import Driver, Observed, Opening
from worldline.environments.mcp import describe
from worldline.environments.mcp.calls import Target, carry_out, unreadable
from worldline.environments.mcp.connection import Connection
from worldline.environments.mcp.names import Roof, roof
from worldline.environments.mcp.options import read
from worldline.environments.mcp.place import Place
from worldline.errors import UsageError

UNKNOWN_TOOL = -32602


class McpDriver(Driver):
    """See `worldline.environments.mcp.options.Options` for what can be asked of it.

    The SDK is asynchronous: its tasks live on one event loop, which runs only during a request.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = read(options)
        self._place: Place | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connections: dict[str, Connection] = {}
        self._roof: Roof | None = None

    def reset(self, seed: int) -> Opening:
        """A fresh session: new sandbox, new processes."""
        self.close()
        try:
            self._place = Place(self.options, seed)  # before the loop: it wants a single thread
            self._loop = asyncio.new_event_loop()
            self._connections = {
                name: Connection(name, reach) for name, reach in self._place.reaches.items()
            }
            self._do(self._open())
            self._roof = self._listed()
        except BaseException:
            self.close()
            raise
        return describe.opening(self.options, self._place, self._connections, self._roof.tools)

    def step(self, action: str, limit_s: float) -> Observed:
        """Call the tool that `action` names."""
        if self._roof is None:
            raise UsageError("has no session", remedy="Reset the environment first.")
        size = len(action.encode("utf-8", "surrogatepass"))
        if size > self.options.ceiling_bytes:
            told = f"the action has {size} bytes, the ceiling is {self.options.ceiling_bytes}"
            return Observed(observation=None, status="capture_failed", reason=told)
        try:
            call = _plain_call(action) or parse_call(action)
            route = self._roof.route(call.name)
            if route is None:
                raise CallError(f"Unknown tool: {call.name}", UNKNOWN_TOOL, call.name)
        except CallError as error:
            return unreadable(error, self._roof.tools, self.options.dialect)
        target = Target(self._connections[route.server], route.tool)
        return self._do(self._step(target, call.arguments, limit_s))

    async def _step(self, target: Target, arguments: dict[str, Any], limit_s: float) -> Observed:
        connection = target.connection
        before: dict[str, Any] = {}
        if not connection.usable():
            await connection.reopen()
            before["recovered"] = "restarted"
        seen = await carry_out(target, arguments, limit_s, self.options.dialect)
        return await self._remarked(connection, seen, before)

    async def _remarked(
        self, connection: Connection, seen: Observed, remarks: dict[str, Any]
    ) -> Observed:
        """With what is worth keeping beside the observation."""
        info = {**remarks, **seen.info}
        if len(self._connections) > 1:
            info["server"] = connection.name
        told = connection.noise.take() if connection.noise is not None else None
        if told is not None:
            info["noise"] = told
        if connection.changed and connection.usable():
            before = connection.tools
            await connection.refresh()
            if connection.tools != before:
                self._roof = self._listed()
                info["tools"] = list(self._roof.tools)
        if info == seen.info:
            return seen
        return Observed(
            observation=seen.observation, status=seen.status, info=info, reason=seen.reason
        )

    def snapshot(self) -> dict[str, Any]:
        """The files of the sandbox's home, text in full, and the tools."""
        if self._place is None or self._roof is None:
            raise UsageError("has no session", remedy="Reset the environment first.")
        return describe.snapshot(self.options, self._place, self._roof.tools)

    def close(self) -> None:
        """End the servers and what they stood on."""
        connections, self._connections, self._roof = self._connections, {}, None
        loop, self._loop = self._loop, None
        place, self._place = self._place, None
        try:
            if loop is not None:
                loop.run_until_complete(_close_all(connections))
                loop.close()
        finally:
            if place is not None:
                place.close()

    # inside

    def _do(self, work: Any) -> Any:
        assert self._loop is not None
        return self._loop.run_until_complete(work)

    async def _open(self) -> None:
        """Start all of them at the same time; the first error ends the rest."""
        started = [connection.open() for connection in self._connections.values()]
        for found in await asyncio.gather(*started, return_exceptions=True):
            if isinstance(found, BaseException):
                raise found

    def _listed(self) -> Roof:
        return roof({name: one.tools for name, one in self._connections.items()})


class _Plain(NamedTuple):
    """A call in its plain form, which most are."""

    name: str
    arguments: dict[str, Any]


def _plain_call(action: str) -> _Plain | None:
    """The call, if nothing about its text needs a closer look."""
    if not action.startswith('{"name"'):
        return None
    try:
        value = jsonl.loads(action)
    except (ValueError, RecursionError):
        return None
    name, arguments = value.get("name"), value.get("arguments")
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        return None
    return _Plain(name, arguments) if keepable(arguments) else None


async def _close_all(connections: dict[str, Connection]) -> None:
    await asyncio.gather(*(one.close() for one in connections.values()), return_exceptions=True)
    await asyncio.sleep(0)
