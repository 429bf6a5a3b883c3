"""A case on disk, and the recorded session it is about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from worldline import jsonl
from worldline.bench.suite import HOME, Evaluated, files
from worldline.errors import DataError
from worldline.storage import read_trajectories
from worldline.tasks.args import argument
from worldline.tasks.task import Check
from worldline.trajectory import Trajectory, check_schema, validation_error

SCHEMA = "worldline.rule_case/1"
Axis = Literal["control", "error", "memory"]
AXES: tuple[Axis, ...] = ("control", "error", "memory")
SETS = Path(__file__).parents[1] / "sets" / "rules"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One turn and its checks. `trajectory` is the id of one in worldline-bench."""

    id: str
    axis: Axis
    domain: str
    dialect: str
    family: str
    trajectory: str
    turn: int
    """From 1."""
    checks: tuple[Check, ...]
    instruction: str | None = None
    """What the simulation is told (axis ``control``)."""
    longest: int | None = None
    """Characters of an observation that can pass: whoever says back all there is has not
    answered."""
    schema: str = SCHEMA


def read(path: Path) -> Iterator[Case]:
    """The cases of a file.

    Raises:
        DataError: a line is broken; it names file, line and field.
    """
    for number, value in jsonl.read(path):
        told = value if isinstance(value, dict) else {}
        check_schema(told.get("schema"), SCHEMA, file=path, line=number)
        try:
            case = jsonl.convert(told, Case)
        except msgspec.ValidationError as error:
            raise validation_error(error, file=path, line=number) from error
        _arguments(case, path, number)
        yield case


def _arguments(case: Case, path: Path, number: int) -> None:
    """Refuse a check whose argument is not what its op needs."""
    for at, check in enumerate(case.checks):
        try:
            argument(check)
        except DataError as error:
            field = f"checks[{at}].{error.field or 'arg'}"
            raise DataError(
                error.message, file=path, line=number, field=field, remedy=error.remedy
            ) from error


def sets() -> list[Path]:
    """The files of cases that come along, one a domain."""
    return sorted(SETS.glob("*.jsonl"))


def posed(cases: list[Case], folder: Path = HOME) -> Iterator[tuple[Case, Evaluated]]:
    """Each case with its session, which ends in the turn that is asked about.

    Args:
        folder: the benchmark that holds the sessions.

    Raises:
        DataError: a case is about a session or a turn that is not there.
    """
    wanted: dict[str, list[Case]] = {}
    for case in cases:
        wanted.setdefault(case.trajectory, []).append(case)
    for path in files(folder):
        if path.name.partition(".")[0] not in {case.domain for case in cases}:
            continue
        for one in read_trajectories(path):
            for case in wanted.pop(one.id, []):
                yield case, Evaluated(session(case, one), (case.turn,))
    if wanted:
        raise DataError(
            f"the session {next(iter(wanted))!r} is not there",
            file=folder,
            remedy="Rule cases belong to one version of the benchmark: `bench rules --propose`.",
        )


def session(case: Case, trajectory: Trajectory) -> Trajectory:
    """The session of a case: up to its turn, under its instruction."""
    if not 1 <= case.turn <= len(trajectory.turns):
        raise DataError(f"{case.id}: {trajectory.id} has no turn {case.turn}")
    system = trajectory.system
    if case.instruction is not None:
        system = msgspec.structs.replace(system, simulation_instruction=case.instruction)
    return msgspec.structs.replace(
        trajectory, id=case.id, turns=trajectory.turns[: case.turn], system=system
    )
