"""A fuzzing run as a check: first parsers with a fault each, then those that must have none."""

import os
from typing import Any

from benchmarks.fuzz import broken
from benchmarks.fuzz.run import WORKERS, fuzz, report
from benchmarks.fuzz.worker import Listed
from benchmarks.show import Show

MINUTES = 12.0
LONGEST = 13.5
"""Minutes of each process at most: a check ends within 15."""
CONTROL = 0.5


def fuzzed(show: Show, seed: int, listed: Listed, *, least: int, each: int) -> None:
    """Fuzz for ``$WORLDLINE_FUZZ_MINUTES`` minutes of parsing in all (12), on two processes.

    Args:
        listed: the parsers.
        least: inputs at least, in all.
        each: inputs of each parser at least.
    """
    control = fuzz(CONTROL, seed, broken.targets, keep=False)
    missed = [one["name"] for one in control if not one["failures"] and not one["slow"]]
    print(
        f"{len(control) - len(missed)} of {len(control)} broken parsers found; missed: {missed}\n"
    )
    minutes = float(os.environ.get("WORLDLINE_FUZZ_MINUTES", MINUTES))
    found = fuzz(min(minutes / WORKERS, LONGEST), seed, listed)
    report(found)
    inputs = sum(one["inputs"] for one in found)
    hangs = sum(map(hung, found))
    crashes = sum(len(one["failures"]) + len(one["slow"]) for one in found) - hangs
    covered = sum(one["inputs"] >= each for one in found)
    known = len(control)
    show.measure("broken parsers found", known - len(missed), better="higher", floor=known, n=known)
    show.measure("inputs", inputs, better="higher", floor=least, n=inputs)
    show.measure("parsers covered", covered, better="higher", floor=len(found), n=len(found))
    show.measure("crashes", crashes, better="lower", floor=0, goal=0, n=inputs)
    show.measure("hangs", hangs, better="lower", floor=0, goal=0, n=inputs)


def hung(one: dict[str, Any]) -> int:
    """Texts that took too long, more than their size explains, or did not end."""
    return len(one["slow"]) + sum(each["where"].startswith("Hang") for each in one["failures"])
