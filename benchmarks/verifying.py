"""Verifying: what the guard and the exact scorecard cost beside a plain similarity of texts.

Rows are evaluated turns of worldline-bench with an observation of 1 to 3 kB, each predicted a
little wrong. What one would take instead says one number and no reason: Python's own difflib, or
rapidfuzz, which is compiled.
"""

import random
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cache

from rapidfuzz.distance import Indel

from benchmarks.measure import Row, compare, medians, seconds
from benchmarks.verify.counts import errors
from worldline.bench.suite import HOME, evaluated
from worldline.verify.corrupt import corruptions
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

RUNS, ROWS = 3, 200
SHORTEST, LONGEST = 1_000, 3_000

Wrong = tuple[Moment, str]


def measure() -> list[Row]:
    rows = chosen()
    ways = (ours, guard, by_difflib, by_rapidfuzz)
    mine, alone, slow, fast = (
        len(rows) / each for each in medians(RUNS, *(_timed(w) for w in ways))
    )
    what = f"rows of 2 kB, guard and scorecard, {len(rows)} rows"
    return [
        compare("verifying", what, mine, "rows/s", "difflib's ratio", slow),
        compare("verifying", what, mine, "rows/s", "rapidfuzz's ratio", fast),
        compare("verifying", "the guard alone", alone, "rows/s", "guard and scorecard", mine),
    ]


@cache
def chosen() -> list[Wrong]:
    """Moments in the middle of their sessions, and a wrong observation for each."""
    found: list[Wrong] = []
    for item in evaluated(HOME):
        wrong = corruptions(item.trajectory.domain)
        for moment in moments(item.trajectory):
            if moment.turn in item.turns and SHORTEST <= len(moment.truth) <= LONGEST:
                made = wrong[len(found) % len(wrong)].make(moment, random.Random(len(found)), 0.0)
                found.append((moment, made or moment.truth[:-1]))
    return random.Random(0).sample(found, min(ROWS, len(found)))


def _timed(way: Callable[[], None]) -> Callable[[], float]:
    return lambda: seconds(way)


def ours() -> None:
    for moment, given in chosen():
        score(moment, given)
        errors(moment, given)


def guard() -> None:
    for moment, given in chosen():
        errors(moment, given)


def by_difflib() -> None:
    for moment, given in chosen():
        SequenceMatcher(None, moment.truth, given).ratio()


def by_rapidfuzz() -> None:
    for moment, given in chosen():
        Indel.normalized_similarity(moment.truth, given)
