"""A fuzzing run on several processes, and what a person sees of it."""

import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.fuzz.targets import targets
from benchmarks.fuzz.worker import Listed, work

WORKERS = 2


def fuzz(
    minutes: float, seed: int, listed: Listed = targets, *, keep: bool = True
) -> list[dict[str, Any]]:
    """Fuzz for so many minutes on each process; what became of each target, by name.

    Args:
        keep: leave failing inputs in a folder, which is told; without any nothing is left.
    """
    folder = Path(tempfile.mkdtemp(prefix="worldline-fuzz-"))
    with ProcessPoolExecutor(WORKERS) as pool:
        jobs = [
            pool.submit(work, n, WORKERS, minutes, seed, folder, listed) for n in range(WORKERS)
        ]
        found = sorted((one for job in jobs for one in job.result()), key=lambda one: one["name"])
    if keep and any(one["failures"] for one in found):
        print(f"failing inputs are in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def report(found: list[dict[str, Any]]) -> None:
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
                f"{slow['ratio']:.1f} times as long as a part of it"
            )
