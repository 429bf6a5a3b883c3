"""Files of older major versions, brought up to date record by record.

There has been one major version so far, so `MIGRATIONS` is empty; what already works is what every
later one needs: knowing which records a file holds, refusing what a newer Worldline wrote, giving
records without a schema theirs, and never touching the input.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from worldline import jsonl
from worldline.collect.importers import refuse_recordings
from worldline.errors import DataError, SchemaVersionError, UsageError
from worldline.trajectory import TRAJECTORY_SCHEMA, trajectory

Record = dict[str, Any]
MIGRATIONS: dict[str, Callable[[Record], Record]] = {}
"""Schema of an older major version -> what makes a record of the next one of it."""
NEWEST: dict[str, int] = {}
"""Kind of record -> its newest major version, where that is not 1."""


def migrate(path: str | Path, output: str | Path) -> Counter[str]:
    """Write every record of a JSON Lines file, brought up to date, to another file.

    Records within records (a prediction in a row, a session's steps) belong to the record that
    holds them.

    Returns:
        How many records were ``current``, ``migrated`` or ``given a schema``.

    Raises:
        UsageError: the output is the input, or is there already.
        SchemaVersionError: a record is of a newer major version than this program knows.
        DataError: a line is no Worldline record, or the output cannot be written.
    """
    path, output = Path(path), Path(output)
    if output.exists():
        raise UsageError("is there already", file=output, remedy="Give a new file.")
    counts: Counter[str] = Counter()
    kind = ""

    def records() -> Any:
        nonlocal kind
        for line in jsonl.read(path):
            value, how = _upgraded(line.value, path, line.number, inside=kind)
            kind = kind or str(value.get("schema"))
            counts[how] += 1
            yield value

    jsonl.write(output, records())
    return counts


def _upgraded(value: Any, path: Path, line: int, *, inside: str) -> tuple[Record, str]:
    if not isinstance(value, dict):
        raise _no_record(path, line)
    record = cast(Record, value)
    schema = record.get("schema")
    if schema is None and isinstance(record.get("worldline"), dict):
        _check(record["worldline"].get("schema"), path, line)  # a row of predictions
        return record, "current"
    if schema is None and inside.startswith("worldline.session/"):
        return record, "current"  # only the head of a session says what it is
    if schema is None and "turns" in record:
        refuse_recordings(record, path, line)
        trajectory(record, file=path, line=line)
        return {"schema": TRAJECTORY_SCHEMA, **record}, "given a schema"
    how = "current"
    while (schema := _check(record.get("schema"), path, line)) in MIGRATIONS:
        record, how = MIGRATIONS[schema](record), "migrated"
    return record, how


def _check(schema: object, path: Path, line: int) -> str:
    thing, slash, major = schema.rpartition("/") if isinstance(schema, str) else ("", "", "")
    if not (slash and thing.startswith("worldline.") and major.isdecimal() and len(major) < 10):
        raise _no_record(path, line)
    if int(major) > NEWEST.get(thing, 1):
        raise SchemaVersionError(
            f"{schema!r} is newer than this version knows",
            file=path,
            line=line,
            field="schema",
            remedy="Install a newer Worldline.",
        )
    return cast(str, schema)


def _no_record(path: Path, line: int) -> DataError:
    return DataError(
        "is no Worldline record",
        file=path,
        line=line,
        field="schema",
        remedy="Recordings of other tools are read by `worldline import`.",
    )
