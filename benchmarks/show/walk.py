"""Recorded texts of every domain and dialect, in order, for the checks of part 2."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks.show import SMALL, Show
from worldline.collect.importers.common import read_common
from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import Dialect, Domain
from worldline.trajectory import Trajectory

SEVEN = ("terminal", "swe", "mcp", "search", "web", "os", "android")
"""The domains that part 2 promises."""
Kind = Literal["action", "observation", "initial_state", "state_before"]


class Text(NamedTuple):
    """One recorded text; turn 0 is the state before the first turn."""

    trajectory: str
    turn: int
    kind: Kind
    text: str


class Step(NamedTuple):
    """One turn between two states."""

    trajectory: Trajectory
    turn: int
    before: str
    after: str
    earlier: tuple[str | None, ...]
    """The initial state and the observations of the turns before."""


def installed(show: Show) -> Iterator[Domain]:
    """Those of the seven that are there; one that is not is a measure that fails."""
    for name in SEVEN:
        there = name in names()
        if there:
            yield find_domain(name)
        else:
            print(f"{name}: MISSING, there is no such domain yet")
            show.measure(f"{name} installed", 0, better="higher", floor=1, goal=1)


def recordings(show: Show, domain: str) -> list[Trajectory]:
    """The recorded trajectories of a domain (or the small ones of our own)."""
    return read(show.data / f"{domain}.jsonl")


def small(domain: str) -> list[Trajectory]:
    """The small trajectories of our own."""
    return read(SMALL / f"{domain}.jsonl")


def read(path: Path) -> list[Trajectory]:
    """The trajectories of a file; none if it is not there."""
    return list(read_common(path)) if path.is_file() else []


def by_dialect(domain: Domain, found: list[Trajectory]) -> dict[str, list[Trajectory]]:
    """Dialect -> its trajectories; dialects without any are there too."""
    groups: dict[str, list[Trajectory]] = {name: [] for name in domain.dialects}
    for one in found:
        groups.setdefault(one.dialect, []).append(one)
    return groups


def texts(trajectory: Trajectory) -> Iterator[Text]:
    """Every text of a trajectory that a dialect must read."""
    if trajectory.system.initial_state is not None:
        yield Text(trajectory.id, 0, "initial_state", trajectory.system.initial_state)
    for number, turn in enumerate(trajectory.turns, 1):
        if turn.state_before is not None:
            yield Text(trajectory.id, number, "state_before", turn.state_before)
        yield Text(trajectory.id, number, "action", turn.action)
        yield Text(trajectory.id, number, "observation", turn.observation)


def steps(trajectory: Trajectory, dialect: Dialect) -> Iterator[Step]:
    """The turns whose states before and after are both trees.

    The state before is the recorded `state_before`, else the observation of the turn before, else
    the initial state.
    """
    form = dialect.tree
    if form is None:
        return
    seen = trajectory.system.initial_state
    earlier = [seen]
    for number, turn in enumerate(trajectory.turns, 1):
        before = seen if turn.state_before is None else turn.state_before
        if before is not None and form.parse(before) and form.parse(turn.observation):
            yield Step(trajectory, number, before, turn.observation, tuple(earlier))
        seen = turn.observation
        earlier.append(seen)
