"""What each part must show: `make show N=<part> [NAME=<check>]`.

A check is a script ``<NN>_<name>.py`` with a function ``check(show: Show) -> None``. It prints
what a person wants to see and reports each measure through `Show.measure`; the harness prints
those last, one JSON line a measure. A missed floor fails; so does a measure over nothing (n = 0).
Checks on recorded data read ``$WORLDLINE_REAL``; without it they run on small rows of our own,
``pass`` is null and the exit code is 3.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from worldline import jsonl

Better = Literal["higher", "lower"]
SMALL = Path(__file__).parent / "rows"
"""Small recorded-form rows of our own, for machines without ``$WORLDLINE_REAL``."""


@dataclass
class Show:
    """Collects the measures of one check."""

    name: str
    real: Path | None
    official: Path | None = None
    """A checkout of the official benchmark code."""
    start: float = field(default_factory=time.monotonic)
    measures: list[dict[str, Any]] = field(default_factory=list)

    @property
    def data(self) -> Path:
        """The folder of recorded rows: the real ones, or the small ones of our own."""
        return self.real or SMALL

    def measure(
        self,
        measure: str,
        value: float,
        *,
        better: Better,
        floor: float | None = None,
        goal: float | None = None,
        n: int = 1,
        lo: float | None = None,
        hi: float | None = None,
        recorded: bool = False,
    ) -> None:
        """Report one measure.

        Args:
            recorded: it needs recorded data; without ``$WORLDLINE_REAL`` it cannot pass.
        """
        passed: bool | None = n > 0
        if floor is not None and n > 0:
            passed = value >= floor if better == "higher" else value <= floor
        if recorded and self.real is None:
            passed = None
        self.measures.append(
            {
                "check": self.name,
                "measure": measure,
                "value": round(value, 6),
                "lo": lo,
                "hi": hi,
                "n": n,
                "better": better,
                "floor": floor,
                "goal": goal,
                "pass": passed,
                "seconds": round(time.monotonic() - self.start, 1),
            }
        )

    def lines(self) -> Iterator[str]:
        """The measures as JSON lines."""
        for one in self.measures:
            yield jsonl.dumps(one).decode()

    @property
    def exit_code(self) -> int:
        """0: all passed; 1: a floor was missed or nothing measured; 3: no recorded data."""
        verdicts = [one["pass"] for one in self.measures]
        if not verdicts or False in verdicts:
            return 1
        return 3 if None in verdicts else 0


def real_data() -> Path | None:
    """The folder that ``$WORLDLINE_REAL`` names, if it is there."""
    named = os.environ.get("WORLDLINE_REAL")
    return Path(named) if named and Path(named).is_dir() else None
