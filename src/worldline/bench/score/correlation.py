"""How far two measures of the same rows go together, and several judges agree.

`Pearson` and `Spearman` (ties share their mean rank) for two columns; Krippendorff's alpha for
several raters, some of whom may be silent (Krippendorff, *Computing Krippendorff's
Alpha-Reliability*, 2011: coincidences of values, and differences by the level of measurement).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from worldline.bench.score.intervals import DRAWS, Stratum, by_session, percentiles, resampled

if TYPE_CHECKING:
    from numpy import ndarray

APART = 3
"""Rows that must differ from the commonest value of a measure: of fewer a coefficient says nothing
but where these rows lie."""
NOTHING = 0.10
"""Share of the draws that may have one value alone."""
Level = Literal["nominal", "ordinal", "interval"]


class Coefficient(msgspec.Struct, frozen=True):
    """-1 to 1; `value` is `None` where one of the measures hardly ever changes."""

    value: float | None
    interval: tuple[float, float] | None = None


class Correlation(msgspec.Struct, frozen=True, kw_only=True):
    """Two measures of the same rows."""

    rows: int
    pearson: Coefficient
    spearman: Coefficient


class Pair(NamedTuple):
    """Both measures of one row."""

    session: str
    one: float
    other: float


def correlated(
    strata: Mapping[str, Sequence[Pair]], draws: int = DRAWS, seed: int = 0
) -> Correlation:
    """Both coefficients over all rows, with intervals by bootstrap over sessions.

    Args:
        strata: the rows of each domain. A draw keeps the ranks that the rows have in the whole.

    A coefficient is `None` where fewer than `APART` rows differ from the commonest value of one of
    the measures, or where more than `NOTHING` of the draws have one value alone.
    """
    pairs = [pair for rows in strata.values() for pair in rows]
    one, other = [pair.one for pair in pairs], [pair.other for pair in pairs]
    places = [(name, pair.session) for name, rows in strata.items() for pair in rows]
    return Correlation(
        rows=len(pairs),
        pearson=_coefficient(places, one, other, draws, seed),
        spearman=_coefficient(places, ranks(one), ranks(other), draws, seed),
    )


def pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's r; `None` when one of them never changes."""
    if not one:
        return None
    found = float(_pearson(_products(one, other).sum(axis=0)))
    return None if found != found else found


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho: Pearson's r of the ranks."""
    return pearson(ranks(one), ranks(other))


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs."""
    import numpy as np

    _, place, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return [float(rank) for rank in (ends - (counts - 1) / 2)[place]]


def alpha(units: Sequence[Sequence[float | None]], level: Level) -> float | None:
    """Krippendorff's alpha: 1 is agreement, 0 what chance would bring.

    Args:
        units: for each rated thing the values of its raters; `None` where one is silent.
        level: what a difference of two values means.

    Returns:
        `None` when there is nothing to tell apart: no two ratings of one thing, or one value alone.
    """
    import numpy as np

    rated = [[v for v in unit if v is not None] for unit in units]
    rated = [unit for unit in rated if len(unit) > 1]
    values = sorted({value for unit in rated for value in unit})
    if len(values) < 2:
        return None
    place = {value: number for number, value in enumerate(values)}
    together = np.zeros((len(values), len(values)))
    for unit in rated:
        counts = np.bincount([place[value] for value in unit], minlength=len(values))
        together += (np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)
    often = together.sum(axis=0)
    apart = _apart(values, often, level)
    expected = often @ apart @ often / (often.sum() - 1)
    return float(1 - (together * apart).sum() / expected)


def _apart(values: list[float], often: "ndarray", level: Level) -> "ndarray":
    """Squared differences of all pairs of values."""
    import numpy as np

    if level == "nominal":
        return 1.0 - np.eye(len(values))
    # On an ordinal scale two values are as far apart as there are ratings between them.
    scale = np.cumsum(often) - often / 2 if level == "ordinal" else np.asarray(values, float)
    return (scale[:, None] - scale[None, :]) ** 2


def _coefficient(
    places: Sequence[tuple[str, str]],
    one: Sequence[float],
    other: Sequence[float],
    draws: int,
    seed: int,
) -> Coefficient:
    import numpy as np

    value = pearson(one, other)
    if value is None or _steady(one) or _steady(other):
        return Coefficient(None)
    products, drawn = _products(one, other), []
    for name in dict.fromkeys(name for name, _ in places):
        chosen = [row for row, (stratum, _) in enumerate(places) if stratum == name]
        sums = by_session(Stratum([places[row][1] for row in chosen], products[chosen]))
        if len(sums) < 2:
            return Coefficient(round(value, 4))
        drawn.append(resampled(sums, draws, seed, name)[:, :-1])
    found = _pearson(np.sum(drawn, axis=0))
    found = found[np.isfinite(found)]
    if len(found) < (1 - NOTHING) * draws:
        return Coefficient(None)
    ((low, high),) = percentiles(found[:, None])
    return Coefficient(round(value, 4), (round(low, 4), round(high, 4)))


def _steady(values: Sequence[float]) -> bool:
    """Whether a measure hardly ever changes."""
    return len(values) - Counter(values).most_common(1)[0][1] < APART


def _products(one: Sequence[float], other: Sequence[float]) -> "ndarray":
    """What r is made of, a row each: 1, x, y, x², y², xy, about their means."""
    import numpy as np

    x, y = np.asarray(one, float), np.asarray(other, float)
    x, y = x - x.mean(), y - y.mean()
    return np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])


def _pearson(totals: "ndarray") -> "ndarray":
    import numpy as np

    count, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
    spread_x, spread_y = xx - x * x / count, yy - y * y / count
    steady = (spread_x <= 1e-12 * count) | (spread_y <= 1e-12 * count)
    both = np.sqrt(np.where(steady, np.nan, spread_x) * np.where(steady, np.nan, spread_y))
    return np.clip((xy - x * y / count) / both, -1, 1)
