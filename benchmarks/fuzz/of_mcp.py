"""What servers of tools send: lines of any bytes, results and tool lists of any shape."""

import asyncio
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from benchmarks.fuzz.chunks import cuts, raw
from benchmarks.fuzz.of_trees import SPLIT
from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target, same
from worldline import jsonl
from worldline.domains import domain as find_domain
from worldline.environments.base import Observed
from worldline.environments.mcp.calls import Target as Called
from worldline.environments.mcp.calls import carry_out
from worldline.environments.mcp.connection import Connection, Reach, ServerError
from worldline.environments.mcp.names import roof
from worldline.environments.mcp.noise import KEPT_CHARS, KEPT_LINES, Noise
from worldline.environments.mcp.pipes import FIRST_ID, Pipes, _Lines
from worldline.environments.mcp.results import blocks, observation, result_of
from worldline.environments.wire import Answer, written
from worldline.trajectory import Trajectory

DIALECTS = ("json", "call-tool-result")
CEILING = 9_000
GOOD = '{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "good"}]}}'


def targets() -> Iterator[Target]:
    """Lines of a server, its results, its noise, its tools."""
    yield Target("mcp.pipes", answered, lambda: ("\n".join(ours("messages")), *ours("messages")))
    yield Target("mcp.results", shown, lambda: ours("results"))
    yield Target("mcp.noise", noisy, lambda: ours("messages"))
    pages = tuple('{"tools": ' + one + ', "nextCursor": "b"}' for one in ours("tools"))
    yield Target("mcp.tools", listed, lambda: pages, linear=False)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


class Server:
    """A server whose answer to a call is given, in pieces, and a good one behind it."""

    name = "fuzz"

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces
        self.pipes = Pipes(cast(Any, SimpleNamespace()), CEILING)
        self.pipes.write.into = cast(Any, self)

    def is_closing(self) -> bool:
        """Never."""
        return False

    def write(self, _: bytes) -> None:
        """The call has been sent: here is what the server prints."""
        lines = _Lines(self.pipes)
        for piece in (*self.pieces, b"\n", (GOOD % FIRST_ID).encode(), b"\n"):
            lines.data_received(piece)

    async def call(self, name: str, arguments: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """As a connection does."""
        return await self.pipes.ask("tools/call", {"name": name, "arguments": arguments}, limit_s)

    async def last_words(self) -> str:
        """Nothing."""
        return ""

    async def answers(self) -> bool:
        """It does."""
        return True

    async def reopen(self) -> None:
        """Nothing to open."""


def answered(text: str) -> None:
    """A call has an observation whatever is printed before its answer, in whatever pieces."""
    for data in raw(text):
        seen = [called(pieces) for pieces in cuts(data)]
        for other in seen[1:]:
            same(seen[0], other, "the same lines in pieces")
        long = max(map(len, data.split(b"\n"))) > CEILING
        if b"1073741824" not in data and "good" not in seen[0] and not long:
            raise Broken(f"the good answer is lost: {seen[0][:80]!r}")


def called(pieces: list[bytes]) -> str:
    """What a call gives, and what was noise, as one text."""
    server = Server(pieces)
    loop = _loop()
    target = Called(cast(Any, server), "dig")
    seen = loop.run_until_complete(carry_out(target, {}, 60.0, "json"))
    sent(seen)
    return SPLIT.join((repr(seen), repr(server.pipes.noise.take())))


def sent(seen: Observed) -> None:
    """An observation can be sent to the caller."""
    written(Answer(id=1, ok=True, observation=seen.observation, status="ok", info=seen.info))


def shown(text: str) -> None:
    """A result of any shape is an observation, which holds its text; the rest is kept."""
    try:
        result = jsonl.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(result, dict):
        return
    for dialect in DIALECTS:
        told = observation(result, dialect)
        parsed = find_domain("mcp").dialects[dialect].parse_observation(told)
        jsonl.dumps(msgspec.to_builtins(parsed))
        held = texts(result)
        if dialect == "json" and not all(one in told for one in held):
            raise Broken(f"the text {held} is not all in {told[:80]!r}")
    kept = blocks(result)
    if kept is not None and well_formed(result):
        again = result_of(kept, failed=result.get("isError") is True)
        wanted = {"content": [], **result}
        if again != {k: v for k, v in wanted.items() if k != "isError" or v is True}:
            raise Broken(f"{str(result)[:150]} came back as {str(again)[:150]}")
    sent(Observed(observation="", info={} if kept is None else {"blocks": kept}))


def texts(result: dict[str, Any]) -> list[str]:
    """The texts of text blocks."""
    content = result.get("content")
    found = content if isinstance(content, list) else []
    return [b["text"] for b in found if isinstance(b, dict) and isinstance(b.get("text"), str)]


def well_formed(result: dict[str, Any]) -> bool:
    """Whether the content is a list of blocks of the kinds there are."""
    kinds = ("text", "image", "audio", "resource", "resource_link")
    content = result.get("content", [])
    return isinstance(content, list) and all(
        isinstance(one, dict) and one.get("type") in kinds for one in content
    )


def noisy(text: str) -> None:
    """Noise is counted, and what is kept of it is bounded."""
    noise = Noise()
    lines = text.encode("utf-8", "surrogatepass").split(b"\n")
    for line in lines:
        noise.add(line)
    told = noise.take()
    count = sum(bool(line.strip()) for line in lines)
    if (told["lines"] if told else 0) != count:
        raise Broken(f"{count} lines are counted as {told and told['lines']}")
    if told and (len(told["text"]) > KEPT_CHARS + KEPT_LINES or told["text"].count("\n") > count):
        raise Broken("too much is kept")
    jsonl.dumps(told)


class Listing(Connection):
    """A connection to a server that lists what it is given."""

    def __init__(self, page: Any) -> None:
        super().__init__("fuzz", Reach(None))
        self.page = page

    async def _request(
        self, method: str, params: dict[str, Any] | None, limit_s: float
    ) -> dict[str, Any]:
        return self.page if params is None else {"tools": [{"name": "last"}]}


def listed(text: str) -> None:
    """A tool list of any shape is one that can be shown, called and kept, or a `ServerError`."""
    try:
        page = jsonl.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(page, dict):
        return
    connection = Listing(page)
    try:
        _loop().run_until_complete(connection.refresh())
    except ServerError:
        return
    found = roof({"a": connection.tools, "b": connection.tools[:2]})
    for tool in found.tools:
        found.route(str(tool.get("name")))
    jsonl.dumps(Trajectory(id="f", domain="mcp", dialect="json", tools=found.tools).record())
