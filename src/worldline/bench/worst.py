"""Which verified rows a page shows: the worst of each domain, and no near-copies of one another."""

from worldline.bench.kinds import kind_of
from worldline.bench.verified import Sides

EACH = 8
"""Rows of a domain that are shown."""


class Worst:
    """Keeps the rows of each domain that are farthest from the truth (or break most).

    Of rows with the same kind of action and the same truth it keeps the worst one.
    """

    def __init__(self, each: int = EACH) -> None:
        self._each = each
        self._kept: dict[str, dict[tuple[str, str], tuple[float, int, Sides]]] = {}
        self._count = 0

    def add(self, sides: Sides) -> None:
        """Look at one more row."""
        row = sides.row
        if row.status == "unscored" or (row.status == "guarded" and not row.violations):
            return
        self._count += 1
        wrong = 1 - row.true.get("score", 1.0) + 0.01 * len(row.violations)
        kept = self._kept.setdefault(row.domain, {})
        key = (kind_of(sides.action), sides.truth.strip())
        if key in kept and kept[key][0] >= wrong:
            return
        kept[key] = (wrong, -self._count, sides)
        if len(kept) > self._each:
            del kept[min(kept, key=lambda one: kept[one][:2])]

    def of(self, domain: str) -> list[Sides]:
        """The domain's worst, the worst first."""
        kept = self._kept.get(domain, {}).values()
        return [sides for _, _, sides in sorted(kept, key=lambda one: one[:2], reverse=True)]
