"""Snapshots: a real environment read into an initial state and facts.

Without one a world model invents the state, and deceives the agent that acts in it. A snapshot says
what it left out (`omitted`), and every fact says whether it is complete: what is absent from a
partial listing may still exist.
"""

from pathlib import Path
from typing import Any, cast

import msgspec

from worldline import jsonl
from worldline.errors import DataError
from worldline.facts import Fact
from worldline.trajectory import check_schema, validation_error

SNAPSHOT_SCHEMA = "worldline.snapshot/1"


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A state, as text for a model and as facts for a ledger.

    `tokens` is an estimate for `text`; `omitted` names what was left out and why; `redacted` counts
    what was replaced, by kind.
    """

    domain: str
    dialect: str
    text: str
    tokens: int
    facts: tuple[Fact, ...] = ()
    omitted: tuple[str, ...] = ()
    redacted: dict[str, int] = {}
    taken_at: str
    schema: str = SNAPSHOT_SCHEMA


def read_snapshot(path: str | Path) -> Snapshot:
    """Read a snapshot file.

    Raises:
        DataError: it cannot be read, is no snapshot, or is of another major version.
    """
    path = Path(path)
    try:
        value = jsonl.loads(path.read_bytes())
    except OSError as error:
        raise DataError(
            f"cannot be read ({error.strerror})",
            file=path,
            remedy="Make one with: worldline snapshot terminal DIR -o FILE",
        ) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON ({error})", file=path) from error
    row = cast(dict[str, Any], value if isinstance(value, dict) else {})
    check_schema(row.get("schema"), SNAPSHOT_SCHEMA, file=path)
    try:
        return jsonl.convert(row, Snapshot)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path) from error


def write_snapshot(path: str | Path, snapshot: Snapshot) -> None:
    """Write a snapshot file (one JSON object); it appears whole or not at all."""
    jsonl.write(path, [msgspec.to_builtins(snapshot)])
