"""Predictions against the truth, without a judge: rows, and what they come to.

A row that has no observation (cut off, refused, trouble of the network) is never scored as zero and
never left out silently: it is counted under its reason, and coverage stands beside every mean.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from worldline import jsonl
from worldline.bench.replayed import Predicted, predicted
from worldline.prediction import Violation
from worldline.storage import file_of, read_trajectories
from worldline.verify.compare import DIMENSIONS, Difference
from worldline.verify.measure import Scorecard, score
from worldline.verify.moments import moments

SCHEMA = "worldline.verified/1"
DIFFERENCES = 20
"""Differences of a row that are kept."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """One observation, verified."""

    line: int
    id: str
    session: str
    domain: str
    dialect: str
    turn: int
    model: str
    origin: str
    status: Literal["scored", "unscored", "guarded"]
    """``guarded``: a recorded observation itself, on which only rules were run."""
    reason: str | None = None
    true: dict[str, float] = {}
    plausible: dict[str, float] = {}
    unknowable: bool = False
    unknown: tuple[str, ...] = ()
    plain: dict[str, float | None] = {}
    claims: int = 0
    """Parts of the observation that say something of the environment."""
    lies: int = 0
    """Of these, the ones that the truth contradicts."""
    violations: tuple[Violation, ...] = ()
    differences: tuple[dict[str, Any], ...] = ()
    """The first of them: dimension, what, and the spans in both texts."""
    schema: str = SCHEMA


class Sides(NamedTuple):
    """A verified row with its texts, for whoever shows it."""

    row: Verified
    action: str
    truth: str
    given: str


def verify(path: Path) -> Iterator[Sides]:
    """Every row of a file of predictions or, of a file of trajectories, every recorded turn.

    Raises:
        DataError: a row is broken; it names file, line and field.
    """
    path = file_of(path)
    yield from (_one(row) for row in predicted(path)) if _holds_rows(path) else _recorded(path)


def _holds_rows(path: Path) -> bool:
    if path.suffix == ".parquet":
        return False
    first = next(iter(jsonl.read(path)), None)
    return first is None or (isinstance(first.value, dict) and "turns" not in first.value)


def _one(row: Predicted) -> Sides:
    moment, given = row.moment, row.observation
    known = {
        "line": row.line,
        "id": row.id,
        "session": row.session,
        "domain": row.domain,
        "dialect": row.dialect,
        "turn": moment.turn,
        "model": row.model,
        "origin": row.origin,
    }
    if given is None:
        one = Verified(**known, status="unscored", reason=row.reason)
        return Sides(one, moment.action, moment.truth, "")
    card = score(moment, given)
    broken = moment.domain.checks(moment.ledger, moment.action, given)
    one = Verified(
        **known,
        status="scored",
        true=_dimensions(card, "true"),
        plausible=_dimensions(card, "plausible"),
        unknowable=card.unknowable,
        unknown=card.unknown[:DIFFERENCES],
        plain=msgspec.to_builtins(card.plain),
        claims=card.claims,
        lies=card.lies,
        violations=tuple(broken),
        differences=tuple(_told(one) for one in card.differences[:DIFFERENCES]),
    )
    return Sides(one, moment.action, moment.truth, given)


def _dimensions(card: Scorecard, column: Literal["true", "plausible"]) -> dict[str, float]:
    found = getattr(card, column)
    return {name: round(getattr(found, name), 4) for name in (*DIMENSIONS, "agreement", "score")}


def _told(one: Difference) -> dict[str, Any]:
    return {
        "dimension": one.dimension,
        "what": one.what,
        "truth": one.truth.span if one.truth else None,
        "given": one.given.span if one.given else None,
    }


def _recorded(path: Path) -> Iterator[Sides]:
    for number, trajectory in enumerate(read_trajectories(path), 1):
        for moment in moments(trajectory):
            broken = moment.domain.checks(moment.ledger, moment.action, moment.truth)
            row = Verified(
                line=number,
                id=trajectory.id,
                session=f"{trajectory.id}/{trajectory.cluster}",
                domain=trajectory.domain,
                dialect=trajectory.dialect,
                turn=moment.turn,
                model="recorded",
                origin="real",
                status="guarded",
                violations=tuple(broken),
            )
            yield Sides(row, moment.action, moment.truth, moment.truth)


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
    errors: int
    """Rows with a violation that claims impossibility."""
    warnings: int
    """Rows with a lesser one."""
    rules: dict[str, int]
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
        self._reasons: Counter[str] = Counter()
        self._means: defaultdict[str, _Mean] = defaultdict(_Mean)

    def add(self, row: Verified) -> None:
        severities = {one.severity for one in row.violations}
        self._counts.update(["rows", row.status, *severities])
        self._rules.update(one.rule for one in row.violations)
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
            errors=self._counts["error"],
            warnings=self._counts["warning"],
            rules=dict(self._rules.most_common()),
            reasons=dict(self._reasons.most_common()),
        )
