"""Everything foreign that part 3 reads under fuzzing: no crash, nothing good lost, linear time.

``$WORLDLINE_FUZZ_MINUTES`` minutes of parsing in all (12), on two processes: recordings of other
tools, the wire, what terminals and servers of tools send, pages and queries, tasks and what they
are checked on, redaction, collected folders and their page. First come parsers with a fault each:
what does not find those finds nothing.
"""

import os
from typing import Any

from benchmarks.fuzz import broken
from benchmarks.fuzz.run import WORKERS, fuzz, report
from benchmarks.fuzz.targets import reality
from benchmarks.show import Show

MINUTES = 12.0
LONGEST = 13.5
"""Minutes of each process at most: a check ends within 15."""
CONTROL = 0.5
SEED = 3
INPUTS, EACH = 200_000, 100
"""So many inputs at least in all, and of each parser."""


def check(show: Show) -> None:
    control = fuzz(CONTROL, SEED, broken.targets, keep=False)
    missed = [one["name"] for one in control if not one["failures"] and not one["slow"]]
    print(
        f"{len(control) - len(missed)} of {len(control)} broken parsers found; missed: {missed}\n"
    )
    minutes = float(os.environ.get("WORLDLINE_FUZZ_MINUTES", MINUTES))
    found = fuzz(min(minutes / WORKERS, LONGEST), SEED, reality)
    report(found)
    inputs = sum(one["inputs"] for one in found)
    hangs = sum(map(hung, found))
    crashes = sum(len(one["failures"]) + len(one["slow"]) for one in found) - hangs
    covered = sum(one["inputs"] >= EACH for one in found)
    known = len(control)
    show.measure("broken parsers found", known - len(missed), better="higher", floor=known, n=known)
    show.measure("inputs", inputs, better="higher", floor=INPUTS, n=inputs)
    show.measure("parsers covered", covered, better="higher", floor=len(found), n=len(found))
    show.measure("crashes", crashes, better="lower", floor=0, goal=0, n=inputs)
    show.measure("hangs", hangs, better="lower", floor=0, goal=0, n=inputs)


def hung(one: dict[str, Any]) -> int:
    """Texts that took too long, more than their size explains, or did not end."""
    return len(one["slow"]) + sum(each["where"].startswith("Hang") for each in one["failures"])
