"""Predictions set back into the session they are from: one moment a row.

Rows of one session usually follow each other, and each holds its whole history. A session is gone
through once: a row whose history goes on where the last row's ended continues it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worldline import jsonl
from worldline.bench.judge.judged import JUDGED_FIELDS
from worldline.bench.rows import OURS, OUTPUT_FIELDS, bench_row, session_of, trajectory_of
from worldline.errors import DataError
from worldline.extract import extract
from worldline.trajectory import Trajectory
from worldline.verify.measure import Moment
from worldline.verify.moments import Session


class Predicted(NamedTuple):
    """One predicted row, at its moment."""

    line: int
    id: str
    session: str
    domain: str
    dialect: str
    moment: Moment
    observation: str | None
    """What was predicted; `None` when there is nothing to measure."""
    reason: str | None
    """Why not: an outcome, as ``truncated: length``."""
    model: str
    """Who predicted it, where the row says."""
    origin: str
    guessed: bool = False
    """The row does not say its dialect: it is guessed from the texts."""


def predicted(path: Path) -> Iterator[Predicted]:
    """The predictions of a file: ours, or any tool's in AgentWorldBench form (a row and ``gen``).

    Raises:
        DataError: a row is broken or holds no prediction; it names file, line and field.
    """
    last: _Walk | None = None
    for number, value in jsonl.read(path):
        told = value if isinstance(value, dict) else {}
        if "gen" not in told:
            raise DataError(
                "holds no prediction",
                file=path,
                line=number,
                field="gen",
                remedy="Give predictions (`worldline predict ROWS -o FILE`), or trajectories.",
            )
        given = {name: one for name, one in told.items() if name not in _ADDED}
        row = bench_row(given, path, number)
        trajectory = trajectory_of(row, path, number)
        if last is None or not last.goes_on(trajectory, session_of(row)):
            last = _Walk(trajectory, session_of(row), path, number)
        observation, reason, model, origin = _told(told, path, number)
        yield Predicted(
            line=number,
            id=str(row.row["id"]),
            session=session_of(row),
            domain=trajectory.domain,
            dialect=trajectory.dialect if OURS in row.row else last.dialect,
            moment=last.last(trajectory),
            observation=observation,
            reason=reason,
            model=model,
            origin=origin,
            guessed=OURS not in row.row,
        )


_ADDED = (*OUTPUT_FIELDS, *JUDGED_FIELDS)
"""Fields that predicting and judging add to a row."""


class _Walk:
    """The session that the last row was from."""

    def __init__(self, trajectory: Trajectory, session: str, path: Path, number: int) -> None:
        self._key = session
        self._like = msgspec.structs.replace(trajectory, turns=())
        self._session = Session(trajectory, file=path, line=number)
        self._turns: list[tuple[str, str, str | None]] = []
        self.dialect = trajectory.dialect

    def goes_on(self, trajectory: Trajectory, session: str) -> bool:
        """Whether a trajectory is this session, no shorter than what was gone through."""
        before = [(t.action, t.observation, t.state_before) for t in trajectory.turns[:-1]]
        return (
            session == self._key
            and len(before) >= len(self._turns)
            and before[: len(self._turns)] == self._turns
            and trajectory.system == self._like.system
            and trajectory.tools == self._like.tools
        )

    def last(self, trajectory: Trajectory) -> Moment:
        """The moment before the trajectory's last turn."""
        for turn in trajectory.turns[len(self._turns) : -1]:
            self._session.moment(turn)
            self._session.past(turn)
            self._turns.append((turn.action, turn.observation, turn.state_before))
        return self._session.moment(trajectory.turns[-1])


def _told(row: dict[str, Any], path: Path, number: int) -> tuple[str | None, str | None, str, str]:
    """(observation, why there is none, model, origin) of a row."""
    ours = row.get("worldline")
    if isinstance(ours, dict):
        outcome = str(ours.get("outcome"))
        seen = ours.get("observation")
        model, origin = str(ours.get("model") or "model"), str(ours.get("origin") or "model")
        if outcome == "ok" and isinstance(seen, str):
            return seen, None, model, origin
        reason = ours.get("reason")
        return None, f"{outcome}: {reason}" if reason else outcome, model, origin
    gen = row["gen"]
    if not isinstance(gen, str):
        raise DataError("must be text", file=path, line=number, field="gen", remedy=_GEN)
    found = extract(gen)
    if found.observation is None:
        return None, f"no_prediction: {found.how}", "model", "model"
    return found.observation, None, "model", "model"


_GEN = "It is the reply of the model as it came."
