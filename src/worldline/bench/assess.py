"""A trust report for somebody's own environment: how far a model is from what really came.

The recorded sessions are predicted turn by turn, twice: the model *raw*, and *grounded* by the
session's ledger. Each prediction is verified against the truth. The headline is the *lie rate*: the
share of what a prediction says of the environment that the recorded truth contradicts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from worldline.bench.infer import predict
from worldline.bench.kinds import kind_of
from worldline.bench.source import of_items
from worldline.bench.suite import Evaluated
from worldline.bench.tally import Counted, Group
from worldline.bench.verified import Verified, verify
from worldline.bench.work import Bar
from worldline.bench.worst import Worst
from worldline.jsonl import made_dir
from worldline.models.base import WorldModel
from worldline.trajectory import Trajectory

ARMS = ("raw", "grounded")
GROUND = {"raw": "none", "grounded": "ledger"}
DRAWS = 1_000
KINDS = 24
"""Kinds of action that are told apart; the rest is counted together."""


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A lie rate with its 95 % interval, by bootstrap over sessions."""

    lies: int
    claims: int
    low: float | None
    """`None` where a single session says something: nothing tells how another would differ."""
    high: float | None

    @property
    def value(self) -> float | None:
        """`None` when nothing was claimed."""
        return self.lies / self.claims if self.claims else None


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """One way of asking the model."""

    name: str
    groups: tuple[Group, ...]
    rate: Rate
    """Over the rows that it answered."""
    both: Rate
    """Over the rows that both ways answered: what may be compared."""
    answered: int
    known: int
    """Rows answered without asking the model: from the ledger, or by the protocol."""
    known_right: int
    """Of these, the ones that are exactly what really came."""
    failed: int
    """Rows that got no answer through no fault of the model."""

    @property
    def by_model(self) -> int:
        """Rows that the model answered. Where there are none, the rate says nothing of it."""
        return self.answered - self.known


class Assessed(NamedTuple):
    """Both arms, and what a page shows of them."""

    arms: tuple[Arm, ...]
    kinds: dict[str, dict[str, float]]
    """Kind of action -> arm -> lie rate, the most frequent kinds first."""
    unknown: dict[str, int]
    """Words that nothing before their turn determines -> rows; what a model cannot know here."""
    worst: Worst
    turns: int


def chosen(trajectories: Sequence[Trajectory], most: int, seed: int = 0) -> list[Evaluated]:
    """At most `most` turns, drawn evenly from the sessions; each session in its order."""
    places = [(i, n) for i, one in enumerate(trajectories) for n in range(1, len(one.turns) + 1)]
    picked = sorted(Random(seed).sample(places, min(most, len(places))))
    turns: defaultdict[int, list[int]] = defaultdict(list)
    for at, number in picked:
        turns[at].append(number)
    return [Evaluated(trajectories[at], tuple(numbers)) for at, numbers in turns.items()]


async def assess(
    items: Sequence[Evaluated],
    model: WorldModel,
    folder: Path,
    *,
    concurrency: int = 2,
    context: int | None = None,
    max_tokens: int | None = None,
    retry_failed: bool = False,
    watch: Callable[[str, int | None], AbstractContextManager[Bar]] | None = None,
) -> Assessed:
    """Ask the model both ways, verify, and count. Results stay in `folder`; a second run goes on.

    Args:
        items: the sessions and the turns of each that are asked about.
        retry_failed: ask again about turns that got no answer through no fault of the model.
        watch: progress, told which way is asked and how many rows are left.

    Raises:
        DataError: the folder cannot be made or written, or a recording is broken.
    """
    made_dir(folder)
    worst, unknown = Worst(), Counter[str]()
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    counted = {name: Counted() for name in ARMS}
    failed: dict[str, int] = {}
    rows: dict[str, list[Verified]] = {}
    for name in ARMS:
        out = folder / f"{name}.jsonl"
        report = await predict(
            of_items(items, "traces"),
            model,
            out,
            concurrency=concurrency,
            ground=GROUND[name],
            context=context,
            max_tokens=max_tokens,
            retry_failed=retry_failed,
            watch=partial(watch, name) if watch else None,
        )
        failed[name], rows[name] = report.failed, []
        for sides in verify(out):
            row = msgspec.structs.replace(sides.row, violations=(), differences=(), unknown=())
            rows[name].append(row)
            counted[name].add(sides.row)
            kind = kind_of(sides.action)
            kinds[kind].update({f"{name} lies": row.lies, f"{name} claims": row.claims, "rows": 1})
            if name == "grounded":
                worst.add(sides)
                unknown.update(set(sides.row.unknown))
    said = [{row.line for row in some if row.status == "scored"} for some in rows.values()]
    both = set[int].intersection(*said)
    arms = [
        _arm(name, some, both, counted[name].groups(), failed[name]) for name, some in rows.items()
    ]
    turns = sum(len(item.turns) for item in items)
    return Assessed(tuple(arms), _rates(kinds), dict(unknown.most_common(40)), worst, turns)


def _arm(
    name: str, rows: Sequence[Verified], both: set[int], groups: list[Group], failed: int
) -> Arm:
    known = [row for row in rows if row.origin in ("known", "protocol")]
    return Arm(
        name=name,
        groups=tuple(groups),
        rate=_rate(rows),
        both=_rate([row for row in rows if row.line in both]),
        answered=sum(row.status == "scored" for row in rows),
        known=len(known),
        known_right=sum(row.plain.get("exact") == 1 for row in known),
        failed=failed,
    )


def _rate(rows: Sequence[Verified]) -> Rate:
    sessions: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        sessions[row.session][0] += row.lies
        sessions[row.session][1] += row.claims
    return interval(list(sessions.values()))


def _rates(kinds: dict[str, Counter[str]]) -> dict[str, dict[str, float]]:
    ordered = sorted(kinds.items(), key=lambda one: (-one[1]["rows"], one[0]))[:KINDS]
    return {
        kind: {
            arm: counts[f"{arm} lies"] / counts[f"{arm} claims"]
            for arm in ARMS
            if counts[f"{arm} claims"]
        }
        for kind, counts in ordered
    }


def interval(sessions: Sequence[Sequence[int]], seed: int = 0) -> Rate:
    """The rate over sessions of (lies, claims), with its interval."""
    lies, claims = sum(one[0] for one in sessions), sum(one[1] for one in sessions)
    if sum(one[1] > 0 for one in sessions) < 2:
        return Rate(lies=lies, claims=claims, low=None, high=None)
    rng, values = Random(seed), list[float]()
    for _ in range(DRAWS):
        drawn = rng.choices(sessions, k=len(sessions))
        total = sum(one[1] for one in drawn)
        if total:
            values.append(sum(one[0] for one in drawn) / total)
    values.sort()
    low, high = (values[int(share * (len(values) - 1))] for share in (0.025, 0.975))
    return Rate(lies=lies, claims=claims, low=low, high=high)
