"""Predictions against the truth, without a judge, row by row; of recordings the rules alone.

A row that has no observation (cut off, refused, trouble of the network) is never scored as zero and
never left out silently: it has a reason.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from worldline import jsonl
from worldline.bench.replayed import Predicted, predicted
from worldline.bench.traces import placed
from worldline.errors import DataError
from worldline.paths import is_file, refuse_stream
from worldline.prediction import Violation, capped
from worldline.verify.compare import DIMENSIONS, Difference
from worldline.verify.measure import Moment, Scorecard, score
from worldline.verify.moments import moments

SCHEMA = "worldline.verified/1"
DIFFERENCES = 200
"""Differences of a row that are kept."""
WORDS = 20
"""Words of a row that nobody could have known, at most."""


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
    """Rules that the observation breaks; of very many the first (`worldline.prediction.capped`)."""
    notes: tuple[Violation, ...] = ()
    """Rules that blame the action, whatever came back."""
    differences: tuple[dict[str, Any], ...] = ()
    """The first of them: dimension, what, and the spans in both texts."""
    differing: int = 0
    """How many differences there are in all."""
    guessed: bool = False
    """The row did not say its dialect."""
    schema: str = SCHEMA


class Sides(NamedTuple):
    """A verified row with its texts, for whoever shows it."""

    row: Verified
    action: str
    truth: str
    given: str


def verify(path: Path) -> Iterator[Sides]:
    """Every row of a file of predictions or, of recordings (`traces`), every recorded turn.

    Raises:
        DataError: there is nothing to verify, or a row is broken; it names file, line and field.
    """
    some = False
    for sides in _each(path):
        some = True
        yield sides
    if not some:
        raise DataError(
            "holds no rows",
            file=path,
            remedy="Give predictions (`worldline predict ROWS -o FILE`), or trajectories.",
        )


def _each(path: Path) -> Iterator[Sides]:
    refuse_stream(path)
    yield from map(_one, predicted(path)) if _holds_rows(path) else _recorded(path)


def _holds_rows(path: Path) -> bool:
    if not is_file(path) or path.suffix == ".parquet":
        return False
    first = next(iter(jsonl.read(path)), None)
    return first is not None and isinstance(first.value, dict) and "turns" not in first.value


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
        "guessed": row.guessed,
    }
    if given is None:
        one = Verified(**known, status="unscored", reason=row.reason)
        return Sides(one, moment.action, moment.truth, "")
    card = score(moment, given)
    violations, notes = _broken(moment, given)
    one = Verified(
        **known,
        status="scored",
        true=_dimensions(card, "true"),
        plausible=_dimensions(card, "plausible"),
        unknowable=card.unknowable,
        unknown=card.unknown[:WORDS],
        plain=msgspec.to_builtins(card.plain),
        claims=card.claims,
        lies=card.lies,
        violations=violations,
        notes=notes,
        differences=tuple(_told(one) for one in card.differences[:DIFFERENCES]),
        differing=len(card.differences),
    )
    return Sides(one, moment.action, moment.truth, given)


def _broken(moment: Moment, given: str) -> tuple[tuple[Violation, ...], tuple[Violation, ...]]:
    """The rules that an observation breaks, and those that blame its action alone."""
    found = capped(moment.domain.checks(moment.ledger, moment.action, given))
    apart = moment.domain.action_rules
    violations = tuple(one for one in found if one.rule not in apart)
    return violations, tuple(one for one in found if one.rule in apart)


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
    for number, (file, line, trajectory) in enumerate(placed(path), 1):
        for moment in moments(trajectory, file=file, line=line):
            violations, notes = _broken(moment, moment.truth)
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
                violations=violations,
                notes=notes,
            )
            yield Sides(row, moment.action, moment.truth, moment.truth)
