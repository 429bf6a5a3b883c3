"""What a corpus is made of, counted in one pass over its trajectories."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from worldline.collect.masks import masked
from worldline.corpus.essence import essence
from worldline.corpus.near import Near
from worldline.trajectory import Trajectory, Turn

STATS_SCHEMA = "worldline.corpus_stats/1"
EDGES = (0, 1, 50, 200, 500, 1000, 2000, 5000, 10_000, 50_000)
"""Lower ends of the bins that observation lengths (characters) are counted in."""
SAMPLES = 5
"""Turns of each domain that are shown."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A turn to look at, drawn uniformly."""

    trajectory: str
    turn: int
    action: str
    observation: str


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of one domain. Shares are of turns.

    Args:
        distinct_actions: turns whose action, its talk apart, no turn before had.
        near_duplicates: turns whose action and observation, runtime metadata masked, are almost
            those of a turn before; see `worldline.corpus.near`.
    """

    trajectories: int
    turns: int
    distinct_actions: float
    near_duplicates: float
    empty_observations: float
    characters: int
    median_observation: int
    lengths: tuple[int, ...]
    families: dict[str, int]
    dialects: dict[str, int]
    statuses: dict[str, int]
    exit_codes: dict[str, int]
    intents: dict[str, int]
    licences: dict[str, int]
    samples: tuple[Sample, ...] = ()


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """Counts by domain."""

    domains: dict[str, Domain]
    schema: str = STATS_SCHEMA


class _Count:
    """One domain while it is counted."""

    def __init__(self) -> None:
        self.trajectories = self.turns = self.distinct = self.near = self.characters = 0
        self.actions: set[int] = set()
        self.lengths: list[int] = []
        self.by: dict[str, Counter[str]] = {}
        self.duplicates = Near()
        self.samples: list[Sample] = []
        self.choices = random.Random(0)

    def add(self, one: Trajectory) -> None:
        self.trajectories += 1
        self._tally("families", str(one.meta.get("family", "none")))
        self._tally("licences", one.source.licence)
        self._tally("dialects", one.dialect, len(one.turns))
        for number, turn in enumerate(one.turns, 1):
            self._turn(one, number, turn)

    def _turn(self, one: Trajectory, number: int, turn: Turn) -> None:
        self.turns += 1
        done = essence(turn.action)
        self.distinct += hash(done) not in self.actions
        self.actions.add(hash(done))
        text = f"{done}\n{masked(one.domain, turn.observation).text}"
        self.near += self.duplicates.seen(text)
        self.lengths.append(len(turn.observation))
        self.characters += len(turn.action) + len(turn.observation)
        for what, key in (
            ("statuses", "status"),
            ("exit_codes", "exit_code"),
            ("intents", "intent"),
        ):
            value = turn.info.get(key, "ok" if key == "status" else None)
            if value is not None:
                self._tally(what, str(value))
        self._sample(one, number, turn)

    def _sample(self, one: Trajectory, number: int, turn: Turn) -> None:
        """Reservoir sampling: each turn is as likely as any other."""
        place = len(self.samples)
        if place >= SAMPLES:
            place = self.choices.randrange(self.turns)
        if place < SAMPLES:
            found = Sample(
                trajectory=one.id,
                turn=number,
                action=turn.action[:1200],
                observation=turn.observation[:1200],
            )
            self.samples[place : place + 1] = [found]

    def _tally(self, what: str, value: str, count: int = 1) -> None:
        self.by.setdefault(what, Counter())[value] += count

    def done(self) -> Domain:
        turns, lengths = max(self.turns, 1), sorted(self.lengths)
        bins = [0] * len(EDGES)
        for length in lengths:
            bins[max(at for at, edge in enumerate(EDGES) if length >= edge)] += 1
        named: dict[str, dict[str, int]] = {
            what: dict(self.by.get(what, Counter()).most_common())
            for what in ("families", "dialects", "statuses", "exit_codes", "intents", "licences")
        }
        return Domain(
            trajectories=self.trajectories,
            turns=self.turns,
            distinct_actions=self.distinct / turns,
            near_duplicates=self.near / turns,
            empty_observations=bins[0] / turns,
            characters=self.characters,
            median_observation=lengths[len(lengths) // 2] if lengths else 0,
            lengths=tuple(bins),
            samples=tuple(self.samples),
            **named,
        )


def stats(trajectories: Iterable[Trajectory], told: Callable[[], Any] = lambda: None) -> Stats:
    """Count a corpus.

    Args:
        told: called after each trajectory, for progress.
    """
    counts: dict[str, _Count] = {}
    for one in trajectories:
        counts.setdefault(one.domain, _Count()).add(one)
        told()
    return Stats(domains={domain: counts[domain].done() for domain in sorted(counts)})
