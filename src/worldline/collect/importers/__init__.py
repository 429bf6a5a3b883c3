"""Recordings of other tools into trajectories: one module a format, loaded when asked for.

A module has ``read(path, bad=None)``; the path is a file, a folder or a pattern. What it cannot
turn into a trajectory stops it with a `DataError` that names file, line and field; with `bad` it is
handed over there instead, and reading goes on. Nothing is left out in silence.
"""

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from worldline import jsonl
from worldline.errors import DataError, UsageError
from worldline.trajectory import Trajectory


class BadLine(NamedTuple):
    """A line that is no trajectory: its 1-based number, its bytes as they are, what is wrong.

    Where a format has no lines the number is 0 and there are no bytes; the error names the file.
    """

    number: int
    raw: bytes
    error: DataError


OnBad = Callable[[BadLine], None]
Read = Callable[..., Iterator[Trajectory]]
T = TypeVar("T")

IMPORTERS = {
    "common": "worldline.collect.importers.common",
    "awb": "worldline.collect.importers.awb",
    "agentworldbench": "worldline.collect.importers.awb",
    "atif": "worldline.collect.importers.atif",
    "asciinema": "worldline.collect.importers.asciinema",
    "sweagent": "worldline.collect.importers.sweagent",
}
"""Format -> the module that reads it."""

UNCHANGED = ("common", "awb", "agentworldbench")
"""Formats of published collections: imported byte for byte unless redaction is asked for."""


def importer(name: str) -> Read:
    """The reader of a format, ``read(path, bad=None)``; `UsageError` lists the formats."""
    if name not in IMPORTERS:
        raise UsageError(
            f"there is no format {name!r}",
            field="format",
            remedy=f"Use one of: {', '.join(IMPORTERS)}.",
        )
    return importlib.import_module(IMPORTERS[name]).read


def sourced(
    found: Iterator[Trajectory], *, licence: str | None = None, origin: str | None = None
) -> Iterator[Trajectory]:
    """The same trajectories, with the licence of those that do not say theirs, and the origin.

    A licence that a recording states is never replaced; one that nobody states is ``unknown``.
    """
    for one in found:
        source = one.source
        if licence and source.licence == "unknown":
            source = msgspec.structs.replace(source, licence=licence)
        if origin:
            source = msgspec.structs.replace(source, name=origin)
        yield one if source is one.source else msgspec.structs.replace(one, source=source)


def refuse_recordings(value: Any, file: str | Path, line: int) -> None:
    """Where trajectories are wanted: say what to do with a recording that is none yet.

    Raises:
        DataError: the value has turns and no dialect, as rows of format ``common``.
    """
    if isinstance(value, dict) and "turns" in value and "dialect" not in value:
        raise DataError(
            "holds recordings, not trajectories yet",
            file=file,
            line=line,
            remedy=f"Import them first: worldline import common {Path(file).name} -o NEW.jsonl",
        )


def convert_lines(
    path: str | Path, convert: Callable[[Any, Path, int], T], bad: OnBad | None
) -> Iterator[T]:
    """Each line of a JSON Lines file through `convert(value, file, line)`.

    A file without a line is damage too: one that was cut short may be left so.
    """
    path, number = Path(path), 0
    for number, raw in _raw_lines(path, bad):
        try:
            made = convert(jsonl.parse_line(raw, path, number), path, number)
        except DataError as error:
            if bad is None:
                raise
            bad(BadLine(number, raw, error))
        else:
            yield made
    if number == 0:
        error = DataError("is empty", file=path, remedy="It must hold one JSON object a line.")
        if bad is None:
            raise error
        bad(BadLine(0, b"", error))


def _raw_lines(path: Path, bad: OnBad | None) -> Iterator[tuple[int, bytes]]:
    """The file's lines; where it is torn (a compressed file cut short) what came before counts."""
    found = False
    try:
        for number, raw in jsonl.raw_lines(path):
            found = True
            yield number, raw
    except DataError as error:
        if bad is None or not found:
            raise
        bad(BadLine(0, b"", error))
