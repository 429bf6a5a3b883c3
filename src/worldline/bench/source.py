"""What a run reads: a file of benchmark rows or of trajectories, known by its content."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.bench.rows import BenchRow, looks_like_row, read_rows
from worldline.collect.importers import refuse_recordings
from worldline.errors import DataError
from worldline.storage import read_trajectories, suffix
from worldline.trajectory import Trajectory

Items = Iterator[BenchRow | Trajectory]
COUNT_UP_TO = 64 << 20
"""Bytes of a trajectory file up to which its turns are counted before the run."""


class Source(NamedTuple):
    """Rows or trajectories that can be read from the beginning, again and again."""

    name: str
    sha: str
    """Of the content: a run is continued only on the same one."""
    items: Callable[[], Items]
    total: Callable[[], int | None]
    """Rows in all (a trajectory has one a turn); `None` when counting would take too long."""


def of_items(items: Sequence[BenchRow | Trajectory], name: str = "rows") -> Source:
    """A source of rows and trajectories that are already in memory."""
    records = [one.row if isinstance(one, BenchRow) else one.record() for one in items]
    total = sum(len(one.turns) if isinstance(one, Trajectory) else 1 for one in items)
    return Source(name, jsonl.sha(records), lambda: iter(items), lambda: total)


def open_source(path: str | Path) -> Source:
    """A file of benchmark rows or trajectories; which of them, its first line says.

    Raises:
        DataError: the file cannot be read, is empty, or holds something else.
    """
    path = Path(path)
    kind = suffix(path)
    line, first = (0, {}) if kind == ".parquet" else _first(path)
    rows = looks_like_row(first)
    if not rows:
        refuse_recordings(first, path, line)
    return Source(
        name=path.name,
        sha=file_sha(path),
        items=lambda: read_rows(path) if rows else read_trajectories(path),
        total=lambda: _count_rows(path) if rows else _count_turns(path),
    )


def _first(path: Path) -> tuple[int, dict[str, Any]]:
    for number, raw in jsonl.raw_lines(path):
        value = jsonl.parse_line(raw, path, number)
        if isinstance(value, dict):
            return number, value
        break
    raise DataError(
        "holds neither benchmark rows nor trajectories",
        file=path,
        remedy="Give AgentWorldBench rows or trajectories, one JSON object a line.",
    )


def file_sha(path: Path) -> str:
    """SHA-256 of a file's content."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})", file=path, remedy="Check the path."
        ) from error


def _count_rows(path: Path) -> int:
    return sum(1 for _ in jsonl.raw_lines(path))


def _count_turns(path: Path) -> int | None:
    if path.stat().st_size > COUNT_UP_TO:
        return None
    return sum(len(one.turns) for one in read_trajectories(path))
