"""Every parser of foreign text under fuzzing: no crash, nothing lost, linear time.

``$WORLDLINE_FUZZ_MINUTES`` minutes of parsing in all (30, as far as a check may run), on two
processes. Inputs are damaged small rows of our own, damaged recorded rows if ``$WORLDLINE_REAL`` is
set, and random text; repeats of one thing are timed at two sizes. A failing input is made small and
left in a file.
"""

import os

from benchmarks.fuzz.run import WORKERS, fuzz, report
from benchmarks.show import Show

MINUTES = 30.0
LONGEST = 14.6
"""Minutes of each process at most: a check ends within 15."""
SEED = 2


def check(show: Show) -> None:
    minutes = float(os.environ.get("WORLDLINE_FUZZ_MINUTES", MINUTES))
    each = min(minutes / WORKERS, LONGEST)
    found = fuzz(each, SEED)
    report(found)
    fuzzed = [one for one in found if one["inputs"]]
    inputs = sum(one["inputs"] for one in found)
    crashes = sum(len(one["failures"]) for one in found)
    slow = sum(bool(one["slow"]) for one in found)
    linear = sum(one["linear"] for one in found)
    show.measure("failures", crashes, better="lower", floor=0, goal=0, n=inputs)
    show.measure("super-linear parsers", slow, better="lower", floor=0, goal=0, n=linear)
    show.measure("parsers covered", len(fuzzed), better="higher", floor=len(found), n=len(found))
    show.measure("inputs", inputs, better="higher", n=inputs)
    show.measure("parser-minutes", each * WORKERS, better="higher", goal=MINUTES, n=len(fuzzed))
