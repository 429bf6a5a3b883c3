"""What verified rows come to, by domain and dialect.

Rows without an observation are counted under their reason, and coverage stands beside every mean.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping

import msgspec

from worldline.bench.verified import Verified


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of one domain and dialect, or of all dialects (``*``)."""

    domain: str
    dialect: str
    rows: int
    scored: int
    true: dict[str, float]
    """Dimension -> mean over scored rows; empty when none is."""
    plausible: dict[str, float]
    knowable: int
    """Scored rows whose truth could have been known."""
    true_knowable: dict[str, float]
    true_unknowable: dict[str, float]
    plain: dict[str, float]
    """Column -> mean over the rows it applies to."""
    claims: int
    lies: int
    """Claims that the truth contradicts."""
    guarded: int
    """Recorded turns, on which only rules were run."""
    errors: int
    """Rows with a violation that claims impossibility."""
    warnings: int
    """Rows with a lesser one."""
    noted: int
    """Rows with a note that blames the action."""
    rules: dict[str, int]
    """Rule -> how often the observations break it, the most frequent first."""
    impossible: dict[str, int]
    """The same, of violations that claim impossibility."""
    notes: dict[str, int]
    """Rule that blames actions -> how often."""
    reasons: dict[str, int]
    """Why rows are unscored."""


class Counted:
    """Counts verified rows as they come; what it holds does not grow with them."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[str, str], _Tally] = {}

    def add(self, row: Verified) -> None:
        """Count one more."""
        for dialect in ("", row.dialect):
            self._tallies.setdefault((row.domain, dialect), _Tally()).add(row)

    def groups(self) -> list[Group]:
        """By domain and dialect, each domain's whole first."""
        return [self._tallies[key].group(key[0], key[1] or "*") for key in sorted(self._tallies)]


class _Mean:
    """Sums of named values."""

    def __init__(self) -> None:
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._counts: Counter[str] = Counter()

    def add(self, values: Mapping[str, float | None]) -> None:
        for name, value in values.items():
            if value is not None:
                self._sums[name] += value
                self._counts[name] += 1

    def means(self) -> dict[str, float]:
        return {name: self._sums[name] / count for name, count in self._counts.items()}


class _Tally:
    """What one group comes to."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._rules: Counter[str] = Counter()
        self._impossible: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._means: defaultdict[str, _Mean] = defaultdict(_Mean)

    def add(self, row: Verified) -> None:
        severities = {one.severity for one in row.violations}
        self._counts.update(["rows", row.status, *severities, *(["noted"] if row.notes else [])])
        self._rules.update(one.rule for one in row.violations)
        self._impossible.update(one.rule for one in row.violations if one.severity == "error")
        self._notes.update(one.rule for one in row.notes)
        if row.status == "unscored":
            self._reasons[row.reason or "?"] += 1
        if row.status != "scored":
            return
        self._counts.update(claims=row.claims, lies=row.lies, knowable=not row.unknowable)
        self._means["true"].add(row.true)
        self._means["plausible"].add(row.plausible)
        self._means["plain"].add(row.plain)
        self._means["unknowable" if row.unknowable else "knowable"].add(row.true)

    def group(self, domain: str, dialect: str) -> Group:
        return Group(
            domain=domain,
            dialect=dialect,
            rows=self._counts["rows"],
            scored=self._counts["scored"],
            true=self._means["true"].means(),
            plausible=self._means["plausible"].means(),
            knowable=self._counts["knowable"],
            true_knowable=self._means["knowable"].means(),
            true_unknowable=self._means["unknowable"].means(),
            plain=self._means["plain"].means(),
            claims=self._counts["claims"],
            lies=self._counts["lies"],
            guarded=self._counts["guarded"],
            errors=self._counts["error"],
            warnings=self._counts["warning"],
            noted=self._counts["noted"],
            rules=dict(self._rules.most_common()),
            impossible=dict(self._impossible.most_common()),
            notes=dict(self._notes.most_common()),
            reasons=dict(self._reasons.most_common()),
        )
