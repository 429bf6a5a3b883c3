"""What a run reads: benchmark rows, trajectories or a folder of either, known by the content."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.bench.rows import BenchRow, looks_like_row, read_rows
from worldline.bench.suite import (
    BUILT_IN,
    HOME,
    INDEX,
    Evaluated,
    entries,
    evaluated,
    files,
    is_suite,
)
from worldline.collect.importers import refuse_recordings
from worldline.errors import DataError
from worldline.paths import is_dir, is_file, is_missing, refuse_stream
from worldline.storage import COLLECTED, file_of, read_trajectories, suffix
from worldline.trajectory import Trajectory

Item = BenchRow | Trajectory | Evaluated
Items = Iterator[Item]
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


def of_items(items: Sequence[Item], name: str = "rows") -> Source:
    """A source of rows and trajectories that are already in memory."""
    records = [_record(one) for one in items]
    total = sum(1 if isinstance(one, BenchRow) else len(one.turns) for one in items)
    return Source(name, jsonl.sha(records), lambda: iter(items), lambda: total)


def _record(one: Item) -> Any:
    if isinstance(one, BenchRow):
        return one.row
    if isinstance(one, Evaluated):
        return [one.trajectory.record(), list(one.turns)]
    return one.record()


def open_source(path: str | Path) -> Source:
    """A file of benchmark rows or trajectories (its first line says which), or a folder.

    A folder is a benchmark, what ``worldline collect`` wrote, or holds files of rows named
    ``*_test.jsonl``, as the data set of AgentWorldBench does: all of them, in order of name.
    ``worldline-bench`` is the benchmark that comes with this package.

    Raises:
        DataError: there is no such file, it cannot be read, is empty, is a pipe, or holds something
            else.
    """
    path = Path(path)
    if is_missing(path):
        if str(path) != BUILT_IN:
            raise DataError("there is no such file or folder", file=path, remedy=_REMEDY)
        path = HOME
    refuse_stream(path)
    if is_suite(path):
        return _suite(path)
    if tests := _tests(path):
        return _joined(path.name, tests)
    path = _collected(path)
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


def open_sources(paths: Sequence[Path]) -> Source:
    """Several files as one, in the order they are given. Errors as for `open_source`."""
    return open_source(paths[0]) if len(paths) == 1 else _joined("", paths)


def _tests(folder: Path) -> list[Path]:
    if not is_dir(folder) or is_file(file_of(folder)):
        return []
    return sorted(folder.glob("*_test.jsonl"))


def _joined(name: str, paths: Sequence[Path]) -> Source:
    parts = [open_source(path) for path in paths]

    def total() -> int | None:
        counts = [one.total() for one in parts]
        return None if None in counts else sum(count for count in counts if count is not None)

    return Source(
        name=name or "+".join(one.name for one in parts),
        sha=hashlib.sha256("".join(one.sha for one in parts).encode()).hexdigest(),
        items=lambda: (item for one in parts for item in one.items()),
        total=total,
    )


_REMEDY = f"Check the path; {BUILT_IN!r} names the benchmark that comes with this package."


def _collected(path: Path) -> Path:
    found = file_of(path)
    if found is not path and not is_file(found):
        raise DataError(
            f"is a folder with neither {INDEX} nor {COLLECTED}, nor files *_test.jsonl",
            file=path,
            remedy="Name a file of rows in it.",
        )
    return found


def _suite(folder: Path) -> Source:
    parts = [file_sha(folder / INDEX), *(file_sha(path) for path in files(folder))]
    return Source(
        name=BUILT_IN if folder == HOME else folder.name,
        sha=hashlib.sha256("".join(parts).encode()).hexdigest(),
        items=lambda: evaluated(folder),
        total=lambda: sum(1 for _ in entries(folder)),
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
