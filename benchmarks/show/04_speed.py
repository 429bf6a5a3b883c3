"""Rows a second of the whole measure (guard and scorecard) on one core, and how it grows."""

import time
from collections.abc import Sequence

from benchmarks.show import Show
from benchmarks.verify.counts import errors
from benchmarks.verify.sessions import DOMAINS, sessions
from worldline.verify.corrupt import corruptions
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

SIZES = {"2 kB": (1_000, 3_000), "60 kB": (30_000, 100_000)}
ROWS = 200
SECONDS = 3.0
TREES = ("web", "os", "android")


def check(show: Show) -> None:
    slowest = 0.0
    for domain in DOMAINS:
        some = _rows(show, domain, *SIZES["2 kB"])
        if some:
            rate = 1 / _seconds(some)
            print(f"{domain:10} 2 kB: {rate:8,.0f} rows/s over {len(some)} rows")
            show.measure(
                f"{domain} rows/s", rate, better="higher", floor=1500, goal=5000, n=len(some)
            )
        if domain in TREES and (large := _rows(show, domain, *SIZES["60 kB"])):
            size = sum(len(moment.truth) for moment, _ in large) / len(large)
            took = _seconds(large) * 60_000 / size
            slowest = max(slowest, took)
            print(f"{domain:10} 60 kB: {took * 1e3:6.1f} ms a row (of {size:,.0f} characters)")
    show.measure("60 kB tree, ms", slowest * 1e3, better="lower", floor=60, goal=20, n=3)


Rows = Sequence[tuple[Moment, str]]


def _rows(show: Show, domain: str, low: int, high: int) -> list[tuple[Moment, str]]:
    """Recorded turns of this size, each with an observation that is a little wrong."""
    import random

    found: list[tuple[Moment, str]] = []
    wrong = corruptions(domain)
    for one in sessions(show.data, domain):
        for moment in moments(one):
            if len(found) == ROWS:
                return found
            if low <= len(moment.truth) <= high:
                made = wrong[len(found) % len(wrong)].make(moment, random.Random(len(found)), 0.0)
                found.append((moment, made or moment.truth))
    return found


def _seconds(rows: Rows) -> float:
    """Seconds of a row: the best of as many rounds as fit."""
    best, end = float("inf"), time.monotonic() + SECONDS
    while time.monotonic() < end:
        start = time.perf_counter()
        for moment, given in rows:
            score(moment, given)
            errors(moment, given)
        best = min(best, (time.perf_counter() - start) / len(rows))
    return best
