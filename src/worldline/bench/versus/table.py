"""What choices come to: who was chosen how often, with intervals, and whether the place counted.

A row counts 1 for its first answer where both orders chose it, 0 where both chose the second, 1/2
where they disagree: a judge that always says A scores 0.5, and its position bias is 1.0.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from worldline.bench.score.intervals import Estimate, Stratum, estimates
from worldline.bench.versus.chosen import Chosen

SCORES = {"first": 1.0, "tie": 0.5, "second": 0.0}
"""What a row counts by its winner."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """Some rows."""

    rows: int
    scored: int
    first: int
    """Rows on which both orders chose the first answer (Turing: the truth)."""
    second: int
    ties: int
    """The orders disagree, or the answers are equal."""
    equal: int
    """Rows whose answers are the same; of the ties, unless the control asked about them."""
    score: float | None
    """Share of choices for the first answer, 0 to 1: accuracy (Turing), win rate (pairwise)."""
    interval: tuple[float, float] | None
    """95 %, by bootstrap over sessions."""
    sessions: int
    answers: int
    """Single choices, two a row."""
    position_bias: float | None
    """Share of them that said A: 0.5 is none, 1.0 and 0.0 say that only the place counted."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """All rows, and those of each domain."""

    all: Cell
    domains: dict[str, Cell]
    unscored: dict[str, int]
    """Reasons, the most frequent first."""


def table(entries: Iterable[Chosen]) -> Table:
    """Count choices."""
    rows = list(entries)
    groups: dict[str, list[Chosen]] = {}
    for row in sorted(rows, key=lambda one: one.domain):
        groups.setdefault(row.domain, []).append(row)
    strata = {name: _stratum(some) for name, some in groups.items() if any(map(_scored, some))}
    found = estimates(strata) if strata else None
    reasons = Counter(row.reason or "unknown" for row in rows if not _scored(row))
    return Table(
        all=_cell(rows, found.micro if found else None),
        domains={
            name: _cell(some, found.each.get(name) if found else None)
            for name, some in groups.items()
        },
        unscored=dict(reasons.most_common()),
    )


def _scored(row: Chosen) -> bool:
    return row.winner is not None


def _stratum(rows: Sequence[Chosen]) -> Stratum:
    import numpy as np

    some = [row for row in rows if row.winner is not None]
    scores = [[SCORES[row.winner]] for row in some if row.winner is not None]
    return Stratum([row.session for row in some], np.asarray(scores))


def _cell(rows: Sequence[Chosen], found: Estimate | None) -> Cell:
    wins = Counter(row.winner for row in rows)
    answers = Counter(answer for row in rows for answer in row.answers if answer is not None)
    score, interval = found.of(0) if found is not None else (None, None)
    return Cell(
        rows=len(rows),
        scored=sum(map(_scored, rows)),
        first=wins["first"],
        second=wins["second"],
        ties=wins["tie"],
        equal=sum(row.equal for row in rows),
        score=score,
        interval=interval,
        sessions=found.sessions if found is not None else 0,
        answers=answers.total(),
        position_bias=answers["A"] / answers.total() if answers else None,
    )
