"""Rows of a benchmark: AgentWorldBench's own, and our trajectories in the same form.

One turn is one row, with its history. Our rows have the same eight fields and one more,
``worldline_row: {trajectory, dialect, cluster, context}``, so that one runner, one output form and
other people's tools serve both. `context` is JSON text: the parts of the system prompt, tools, task
and states from which `trajectory_of` puts the trajectory together again.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from worldline import jsonl
from worldline.collect.importers.awb import BenchRow, as_trajectory, bench_row, looks_like_row
from worldline.errors import DataError
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

__all__ = ["BenchRow", "bench_row", "looks_like_row", "read_rows", "rows_of", "trajectory_of"]

OUTPUT_FIELDS = ("gen", "worldline", "row_sha")
"""What predicting adds to a row."""
OURS = "worldline_row"
"""The field that rows made from our trajectories have."""


class Context(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a trajectory holds beside actions, observations and its `verbatim` system prompt."""

    system: SystemPrompt = SystemPrompt()
    tools: tuple[dict[str, Any], ...] | None = None
    task: str | None = None
    states: dict[str, str] = {}
    """Number of a turn -> its `state_before`, where it has one."""
    source: Source = Source(kind="benchmark")
    """Whose session it was: what is certain of ours need not be of another harness."""


class Ours(msgspec.Struct, frozen=True, kw_only=True):
    """The field ``worldline_row``: where a row of ours comes from."""

    trajectory: str
    dialect: str
    cluster: str
    context: str = "{}"


def read_rows(path: str | Path) -> Iterator[BenchRow]:
    """Stream the rows of a benchmark file (``.gz`` too), checked.

    Raises:
        DataError: a row is broken, asks about one action and is graded on another, or already
            holds predictions; it names file, line and field.
    """
    for line in jsonl.read(path):
        row = bench_row(line.value, path, line.number)
        _unpredicted(row, path, line.number)
        if OURS in row.row:
            _ours_of(row, path, line.number)
        yield row


def _unpredicted(row: BenchRow, file: object, line: int | None) -> None:
    for name in OUTPUT_FIELDS:
        if name in row.row:
            raise DataError(
                "is there already: the row holds a prediction",
                file=file,
                line=line,
                field=name,
                remedy="Give the file that was predicted, not the predictions.",
            )


def rows_of(
    trajectory: Trajectory, turns: Literal["all", "last"] | Iterable[int] = "all"
) -> Iterator[BenchRow]:
    """A trajectory as rows, one a turn.

    Args:
        turns: which ones, counted from 1.
    """
    total = len(trajectory.turns)
    chosen = range(1, total + 1) if turns == "all" else (total,) if turns == "last" else turns
    actions = [turn.action for turn in trajectory.turns]
    observations = [turn.observation for turn in trajectory.turns]
    for number in cast(Iterable[int], chosen):
        if not 1 <= number <= total:
            continue
        yield BenchRow(
            {
                "task": trajectory.domain,
                "id": trajectory.id,
                "prompt": actions[:number],
                "response": observations[:number],
                "current_prompt": actions[number - 1],
                "system_str": trajectory.system.verbatim or "",
                "turn_idx": number,
                "total_turns": total,
                OURS: msgspec.to_builtins(_ours(trajectory, number)),
            }
        )


def _ours(trajectory: Trajectory, number: int) -> Ours:
    states = {
        str(index): turn.state_before
        for index, turn in enumerate(trajectory.turns[:number], 1)
        if turn.state_before is not None
    }
    context = Context(
        system=msgspec.structs.replace(trajectory.system, verbatim=None),
        tools=trajectory.tools,
        task=trajectory.task,
        states=states,
        source=trajectory.source,
    )
    return Ours(
        trajectory=trajectory.id,
        dialect=trajectory.dialect,
        cluster=trajectory.cluster,
        context=jsonl.dumps(msgspec.to_builtins(context)).decode(),
    )


def session_of(row: BenchRow) -> str:
    """The session a row is from, as ``trajectory id/cluster`` or, of a foreign row, ``id/hash``."""
    if OURS not in row.row:
        return row.session
    return f"{row.row[OURS]['trajectory']}/{row.row[OURS]['cluster']}"


def trajectory_of(row: BenchRow, file: object = None, line: int | None = None) -> Trajectory:
    """The session up to and including the evaluated turn, actions and observations bare.

    Raises:
        DataError: the field `worldline_row` is broken.
    """
    if OURS not in row.row:
        return as_trajectory(row)
    ours, context = _ours_of(row, file, line)
    pairs = zip(row.row["prompt"][: row.turn], row.row["response"], strict=False)
    return Trajectory(
        id=ours.trajectory,
        domain=row.domain,
        dialect=ours.dialect,
        system=msgspec.structs.replace(context.system, verbatim=row.row["system_str"] or None),
        tools=context.tools,
        task=context.task,
        source=context.source,
        turns=tuple(
            Turn(action=action, observation=seen, state_before=context.states.get(str(number)))
            for number, (action, seen) in enumerate(pairs, 1)
        ),
        meta={"cluster": ours.cluster},
    )


def _ours_of(row: BenchRow, file: object, line: int | None) -> tuple[Ours, Context]:
    try:
        ours = jsonl.convert(row.row[OURS], Ours)
        return ours, jsonl.convert(jsonl.loads(ours.context), Context)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        message, _, path = str(error).partition(" - at ")
        raise DataError(
            message.replace("`", ""),
            file=file,
            line=line,
            field=OURS + path.strip("`").removeprefix("$"),
            remedy="See docs/formats.md, Benchmark rows.",
        ) from error
