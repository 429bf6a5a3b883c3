"""One measured number and what it stands against; both sides are measured in turns, in one run.

A machine that others use is slow and fast by the second. So two ways of doing the same thing run
alternately and the medians are compared: the ratio holds where the absolute numbers do not.
"""

import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Literal

import msgspec

Better = Literal["higher", "lower"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a table."""

    what: str
    value: float
    """Worldline's."""
    unit: str
    against: str
    """What it is compared with, and that one's number."""
    ratio: float
    """How many times as good as that; 1 is the same. Against a limit it is the share reached."""
    command: str
    """What measures it again."""


def compare(
    script: str,
    what: str,
    value: float,
    unit: str,
    other: str,
    theirs: float,
    *,
    better: Better = "higher",
) -> Row:
    """A row of `script`, the ratio above 1 where Worldline is better.

    Args:
        other: what `theirs` is, in the same unit.
    """
    return Row(
        what=what,
        value=value,
        unit=unit,
        against=f"{other}: {number(theirs)} {unit}",
        ratio=value / theirs if better == "higher" else theirs / value,
        command=f"python -m benchmarks {script}",
    )


def number(value: float) -> str:
    """Three digits that count."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def seconds(job: Callable[[], object]) -> float:
    """How long a job takes."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def medians(runs: int, *ways: Callable[[], float]) -> list[float]:
    """The median of each way's numbers, the ways taking turns."""
    taken = [[way() for way in ways] for _ in range(runs)]
    return [statistics.median(numbers) for numbers in zip(*taken, strict=True)]


async def medians_async(
    runs: int, *ways: Callable[[], Awaitable[tuple[float, ...]]]
) -> list[tuple[float, ...]]:
    """As `medians`, for ways that wait and give several numbers each."""
    taken = [[await way() for way in ways] for _ in range(runs)]
    return [
        tuple(statistics.median(numbers) for numbers in zip(*of_way, strict=True))
        for of_way in zip(*taken, strict=True)
    ]
