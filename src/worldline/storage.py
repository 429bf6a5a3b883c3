"""Trajectories in and out of files, streaming: ``.jsonl``, ``.jsonl.gz`` and ``.parquet``.

All three hold the same rows of typed columns (`worldline.columns`), so that any loader reads any
file of ours. Reading also takes JSON Lines whose records hold objects instead.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.columns import to_columns
from worldline.errors import DataError, UsageError
from worldline.paths import is_dir, is_file
from worldline.trajectory import Trajectory, trajectory
from worldline.whole import whole

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")
COLLECTED = "trajectories.jsonl"
"""The file of trajectories in a folder that ``worldline collect`` wrote."""
BATCH_CHARS = 8 << 20
"""Characters of text that one Parquet row group gathers before it is written."""


def file_of(source: Path) -> Path:
    """The trajectory file that is meant: the source itself, or the one in a collected folder."""
    return source / COLLECTED if is_dir(source) else source


def read_trajectories(path: str | Path) -> Iterator[Trajectory]:
    """Stream the trajectories of a file.

    Raises:
        UsageError: the file's name ends in nothing we read.
        DataError: the file cannot be read, or a record is broken: names file, line and field.
    """
    yield from (one for _, one in numbered_trajectories(path))


def numbered_trajectories(path: str | Path) -> Iterator[tuple[int, Trajectory]]:
    """Stream the trajectories of a file, each with its line (of Parquet: its row), from 1.

    Raises:
        UsageError: the file's name ends in nothing we read.
        DataError: the file cannot be read, or a record is broken: names file, line and field.
    """
    path = Path(path)
    meant = path.suffix or is_file(path) or is_dir(path)  # a missing folder is said to be missing
    kind = suffix(path) if meant else ""
    rows = _read_parquet(path) if kind == ".parquet" else jsonl.read(path)
    for line in rows:
        yield line.number, trajectory(line.value, file=path, line=line.number)


def write_trajectories(path: str | Path, trajectories: Iterable[Trajectory]) -> int:
    """Write a file; returns how many. It appears whole or not at all.

    Raises:
        UsageError: the file's name ends in nothing we write.
        DataError: a trajectory holds what JSON cannot, or the file cannot be written.
    """
    path = Path(path)
    kind = suffix(path)
    rows = (to_columns(msgspec.to_builtins(one)) for one in trajectories)
    try:
        return _write_parquet(path, rows) if kind == ".parquet" else jsonl.write(path, rows)
    except OSError as error:
        raise jsonl.unwritable(path, error) from error


def suffix(path: Path) -> str:
    """Which of `SUFFIXES` the file's name ends in; `UsageError` if none."""
    for one in SUFFIXES:
        if path.name.endswith(one):
            return one
    raise UsageError(
        "has no suffix of a trajectory file",
        file=path,
        remedy=f"Use one of: {', '.join(SUFFIXES)}.",
    )


def _schema() -> Any:
    import pyarrow as pa

    def texts(names: str) -> Any:
        return pa.struct([(name, pa.large_string()) for name in names.split()])

    turn = texts("action observation state_before info")
    return pa.schema(
        [
            *((name, pa.string()) for name in ("schema", "id", "domain", "dialect")),
            ("task", pa.string()),
            (
                "system",
                texts(
                    "task_description action_space demonstrations"
                    " initial_state simulation_instruction verbatim"
                ),
            ),
            ("turns", pa.list_(turn)),
            ("source", texts("kind name licence version collected_at seed host")),
            *((name, pa.large_string()) for name in ("tools", "meta", "extra")),
        ]
    )


def _write_parquet(path: Path, rows: Iterable[dict[str, Any]]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, count = _schema(), 0
    with (
        whole(path) as place,
        pq.ParquetWriter(place, schema, compression="zstd") as writer,
    ):
        for batch in _batches(rows):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(turn["action"]) + len(turn["observation"]) for turn in row["turns"])
        size += len(row["tools"]) + len(row["meta"])
        if size >= BATCH_CHARS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read_parquet(path: Path) -> Iterator[jsonl.Line]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=16):
                for row in batch.to_pylist():
                    number += 1
                    yield jsonl.Line(number, row)
    except (OSError, pa.ArrowException) as error:
        raise DataError(
            f"cannot be read as Parquet ({error})", file=path, remedy="Check the path and the file."
        ) from error
