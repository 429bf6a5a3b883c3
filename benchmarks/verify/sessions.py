"""Recorded sessions to measure on: those of others by path, and our own benchmark's."""

import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec

from worldline import jsonl
from worldline.bench.suite import HOME
from worldline.collect.importers.common import read_common
from worldline.storage import read_trajectories
from worldline.trajectory import Trajectory, trajectory
from worldline.verify.measure import Moment
from worldline.verify.moments import moments

DOMAINS = ("terminal", "swe", "mcp", "search", "web", "os", "android")
OURS = ("terminal", "swe", "mcp", "search")
"""Domains that we have recordings of our own of."""
LIES = Path(__file__).parents[1] / "show" / "lies"


def sessions(data: Path, domain: str) -> Iterator[Trajectory]:
    """Recorded sessions of a domain: `data` has others' by domain, ours come from the benchmark."""
    path = data / f"{domain}.jsonl"
    if path.is_file():
        yield from read_common(path)
    if domain in OURS:
        yield from read_trajectories(HOME / "trajectories" / f"{domain}.jsonl.gz")


def drawn(data: Path, domain: str, each: int, seed: int = 0) -> Iterator[tuple[str, Moment]]:
    """Moments drawn at random, at most `each` of a dialect, as (dialect, moment)."""
    found = sorted(sessions(data, domain), key=lambda one: one.dialect)
    for dialect, group in groupby(found, key=lambda one: one.dialect):
        some = list(group)
        count = sum(len(one.turns) for one in some)
        rng = random.Random(f"{seed}|{domain}|{dialect}")
        wanted = set(rng.sample(range(count), min(each, count)))
        at = 0
        for one in some:
            for moment in moments(one):
                if at in wanted:
                    yield dialect, moment
                at += 1


class Lie(msgspec.Struct, frozen=True, kw_only=True):
    """An observation that the session before it rules out."""

    id: str
    origin: str
    """``hand``, or ``embedded``: really said by the embedded model."""
    why: str
    """Which earlier text it contradicts, for a reader."""
    trajectory: Trajectory
    """Up to the turn that is lied about; its observation is the true one. Sessions written by hand
    are set in environments of our own (``simulated``): their engines and servers stand still, and
    nobody else acts in them. Others say whose they are."""
    lie: str

    @property
    def moment(self) -> Moment:
        """The session just before the turn."""
        *_, last = moments(self.trajectory)
        return last


def lies(domain: str) -> list[Lie]:
    """The committed lies of a domain; none if there is no file."""
    path = LIES / f"{domain}.jsonl"
    if not path.is_file():
        return []
    return [
        Lie(
            id=row["id"],
            origin=row["origin"],
            why=row["why"],
            trajectory=trajectory(row["trajectory"], file=path, line=number),
            lie=row["lie"],
        )
        for number, row in jsonl.read(path)
    ]
