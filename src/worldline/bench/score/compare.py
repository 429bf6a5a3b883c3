"""Two runs over the same rows: the difference of each pair, and its interval.

Rows are paired by their content, not by their id or place. A difference is the other run less the
first, over the pairs in which both have a score; the bounds say what it would be were every missing
score the worst or the best for either side.
"""

from collections.abc import Sequence

import msgspec

from worldline.bench.score.intervals import DRAWS, LEVEL, Estimate, Stratum, estimates
from worldline.bench.score.report import Figure, figure
from worldline.bench.score.rows import Scored, normalised
from worldline.bench.score.run import Run, Under, differing
from worldline.bench.score.table import COLUMNS, TOTAL, macro, place
from worldline.errors import UsageError
from worldline.verify.compare import DIMENSIONS

SCHEMA = "worldline.compare/1"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Both runs over some pairs, on the scale of 0 to 100."""

    name: str
    rows: int
    both: int
    """Pairs in which both have a score: what the figures are over."""
    one: float | None
    other: float | None
    difference: Figure
    """`other` less `one`."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs by who has a score, and by who has the higher."""

    both: int
    only_one: int
    only_other: int
    neither: int
    one_higher: int
    equal: int
    other_higher: int
    left_out: tuple[int, int] = (0, 0)
    """Rows that only this run has, only the other."""


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs."""

    conclusion: str
    """What the macro difference says, in a sentence."""
    one: str
    other: str
    under: tuple[Under, Under]
    differing: tuple[str, ...]
    """What was different about the judging, where that was allowed."""
    rows: int
    coverage: float
    """Share of pairs in which both have a score."""
    macro: Difference
    micro: Difference
    dimensions: dict[str, Figure]
    """Differences of macro means."""
    dimension_means: dict[str, tuple[float | None, float | None]]
    """The macro means of ONE and OTHER."""
    domains: tuple[Difference, ...]
    counts: Counts
    draws: int
    seed: int
    level: float = LEVEL
    schema: str = SCHEMA


Pair = tuple[Scored, Scored]


def compare(
    one: Run,
    other: Run,
    *,
    different_judges: bool = False,
    common: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """The other run against the first.

    Args:
        different_judges: compare all the same where judges, prompts or their settings differ.
        common: compare the rows that both runs have, where their rows differ.

    Raises:
        UsageError: they were judged differently or over different rows; it names what differs.
    """
    found = tuple(differing(one.under, other.under))
    if found and not different_judges:
        raise UsageError(
            f"were judged differently than those of {one.files[0]}: {'; '.join(found)}",
            file=other.files[0],
            remedy="Judge both alike (worldline bench rejudge), or say --different-judges.",
        )
    pairs, alone = _paired(one, other)
    if not pairs or (any(alone) and not common):
        raise UsageError(
            f"holds other rows than {one.files[0]}: {len(pairs):,} are in both, {alone[0]:,} "
            f"only there, {alone[1]:,} only here",
            file=other.files[0],
            remedy="Compare runs over the same data"
            + (", or say --common-rows to compare those in both." if pairs else "."),
        )
    return _compared(one, other, found, pairs, alone, draws, seed)


def _paired(one: Run, other: Run) -> tuple[list[Pair], tuple[int, int]]:
    """Pairs by content, a row that comes again with its like; and how many are left over."""
    left: dict[str, list[Scored]] = {}
    for row in reversed(other.rows):
        left.setdefault(row.key, []).append(row)
    pairs = [(row, left[row.key].pop()) for row in one.rows if left.get(row.key)]
    return pairs, (len(one.rows) - len(pairs), len(other.rows) - len(pairs))


def _compared(
    one: Run,
    other: Run,
    found: tuple[str, ...],
    pairs: list[Pair],
    alone: tuple[int, int],
    draws: int,
    seed: int,
) -> Comparison:
    by_domain: dict[str, list[Pair]] = {}
    for pair in sorted(pairs, key=lambda pair: place(pair[0].domain)):
        by_domain.setdefault(pair[0].domain, []).append(pair)
    scored = {name: kept for name, some in by_domain.items() if (kept := _both(some))}
    made = estimates(_strata(scored), draws, seed) if scored else None
    each = made.each if made else {}
    domains = tuple(_difference(name, by_domain[name], each.get(name)) for name in by_domain)
    counts = _counts(pairs, alone)
    alike = one.name == other.name
    whole = _macro(domains, len(pairs), made.macro if made else None)
    return Comparison(
        conclusion=concluded(whole.difference),
        one=f"{one.name} ({one.files[0]})" if alike else one.name,
        other=f"{other.name} ({other.files[0]})" if alike else other.name,
        under=(one.under, other.under),
        differing=found,
        rows=len(pairs),
        coverage=counts.both / len(pairs),
        macro=whole,
        micro=_difference("micro", pairs, made.micro if made else None),
        dimensions={
            name: _of(made.macro if made else None, column)
            for column, name in enumerate(DIMENSIONS)
        },
        dimension_means={
            name: _means(made.macro, column) if made else (None, None)
            for column, name in enumerate(DIMENSIONS)
        },
        domains=domains,
        counts=counts,
        draws=draws,
        seed=seed,
    )


def _both(pairs: Sequence[Pair]) -> list[Pair]:
    return [pair for pair in pairs if pair[0].scores is not None and pair[1].scores is not None]


def _strata(groups: dict[str, list[Pair]]) -> dict[str, Stratum]:
    """Columns: the differences in five dimensions and in the mean, both means, ONE's dimensions."""
    import numpy as np

    def values(pair: Pair) -> list[float]:
        one, other = (_columns(row) for row in pair)
        return [*(b - a for a, b in zip(one, other, strict=True)), one[-1], other[-1], *one[:-1]]

    return {
        name: Stratum([one.session for one, _ in pairs], np.array([*map(values, pairs)]))
        for name, pairs in groups.items()
    }


def _columns(row: Scored) -> list[float]:
    scores = row.scores or (1.0,) * 5
    return [*map(normalised, scores), normalised(sum(scores) / 5)]


_MEAN, _ONE, _OTHER = COLUMNS.index(TOTAL), len(COLUMNS), len(COLUMNS) + 1


def _means(found: Estimate, column: int) -> tuple[float, float]:
    """Of ONE and OTHER in a dimension."""
    one = found.values[_OTHER + 1 + column]
    return round(one, 4), round(one + found.values[column], 4)


def concluded(difference: Figure) -> str:
    """A difference of OTHER less ONE in a plain sentence."""
    value, interval, bounds = difference.value, difference.interval, difference.bounds
    if value is None:
        return "Nothing can be said: no pair has both scores."
    if interval is None:
        return (
            "No interval: a domain has one session alone, so it cannot be told whether "
            f"{value:+.1f} is more than chance."
        )
    if interval[0] <= 0 <= interval[1]:
        return f"No difference can be told from these rows: {value:+.1f}, and the interval holds 0."
    side = "better" if value > 0 else "worse"
    told = f"OTHER is {side} by {abs(value):.1f}: the interval excludes 0."
    if bounds is not None and bounds[0] < 0 < bounds[1]:
        told += " Rows without a score could still turn that: the bounds hold 0."
    return told


def _difference(name: str, pairs: Sequence[Pair], found: Estimate | None) -> Difference:
    ends = [_ends(pair) for pair in pairs]
    bounds = tuple(sum(values) / len(values) for values in zip(*ends, strict=True))
    return Difference(
        name=name,
        rows=len(pairs),
        both=len(_both(pairs)),
        one=round(found.values[_ONE], 4) if found else None,
        other=round(found.values[_OTHER], 4) if found else None,
        difference=_of(found, _MEAN, (bounds[0], bounds[1])),
    )


def _ends(pair: Pair) -> tuple[float, float]:
    """The least and the greatest difference that a pair may have."""
    (low, high), (other_low, other_high) = (
        (0.0, 100.0) if row.scores is None else (_columns(row)[-1],) * 2 for row in pair
    )
    return other_low - high, other_high - low


def _macro(domains: Sequence[Difference], rows: int, found: Estimate | None) -> Difference:
    ends = [one.difference.bounds for one in domains if one.difference.bounds]
    bounds = macro(low for low, _ in ends), macro(high for _, high in ends)
    return Difference(
        name="macro",
        rows=rows,
        both=sum(one.both for one in domains),
        one=round(found.values[_ONE], 4) if found else None,
        other=round(found.values[_OTHER], 4) if found else None,
        difference=_of(found, _MEAN, bounds),
    )


def _of(found: Estimate | None, column: int, bounds: tuple[float, float] | None = None) -> Figure:
    return figure(*(found.of(column) if found else (None, None)), bounds)


def _counts(pairs: Sequence[Pair], alone: tuple[int, int]) -> Counts:
    known = [(one.scores is not None, other.scores is not None) for one, other in pairs]
    apart = [(other.total or 0) - (one.total or 0) for one, other in _both(pairs)]
    return Counts(
        both=known.count((True, True)),
        only_one=known.count((True, False)),
        only_other=known.count((False, True)),
        neither=known.count((False, False)),
        one_higher=sum(value < 0 for value in apart),
        equal=sum(value == 0 for value in apart),
        other_higher=sum(value > 0 for value in apart),
        left_out=alone,
    )
