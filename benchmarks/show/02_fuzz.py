"""Every parser of foreign text under fuzzing: no crash, nothing lost, linear time.

``$WORLDLINE_FUZZ_MINUTES`` minutes of parsing in all (30, as far as a check may run), on two
processes. Inputs are damaged small rows of our own, damaged recorded rows if ``$WORLDLINE_REAL`` is
set, and random text; repeats of one thing are timed at two sizes. A failing input is made small and
left in a file.
"""

import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.fuzz.worker import work
from benchmarks.show import Show

WORKERS = 2
MINUTES = 30.0
LONGEST = 14.6
"""Minutes of each process at most: a check ends within 15."""
SEED = 2


def check(show: Show) -> None:
    minutes = float(os.environ.get("WORLDLINE_FUZZ_MINUTES", MINUTES))
    each = min(minutes / WORKERS, LONGEST)
    folder = Path(tempfile.mkdtemp(prefix="worldline-fuzz-"))
    with ProcessPoolExecutor(WORKERS) as pool:
        jobs = [pool.submit(work, n, WORKERS, each, SEED, folder) for n in range(WORKERS)]
        found = sorted((one for job in jobs for one in job.result()), key=lambda one: one["name"])
    report(found, folder)
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


def report(found: list[dict[str, Any]], folder: Path) -> None:
    """Inputs a second by parser, then every failure."""
    print(f"{'parser':40}{'inputs':>10}{'a second':>10}{'failures':>9}{'slow':>6}")
    for one in found:
        rate = one["inputs"] / one["seconds"] if one["seconds"] else 0.0
        print(
            f"{one['name']:40}{one['inputs']:10,}{rate:10,.0f}{len(one['failures']):9}"
            f"{len(one['slow']):6}"
        )
    for one in found:
        for failure in one["failures"]:
            print(f"\nFAILS {one['name']}: {failure['where']}\n  {failure['message']!r}")
            print(f"  {failure['input']}\n  {failure['file']}")
        for slow in one["slow"]:
            print(
                f"\nSLOW {one['name']}: {slow['unit']!r} takes {slow['seconds']:.2f} s, "
                f"{slow['ratio']:.1f} times the time for four times the text"
            )
    print(f"\nfailing inputs, if any, are in {folder}")
