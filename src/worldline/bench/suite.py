"""A benchmark of trajectories: each is stored once, and an index says which turns are evaluated.

    FOLDER/index.jsonl                  one evaluated turn a line
    FOLDER/trajectories/NAME.jsonl.gz   whole trajectories
    FOLDER/manifest.json, card.md       what it is made of

The turns between the evaluated ones are context: they are never asked about.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from worldline import jsonl
from worldline.errors import DataError
from worldline.storage import read_trajectories
from worldline.trajectory import Trajectory, check_schema, validation_error

INDEX_SCHEMA = "worldline.bench_index/1"
INDEX = "index.jsonl"
BUILT_IN = "worldline-bench"
"""What ``worldline predict`` calls the benchmark that comes with it."""
HOME = Path(__file__).parent / "sets" / "text"

Position = Literal["first", "middle", "last"]


class Evaluated(NamedTuple):
    """A trajectory and the turns of it that are evaluated, from 1, ascending."""

    trajectory: Trajectory
    turns: tuple[int, ...]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluated turn. `of` is how many turns its trajectory has."""

    id: str
    trajectory: str
    domain: str
    dialect: str
    family: str
    turn: int
    of: int
    position: Position
    schema: str = INDEX_SCHEMA


def is_suite(path: Path) -> bool:
    """Whether a folder holds a benchmark."""
    return (path / INDEX).is_file()


def files(folder: Path) -> list[Path]:
    """The trajectory files of a benchmark, in order of name."""
    return sorted((folder / "trajectories").glob("*.jsonl*"))


def entries(folder: Path) -> Iterator[Entry]:
    """The index.

    Raises:
        DataError: a line is broken; names file, line and field.
    """
    path = folder / INDEX
    for line in jsonl.read(path):
        value: dict[str, Any] = line.value if isinstance(line.value, dict) else {}
        check_schema(value.get("schema"), INDEX_SCHEMA, file=path, line=line.number)
        try:
            yield jsonl.convert(value, Entry)
        except msgspec.ValidationError as error:
            raise validation_error(error, file=path, line=line.number) from error


def evaluated(folder: Path) -> Iterator[Evaluated]:
    """The trajectories with their evaluated turns, in the order they are stored.

    Raises:
        DataError: the index names a turn or trajectory that is not there.
    """
    wanted: dict[str, list[int]] = {}
    for entry in entries(folder):
        wanted.setdefault(entry.trajectory, []).append(entry.turn)
    for path in files(folder):
        for trajectory in read_trajectories(path):
            turns = wanted.pop(trajectory.id, [])
            if any(not 1 <= turn <= len(trajectory.turns) for turn in turns):
                raise DataError(
                    f"names a turn of {trajectory.id} that is not there: {turns}",
                    file=folder / INDEX,
                    remedy="Make the benchmark again (worldline bench make).",
                )
            if turns:
                yield Evaluated(trajectory, tuple(sorted(turns)))
    if wanted:
        raise DataError(
            f"names {len(wanted)} trajectories that are not there, as {next(iter(wanted))}",
            file=folder / INDEX,
            remedy="Make the benchmark again (worldline bench make).",
        )
