"""The rows that a judge scored lowest, with their texts beside each other."""

import difflib
import heapq
from collections.abc import Iterable
from typing import NamedTuple

from worldline.bench.score.rows import Scored, Shown
from worldline.bench.sides import CHARACTERS
from worldline.bench.verified import Sides, Verified

EACH = 5
"""Rows of a domain that are kept."""


class Bad(NamedTuple):
    """A row among the worst, with its texts and the judge's words."""

    scored: Scored
    sides: Sides
    weaknesses: tuple[str, ...]


class Worst:
    """Keeps the rows of each domain that the judge scored lowest; the exact scorecard decides ties.

    Give it to `worldline.bench.score.run.load` as ``look``.
    """

    def __init__(self, each: int = EACH) -> None:
        self._each = each
        self._kept: dict[str, list[tuple[float, float, int, Bad]]] = {}
        self._count = 0

    def __call__(self, shown: Shown) -> None:
        """Look at one more row."""
        row = shown.scored
        if row.total is None or not self._each:
            return
        self._count += 1
        key = (-row.total, -(row.exact_score or 0.0), -self._count)
        kept = self._kept.setdefault(row.domain, [])
        if len(kept) < self._each:
            heapq.heappush(kept, (*key, _bad(shown)))
        elif key > kept[0][:3]:
            heapq.heapreplace(kept, (*key, _bad(shown)))

    def of(self, domain: str) -> list[Bad]:
        """The domain's worst, the worst first."""
        return [one[-1] for one in sorted(self._kept.get(domain, []), reverse=True)]


def _bad(shown: Shown) -> Bad:
    told = (shown.given.earlier or {}).get("weaknesses")
    said = tuple(map(str, told)) if isinstance(told, list) else ()
    return Bad(shown.scored, shown.sides or _beside(shown), said)


def _beside(shown: Shown) -> Sides:
    """The texts beside each other without an exact scorecard: lines that differ are marked."""
    row, given = shown.scored, shown.given
    seen = given.observation or ""
    verified = Verified(
        line=row.line,
        id=row.id,
        session=row.session,
        domain=row.domain,
        dialect=row.domain,
        turn=row.turn,
        model=row.model or "predicted",
        origin="model",
        status="scored",
        differences=tuple(_lines(given.truth[:CHARACTERS], seen[:CHARACTERS])),
    )
    return Sides(verified, given.bare_action, given.truth, seen)


def _lines(truth: str, seen: str) -> Iterable[dict[str, tuple[int, int] | None]]:
    one, other = truth.splitlines(keepends=True), seen.splitlines(keepends=True)
    starts = [_starts(one), _starts(other)]
    for tag, a, b, c, d in difflib.SequenceMatcher(None, one, other).get_opcodes():
        if tag != "equal":
            yield {
                "truth": (starts[0][a], starts[0][b]) if b > a else None,
                "given": (starts[1][c], starts[1][d]) if d > c else None,
            }


def _starts(lines: list[str]) -> list[int]:
    found = [0]
    for line in lines:
        found.append(found[-1] + len(line))
    return found
