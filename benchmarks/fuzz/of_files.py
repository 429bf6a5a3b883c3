"""Files from elsewhere: each reader gives records or an error of ours that names the file."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from benchmarks.fuzz.seeds import lines, text
from benchmarks.fuzz.targets import Target
from worldline import jsonl
from worldline.bench.rows import read_rows, trajectory_of
from worldline.collect.importers import importer
from worldline.collect.importers.awb_prompts import parse_prompt, same_action
from worldline.domains.mcp.listing import trajectory_from_tools
from worldline.errors import WorldlineError
from worldline.migrate import migrate
from worldline.models.grammar import parse as parse_spec
from worldline.models.scripted import rules
from worldline.models.weights.gguf import header
from worldline.scenarios.snapshot import Snapshot, read_snapshot
from worldline.session import load
from worldline.storage import read_trajectories
from worldline.visible import first_line, visible

SNAPSHOT = Snapshot(
    domain="terminal", dialect="command", text="a", tokens=1, taken_at="2026-01-01T00:00:00Z"
)
GGUF = (
    b"GGUF" + (3).to_bytes(4, "little") + bytes(7) + b"\x00" + (1).to_bytes(8, "little")
    + (4).to_bytes(8, "little") + b"name" + (8).to_bytes(4, "little") + (1).to_bytes(8, "little")
    + b"x" + bytes(32)
).decode("latin-1")  # fmt: skip
SCRIPT = ('{"match": "ls", "reply": "a"}\n"b"\n', '{"turn": 1, "error": {"code": "timeout"}}\n')
TOOLS = '{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {}}}]}'
SPECS = (
    "embedded?ctx=512",
    "openai:m@http://127.0.0.1:1/v1?t=1",
    "gguf:a.gguf",
    "scripted:x.jsonl",
)
PROMPT = "## Turn 2\n**Action:**\n```bash\nls\n```\n"


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="worldline-fuzz-files-"))


def file(name: str, read: Callable[[Path], object]) -> Callable[[str], None]:
    """A reader of files as a target: the text as UTF-8, and as bytes that are none."""

    def run(text: str) -> None:
        path = _folder() / name
        for data in (text.encode("utf-8", "surrogatepass"), text.encode("latin-1", "replace")):
            path.write_bytes(data)
            try:
                read(path)
            except WorldlineError as error:
                str(error)

    return run


def all_of(read: Callable[[Path], Iterable[object]]) -> Callable[[Path], object]:
    """Read to the end."""
    return lambda path: sum(1 for _ in read(path))


def targets() -> Iterator[Target]:
    """Every reader of files, and of the small texts that people type."""
    shot, head = text(msgspec.to_builtins(SNAPSHOT)), lines("trajectory")
    for name in ("common", "awb"):
        read = importer(name)
        kind = "common" if name == "common" else "row"
        yield Target(f"importers.{name}", file("i.jsonl", all_of(read)), lambda k=kind: lines(k))
    yield Target("storage.trajectories", file("t.jsonl", all_of(read_trajectories)), lambda: head)
    yield Target("bench.rows", file("r.jsonl", _rows), lambda: lines("row"))
    yield Target("jsonl.read", file("j.jsonl", all_of(jsonl.read)), lambda: head)
    yield Target("migrate", file("m.jsonl", _migrated), lambda: (*head, *lines("row"), shot))
    yield Target("snapshot", file("s.json", read_snapshot), lambda: (shot,))
    yield Target("session", file("w.jsonl", _session), _sessions)
    yield Target("scripted", file("x.jsonl", rules), lambda: SCRIPT)
    toml = ('[[rule]]\nmatch = "a"\nreply = "b"\n',)
    yield Target("scripted toml", file("x.toml", rules), lambda: toml, linear=False)
    yield Target("mcp.listing", file("tools.json", trajectory_from_tools), lambda: (TOOLS,))
    yield Target("gguf", _gguf, lambda: (GGUF,))
    yield Target("model spec", _typed(parse_spec), lambda: SPECS)
    yield Target("awb prompts", _prompt, lambda: (PROMPT, *(_first(row) for row in lines("row"))))
    yield Target("screen", lambda text: (visible(text), first_line(text, 80)), lambda: head)


def _rows(path: Path) -> None:
    for row in read_rows(path):
        trajectory_of(row)


def _migrated(path: Path) -> None:
    migrate(path, path.with_name("migrated.jsonl"))


def _session(path: Path) -> None:
    load(path).close()


@cache
def _sessions() -> tuple[str, ...]:
    import asyncio

    from worldline.world import World

    path = _folder() / "seed.jsonl"

    async def play() -> None:
        async with World.open("generic", model="copy", seed=1, save=path) as world:
            await world.step("look")
            other = world.fork()
            await other.step("go")

    asyncio.run(play())
    return (path.read_text("utf-8"),)


def _gguf(text: str) -> None:
    path = _folder() / "g.gguf"
    path.write_bytes(text.encode("latin-1", "replace"))
    with suppress(WorldlineError):
        header(path)


def _typed(read: Callable[[str], object]) -> Callable[[str], None]:
    def run(text: str) -> None:
        with suppress(WorldlineError):
            read(text)

    return run


def _prompt(text: str) -> None:
    same_action(parse_prompt(text).action, text)


def _first(row: str) -> str:
    return str(jsonl.loads(row)["prompt"][0])
