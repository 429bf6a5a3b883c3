"""Recorded sessions by any name a person has for them: a file, a folder, the built-in benchmark."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worldline import jsonl
from worldline.bench.rows import looks_like_row
from worldline.bench.suite import BUILT_IN, HOME, INDEX, files, is_suite
from worldline.collect.importers import refuse_recordings
from worldline.errors import DataError
from worldline.paths import is_dir, is_file, is_missing, refuse_stream
from worldline.storage import COLLECTED, SUFFIXES, numbered_trajectories
from worldline.trajectory import Trajectory

PREDICTED = "gen"
"""The field that every prediction has."""


class Placed(NamedTuple):
    """A recorded session and where it stands."""

    file: Path
    line: int
    """From 1; of Parquet the row."""
    trajectory: Trajectory


def recordings(source: Path) -> list[Path]:
    """The trajectory files that are meant.

    A folder is what ``worldline collect`` or ``bench make`` wrote, or any that holds such files.
    ``worldline-bench`` is the benchmark that comes with this package.

    Raises:
        DataError: the folder holds no file that could be one, or it is a pipe.
    """
    if is_missing(source) and str(source) == BUILT_IN:
        source = HOME
    if not is_dir(source):
        refuse_stream(source)
        return [source]
    if is_suite(source):
        return files(source)
    if is_file(source / COLLECTED):
        return [source / COLLECTED]
    found = [one for one in sorted(source.iterdir()) if is_file(one) and _could_be(one)]
    if not found:
        raise DataError(
            "is a folder without recordings",
            file=source,
            remedy=f"It must hold {COLLECTED} (worldline collect), {INDEX} (worldline bench make), "
            f"or files of trajectories ({', '.join(SUFFIXES)}).",
        )
    return found


def _could_be(path: Path) -> bool:
    return path.name.endswith(SUFFIXES)


def read(source: Path) -> Iterator[Trajectory]:
    """The sessions of all files that are meant, in order of the files' names.

    Raises:
        DataError: there is no such file, or one of them holds something else: says what that is
            and what to do with it.
    """
    yield from (one.trajectory for one in placed(source))


def placed(source: Path) -> Iterator[Placed]:
    """The sessions of all files that are meant, as `read`, each with its file and line."""
    for path in recordings(source):
        _refuse(path)
        yield from (Placed(path, line, one) for line, one in numbered_trajectories(path))


def _refuse(path: Path) -> None:
    """Predictions, benchmark rows and recordings of other tools are no trajectories."""
    if not is_file(path) or path.suffix == ".parquet" or not _could_be(path):
        return
    first = next(iter(jsonl.read(path)), None)
    if first is None or not isinstance(first.value, dict):
        return
    if PREDICTED in first.value:
        raise DataError(
            "holds predictions, not recordings",
            file=path,
            line=first.number,
            field=PREDICTED,
            remedy=f"Measure them: worldline verify {path.name}",
        )
    if looks_like_row(first.value):
        raise DataError(
            "holds benchmark rows, not recordings",
            file=path,
            line=first.number,
            remedy=f"Import them first: worldline import awb {path.name} -o NEW.jsonl",
        )
    refuse_recordings(first.value, path, first.number)
