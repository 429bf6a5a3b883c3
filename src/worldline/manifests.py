"""Manifests on disk: written whole or not at all, and compared before a run is continued."""

import os
from pathlib import Path
from typing import Any

from worldline import jsonl
from worldline.errors import DataError, UsageError, cause
from worldline.paths import parent_made
from worldline.trajectory import check_schema


def write(path: Path, value: dict[str, Any]) -> None:
    """Put a manifest in its place; it outlives a power cut when this returns.

    Raises:
        DataError: it cannot be written.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        with parent_made(partial).open("wb") as file:
            file.write(jsonl.dumps(value) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise jsonl.unwritable(path, error) from error


def read(path: Path, schema: str, missing: DataError) -> dict[str, Any]:
    """The manifest of an earlier run.

    Args:
        missing: what to raise when there is none.

    Raises:
        DataError: it cannot be read or is no manifest.
    """
    try:
        found = jsonl.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise missing from error
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read ({cause(error)})", file=path) from error
    if not isinstance(found, dict):
        raise DataError("is not a manifest", file=path)
    check_schema(found.get("schema"), schema, file=path)
    return found


def must_agree(path: Path, field: str, was: Any, now: Any, *, made: str, remedy: str) -> None:
    """Refuse to continue a run that was another one.

    Args:
        field: what is compared, as a path of the manifest.
        made: how the error begins, as ``this folder was made``.

    Raises:
        UsageError: the two differ; names the first place where they do.
    """
    if was == now:
        return
    field, was, now = _difference(field, was, now)
    message = f"{made} with {was!r}, now it is {now!r}"
    raise UsageError(message, file=path, field=field, remedy=remedy)


def _difference(field: str, was: Any, now: Any) -> tuple[str, Any, Any]:
    """The first value in which two JSON values differ, and its path."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in (*now, *was):
            if was.get(key) != now.get(key):
                return _difference(f"{field}.{key}", was.get(key), now.get(key))
    return field, was, now
