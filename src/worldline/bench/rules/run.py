"""How a model does on rule cases: asked once each, checked by code, counted by domain and axis."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.infer import Report, predict
from worldline.bench.replayed import predicted
from worldline.bench.rules.case import AXES, Case, posed
from worldline.bench.rules.propose import passes
from worldline.bench.source import of_items
from worldline.bench.work import Watch
from worldline.models.base import WorldModel


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One domain and axis."""

    cases: int
    answered: int
    """Cases that have an observation; the others are counted under their reason, never as wrong."""
    passed: int

    @property
    def share(self) -> float | None:
        """Passed of answered; `None` when nothing was answered."""
        return self.passed / self.answered if self.answered else None


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Domain -> axis -> cell."""

    cells: dict[str, dict[str, Cell]]
    reasons: dict[str, int]

    def mean(self, domain: str) -> float | None:
        """Of a domain's axes that have an answer, each counting alike."""
        shares = [cell.share for cell in self.cells[domain].values() if cell.share is not None]
        return sum(shares) / len(shares) if shares else None


async def run(
    cases: Sequence[Case],
    model: WorldModel,
    out: Path,
    *,
    concurrency: int = 8,
    ground: str = "none",
    context: int | None = None,
    max_tokens: int | None = None,
    seed: int = 0,
    retry_failed: bool = False,
    watch: Watch | None = None,
) -> tuple[Report, Table]:
    """Ask the model about each case; results are kept in `out` and never asked for again.

    Args:
        retry_failed: ask again about cases that got no answer through no fault of the model.
    """
    order = list(posed(list(cases)))
    report = await predict(
        of_items([one for _, one in order], "rule cases"),
        model,
        out,
        concurrency=concurrency,
        ground=ground,
        context=context,
        max_tokens=max_tokens,
        seed=seed,
        retry_failed=retry_failed,
        watch=watch,
    )
    return report, count([case for case, _ in order], out)


def count(cases: Sequence[Case], out: Path) -> Table:
    """What the results of some cases, in their order, come to."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    reasons: Counter[str] = Counter()
    for case, row in zip(cases, predicted(out), strict=True):
        tally = counts[case.domain, case.axis]
        tally["cases"] += 1
        if row.observation is None:
            reasons[row.reason or "?"] += 1
            continue
        tally["answered"] += 1
        tally["passed"] += passes(case, row.observation)
    cells: dict[str, dict[str, Cell]] = {}
    for (domain, axis), tally in sorted(counts.items(), key=lambda one: _place(one[0])):
        cells.setdefault(domain, {})[axis] = Cell(
            cases=tally["cases"], answered=tally["answered"], passed=tally["passed"]
        )
    return Table(cells=cells, reasons=dict(reasons.most_common()))


def _place(key: tuple[str, str]) -> tuple[str, int]:
    return key[0], [str(axis) for axis in AXES].index(key[1])


def write(path: Path, cases: Sequence[Case]) -> int:
    """Write cases to a file."""
    return jsonl.write(path, (_plain(case) for case in cases))


def _plain(case: Case) -> dict[str, Any]:
    return msgspec.to_builtins(case)
