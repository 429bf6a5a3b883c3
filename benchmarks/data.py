"""Trajectory files: reading and writing 20 MB in each form, in MB of JSON Lines a second.

The limit is Python's own `json` over the same lines in memory: it checks nothing, escapes nothing
and makes no trajectories. The alternative is what one writes by hand: `json` over an open file,
through `gzip` too, and pyarrow alone.
"""

import gzip
import json
import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Row, compare, medians, seconds
from worldline.storage import SUFFIXES, read_trajectories, write_trajectories
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

RUNS, SESSIONS, TURNS = 3, 640, 20
BY_HAND = {".jsonl": "json", ".jsonl.gz": "gzip and json", ".parquet": "pyarrow"}


class Data(NamedTuple):
    """The same sessions in all the forms that are read and written."""

    sessions: list[Trajectory]
    lines: list[bytes]
    values: list[Any]
    folder: Path


def measure() -> list[Row]:
    sessions = [session(number) for number in range(SESSIONS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in SUFFIXES:
            write_trajectories(folder / f"sessions{suffix}", sessions)
        lines = (folder / "sessions.jsonl").read_bytes().splitlines()
        data = Data(sessions, lines, [json.loads(line) for line in lines], folder)
        return [row for suffix in SUFFIXES for row in form(data, suffix)]


def form(data: Data, suffix: str) -> list[Row]:
    """Reading and writing of one form."""
    path, megabytes = data.folder / f"sessions{suffix}", sum(map(len, data.lines)) / 1e6
    new, by_hand = data.folder / f"new{suffix}", data.folder / f"by-hand{suffix}"

    def ways(*jobs: Callable[[], object]) -> list[float]:
        return [megabytes / taken for taken in medians(RUNS, *(partial(seconds, j) for j in jobs))]

    reading = ways(
        lambda: list(read_trajectories(path)),
        lambda: [json.loads(line) for line in data.lines],
        lambda: read(path),
    )
    writing = ways(
        lambda: write_trajectories(new, data.sessions),
        lambda: [json.dumps(value, ensure_ascii=False).encode() for value in data.values],
        lambda: write(by_hand, data.values),
    )
    rows: list[Row] = []
    for verb, call, (ours, limit, other) in (
        ("read", "loads", reading),
        ("write", "dumps", writing),
    ):
        what, unit = f"{verb} {suffix}", "MB/s"
        rows.append(compare("data", what, ours, unit, f"limit, json.{call}", limit))
        rows.append(compare("data", what, ours, unit, f"{BY_HAND[suffix]} by hand", other))
    return rows


def read(path: Path) -> list[Any]:
    """The rows of a file, read by hand."""
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    with opened(path, "rb") as file:
        return [json.loads(line) for line in file]


def write(path: Path, values: list[Any]) -> None:
    """The rows of a file, written by hand."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(values), path, compression="zstd")
        return
    with opened(path, "wb") as file:
        for value in values:
            file.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")


def opened(path: Path, mode: str) -> IO[bytes]:
    """The file, through gzip where its name says so."""
    return cast(IO[bytes], gzip.open(path, mode) if path.suffix == ".gz" else path.open(mode))


def session(number: int) -> Trajectory:
    """A terminal session of about 32 kB; another one for each number."""
    rng = random.Random(number)
    return Trajectory(
        id=f"session-{number}",
        domain="terminal",
        dialect="terminal/command",
        system=SystemPrompt(task_description="You simulate a terminal.", initial_state="$ "),
        turns=tuple(turn(rng, place) for place in range(TURNS)),
        source=Source(kind="generated", name="benchmark", licence="Apache-2.0", seed=number),
    )


def turn(rng: random.Random, place: int) -> Turn:
    """A listing of some 30 files."""
    files = [
        f'-rw-r--r-- 1 root {rng.randrange(1 << 20):7} Jan  1 12:00 "é-{rng.randrange(1 << 24):x}"'
        for _ in range(rng.randrange(20, 40))
    ]
    return Turn(action=f"ls -la /srv/{place}", observation="\n".join(files))
