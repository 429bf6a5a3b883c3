"""What counts: the exact text, and how much of it is right.

`exact` ignores blanks at line ends, carriage returns and blank lines at the end. `similarity` is
rapidfuzz's normalised Indel similarity (0 to 1) of the whole observations, edits carried out. A
turn without an observation (truncated, no room, unreadable) is not exact; its similarity is not a
number: the mean over the answered ones stands beside the share that was answered, and counting
those turns as 0 gives the lower bound.
"""

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from rapidfuzz.distance import Indel

from benchmarks.show.known import bare

DRAWS = 2_000


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """One prediction as it is kept: measures and hashes, no recorded text."""

    arm: str
    domain: str
    dialect: str
    trajectory: str
    cluster: str
    turn: int
    outcome: str
    reason: str | None
    origin: str
    form: str
    exact: bool
    similarity: float | None
    prompt: int | None
    completion: int | None
    latency_s: float
    row_sha: str
    observation_sha: str | None


def scored(arm: str, row: dict[str, Any]) -> Scored:
    """From a line of a predictions file."""
    ours, made = row["worldline_row"], row["worldline"]
    truth, said = row["response"][row["turn_idx"] - 1], made["observation"]
    if made["outcome"] != "ok":
        said = None
    return Scored(
        arm=arm,
        domain=row["task"],
        dialect=ours["dialect"],
        trajectory=ours["trajectory"],
        cluster=ours["cluster"],
        turn=row["turn_idx"],
        outcome=made["outcome"],
        reason=(made["reason"] or "")[:60] or None,
        origin=made["origin"],
        form=made["fit"]["form"],
        exact=said is not None and bare(said) == bare(truth),
        similarity=None if said is None else round(Indel.normalized_similarity(said, truth), 6),
        prompt=made["usage"]["prompt"],
        completion=made["usage"]["completion"],
        latency_s=round(made["latency_s"], 3),
        row_sha=row["row_sha"],
        observation_sha=None if said is None else _sha(said),
    )


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


Rows = Sequence[Scored]


def exact(rows: Rows) -> float:
    """The share of turns predicted exactly, over all turns."""
    return sum(one.exact for one in rows) / len(rows)


def answered(rows: Rows) -> float:
    """The share of turns with an observation."""
    return sum(one.similarity is not None for one in rows) / len(rows)


def similar(rows: Rows) -> float:
    """Mean similarity of the answered turns; 0 where none is."""
    found = [one.similarity for one in rows if one.similarity is not None]
    return sum(found) / len(found) if found else 0.0


def at_least(rows: Rows) -> float:
    """Mean similarity with unanswered turns as 0: the lower bound."""
    return sum(one.similarity or 0.0 for one in rows) / len(rows)


def interval(
    rows: Rows, measure: Callable[[Rows], float], seed: int = 0
) -> tuple[float, float, float]:
    """A measure with its 95 % interval by bootstrap over clusters: (value, low, high)."""
    groups: dict[str, list[Scored]] = defaultdict(list)
    for one in rows:
        groups[one.cluster].append(one)
    clusters, draw = list(groups.values()), random.Random(seed)
    found = sorted(
        measure([one for group in draw.choices(clusters, k=len(clusters)) for one in group])
        for _ in range(DRAWS)
    )
    return measure(rows), found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]


def gain(better: Rows, worse: Rows, measure: Callable[[Rows], float]) -> tuple[float, float, float]:
    """How much more one rung has than another on the same turns, with a paired interval."""
    other = {(one.domain, one.trajectory, one.turn): one for one in worse}
    pairs = [
        (one, other[key])
        for one in better
        if (key := (one.domain, one.trajectory, one.turn)) in other
    ]
    groups: dict[str, list[tuple[Scored, Scored]]] = defaultdict(list)
    for one in pairs:
        groups[one[0].cluster].append(one)
    clusters, draw = list(groups.values()), random.Random(0)

    def difference(some: Sequence[tuple[Scored, Scored]]) -> float:
        return measure([one for one, _ in some]) - measure([one for _, one in some])

    found = sorted(
        difference([one for group in draw.choices(clusters, k=len(clusters)) for one in group])
        for _ in range(DRAWS)
    )
    return difference(pairs), found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]
