"""Rows a second of the whole measure (guard and scorecard) on one core, and how it grows."""

import math
import random
import time

from benchmarks.show import Show
from benchmarks.verify.counts import errors
from benchmarks.verify.sessions import DOMAINS, sessions
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn
from worldline.verify.corrupt import corruptions
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

SIZES = {"2 kB": (1_000, 3_000), "60 kB": (30_000, 100_000)}
ROWS = 200
TIMES = 3
"""Each row is measured so often, and its best time counts: the machine is shared."""
TREES = ("web", "os", "android")


def check(show: Show) -> None:
    slowest = 0.0
    for domain in DOMAINS:
        took, _ = _seconds(show, domain, *SIZES["2 kB"])
        if took:
            rate = len(took) / sum(took)
            print(f"{domain:10} 2 kB: {rate:8,.0f} rows/s over {len(took)} rows")
            show.measure(
                f"{domain} rows/s", rate, better="higher", floor=1500, goal=5000, n=len(took)
            )
        if domain in TREES:
            took, size = _seconds(show, domain, *SIZES["60 kB"])
            if took:
                each = sum(took) / size * 60_000
                slowest = max(slowest, each)
                print(f"{domain:10} 60 kB: {each * 1e3:6.1f} ms ({size / len(took):,.0f} measured)")
    show.measure("60 kB tree, ms", slowest * 1e3, better="lower", floor=60, goal=20, n=3)
    _growth(show)


def _seconds(show: Show, domain: str, low: int, high: int) -> tuple[list[float], int]:
    """Seconds of recorded turns of this size, each with an observation that is a little wrong.

    A session is gone through as it is when it is verified; only guard and scorecard are timed.
    """
    took: list[float] = []
    size, wrong = 0, corruptions(domain)
    for one in sessions(show.data, domain):
        for moment in moments(one):
            if len(took) == ROWS:
                return took, size
            if low <= len(moment.truth) <= high:
                rng = random.Random(len(took))
                made = wrong[len(took) % len(wrong)].make(moment, rng, 0.0) or moment.truth
                took.append(min(_timed(moment, made) for _ in range(TIMES)))
                size += len(moment.truth)
    return took, size


def _timed(moment: Moment, given: str) -> float:
    start = time.perf_counter()
    score(moment, given)
    errors(moment, given)
    return time.perf_counter() - start


GROWTH = (500, 1_000, 2_000, 4_000, 8_000)
"""Lines of a listing."""


def _growth(show: Show) -> None:
    """How the time grows with the text: the power of the size, from the smallest to the largest."""
    took: dict[int, float] = {}
    for lines in GROWTH:
        named = [f"-rw-r--r-- 1 ann ann {n * 7919 % 9973:5} file-{n}.txt" for n in range(lines)]
        truth = "\n".join(named)
        wrong = truth.replace("file-7", "file-x")
        trajectory = Trajectory(
            id="growth",
            domain="terminal",
            dialect="command",
            system=SystemPrompt(),
            turns=(Turn(action="ls -l", observation=truth),),
            source=Source(kind="collected"),
        )
        moment = next(moments(trajectory))
        took[lines] = min(_timed(moment, wrong) for _ in range(TIMES))
    for lines, seconds in took.items():
        bar = "#" * max(1, round(60 * seconds / max(took.values())))
        print(f"  {lines:6,} lines {seconds * 1e3:8.1f} ms {bar}")
    first, last = GROWTH[0], GROWTH[-1]
    power = math.log(took[last] / took[first]) / math.log(last / first)
    show.measure("growth, power of the size", power, better="lower", floor=1.25, n=len(GROWTH))
