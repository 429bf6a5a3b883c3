"""Turns and trajectories: the one schema that every part of Worldline meets at.

A trajectory is a system prompt in five parts, the tools where they differ by trajectory, and turns
of action and observation. Data is frozen; unknown fields are kept in `extra` and written back.
"""

import hashlib
from typing import Any, Self, cast

import msgspec

from worldline import columns, jsonl
from worldline.errors import DataError, SchemaVersionError

TRAJECTORY_SCHEMA = "worldline.trajectory/1"


class SystemPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """The context ``c`` of a world model.

    `verbatim` holds a foreign system prompt, which is sent unchanged instead of the parts.
    """

    task_description: str = ""
    action_space: str = ""
    initial_state: str | None = None
    demonstrations: str = ""
    simulation_instruction: str | None = None
    verbatim: str | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """An action and what the environment returned after it.

    `state_before` is set only where the state before the action differs from the previous
    observation (the screen moved on its own).
    """

    action: str
    observation: str
    state_before: str | None = None
    info: dict[str, Any] = {}


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where a trajectory was recorded. `licence` is ``unknown`` rather than guessed."""

    kind: str = "unknown"
    name: str = "unknown"
    version: str | None = None
    licence: str = "unknown"
    collected_at: str | None = None
    seed: int | None = None
    host: str | None = None


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded (or simulated) session. `turns` may be empty: a session that has not begun."""

    id: str
    domain: str
    dialect: str
    system: SystemPrompt = SystemPrompt()
    tools: tuple[dict[str, Any], ...] | None = None
    task: str | None = None
    turns: tuple[Turn, ...] = ()
    source: Source = Source()
    meta: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    schema: str = TRAJECTORY_SCHEMA

    @property
    def cluster(self) -> str:
        """The unit for statistics: source and a hash of the first two turns, since ids repeat."""
        digest = hashlib.sha256()
        for turn in self.turns[:2]:
            for part in (turn.action, turn.observation):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
        return self.meta.get("cluster") or f"{self.source.name}:{digest.hexdigest()[:16]}"

    def before(self, turn: int) -> Self:
        """This trajectory as it stood before 1-based `turn`: everything later is gone."""
        return msgspec.structs.replace(self, turns=self.turns[: turn - 1])

    def record(self) -> dict[str, Any]:
        """The trajectory as JSON values, extras beside the fields they came with."""
        row: dict[str, Any] = msgspec.to_builtins(self)
        extra = row.pop("extra")
        return {"schema": row.pop("schema"), **row, **extra}


_FIELDS = frozenset(Trajectory.__struct_fields__) - {"extra"}


def trajectory(row: Any, *, file: object = None, line: int | None = None) -> Trajectory:
    """Read one trajectory record.

    Integer ids are accepted: 7 becomes "7", and `meta.source_id` keeps the 7, so that it stays
    distinguishable from the text "7". A record that does not say its source is taken for somebody's
    own (``recorded``). Unknown fields are kept in `extra`. Rows of typed columns, as
    files hold them (`worldline.columns`), are read too.

    Raises:
        SchemaVersionError: another major version of the schema.
        DataError: a field is missing or has the wrong type; names file, line and field.
    """
    if not isinstance(row, dict):
        raise DataError(
            f"expected an object, got {type(row).__name__}",
            file=file,
            line=line,
            remedy="Each line must hold one trajectory object.",
        )
    fields = cast(dict[str, Any], row)
    if columns.is_columns(fields):
        fields = columns.restore(fields, file=file, line=line)
    known = {key: value for key, value in fields.items() if key in _FIELDS}
    if not known.get("source"):  # somebody's own record: nothing says that it was our harness
        known["source"] = {"kind": "recorded"}
    extra = {key: value for key, value in fields.items() if key not in _FIELDS}
    check_schema(known.get("schema", TRAJECTORY_SCHEMA), TRAJECTORY_SCHEMA, file=file, line=line)
    if isinstance(known.get("id"), int) and not isinstance(known["id"], bool):
        meta = known.get("meta", {})
        known["meta"] = {"source_id": known["id"], **meta} if isinstance(meta, dict) else meta
        known["id"] = str(known["id"])
    try:
        found = jsonl.convert({**known, "extra": extra}, Trajectory)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=file, line=line) from error
    cluster = found.meta.get("cluster")
    if cluster and not isinstance(cluster, str):
        raise DataError(
            f"expected a string, got {cluster!r}",
            file=file,
            line=line,
            field="meta.cluster",
            remedy="Write the name of its cluster as text, or leave it out.",
        )
    return found


def check_schema(found: object, want: str, *, file: object = None, line: int | None = None) -> None:
    """Refuse a record of another kind or major version, naming the way out."""
    if found == want:
        return
    if isinstance(found, str) and found.rpartition("/")[0] == want.rpartition("/")[0]:
        raise SchemaVersionError(
            f"is {found!r}; this version reads {want!r}",
            file=file,
            line=line,
            field="schema",
            remedy="Convert it with `worldline migrate FILE -o NEW`.",
        )
    raise DataError(
        f"expected {want!r}, got {found!r}",
        file=file,
        line=line,
        field="schema",
        remedy="This file holds another kind of record; see docs/formats.md.",
    )


def validation_error(
    error: msgspec.ValidationError, *, file: object = None, line: int | None = None
) -> DataError:
    """A msgspec error (``Expected `str`, got `int` - at `$.turns[0].action```) in our words."""
    message, _, path = str(error).partition(" - at ")
    field = path.strip("`").removeprefix("$").removeprefix(".")
    return DataError(
        message.replace("`", "") + ".",
        file=file,
        line=line,
        field=field or None,
        remedy="See docs/formats.md for the shape.",
    )
