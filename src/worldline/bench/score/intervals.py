"""Intervals by bootstrap over sessions: rows of one session are no independent evidence.

Sessions are drawn with replacement within each domain, since a benchmark fixes its domains. One
fewer is drawn than there are and the totals are scaled up again (the rescaled bootstrap of survey
statistics), so that domains of few sessions do not look surer than they are. The ends are the
percentiles of the statistic over the draws. Everything is seeded by the name of the domain: the
same rows have the same interval, in whatever order they stand.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from numpy import ndarray

DRAWS = 10_000
LEVEL = 0.95
AT_ONCE = 4_000_000
"""Cells of the table of draws that are in memory at once."""


class Stratum(NamedTuple):
    """Rows among which sessions are drawn: a domain, or all there are."""

    sessions: Sequence[str]
    """Of each row."""
    values: "ndarray"
    """Shape (rows, columns)."""


class Estimate(NamedTuple):
    """Means of the columns, with their interval where there are sessions to draw from."""

    values: list[float]
    intervals: list[tuple[float, float]] | None
    """`None` where some stratum has one session alone: nothing says how another would differ."""
    sessions: int

    def of(self, column: int) -> tuple[float, tuple[float, float] | None]:
        """The mean of a column and its interval."""
        return self.values[column], self.intervals[column] if self.intervals else None


class Estimates(NamedTuple):
    """Of each stratum, of their unweighted mean, and of all rows."""

    each: dict[str, Estimate]
    macro: Estimate
    micro: Estimate


def estimates(strata: Mapping[str, Stratum], draws: int = DRAWS, seed: int = 0) -> Estimates:
    """Means with intervals. There must be a stratum, and each must have rows."""
    import numpy as np

    sums = {name: by_session(one) for name, one in strata.items()}
    drawn = {name: resampled(one, draws, seed, name) for name, one in sums.items()}
    each = {
        name: _estimate(_mean(one.sum(axis=0)), _mean(drawn[name]), len(one), len(one) > 1)
        for name, one in sums.items()
    }
    sessions, sure = sum(map(len, sums.values())), all(len(one) > 1 for one in sums.values())
    means = np.mean([one.values for one in each.values()], axis=0)
    macro = np.mean([_mean(one) for one in drawn.values()], axis=0)
    total = np.sum([one.sum(axis=0) for one in sums.values()], axis=0)
    micro = np.sum(list(drawn.values()), axis=0)
    return Estimates(
        each,
        _estimate(means, macro, sessions, sure),
        _estimate(_mean(total), _mean(micro), sessions, sure),
    )


def by_session(stratum: Stratum) -> "ndarray":
    """Sums of the columns over each session's rows, and their number: (sessions, columns + 1)."""
    import numpy as np

    places = {name: place for place, name in enumerate(sorted(set(stratum.sessions)))}
    counted = np.column_stack([stratum.values, np.ones(len(stratum.sessions))])
    sums = np.zeros((len(places), counted.shape[1]))
    np.add.at(sums, [places[name] for name in stratum.sessions], counted)
    return sums


def resampled(sums: "ndarray", draws: int, seed: int, name: str) -> "ndarray":
    """Totals of the columns over drawn sessions: (draws, columns)."""
    import numpy as np

    count = len(sums)
    if count == 1:
        return np.repeat(sums, draws, axis=0)
    rng = np.random.default_rng([seed, crc32(name.encode("utf-8", "surrogatepass"))])
    found = []
    for start in range(0, draws, step := max(1, AT_ONCE // count)):
        size = min(step, draws - start)
        times = rng.multinomial(count - 1, np.full(count, 1 / count), size=size)
        found.append(times @ sums * (count / (count - 1)))
    return np.concatenate(found)


def percentiles(values: "ndarray") -> list[tuple[float, float]]:
    """The interval of each column of (draws, columns)."""
    import numpy as np

    tail = (1 - LEVEL) / 2
    low, high = np.quantile(values, [tail, 1 - tail], axis=0)
    return list(zip(map(float, low), map(float, high), strict=True))


def _mean(totals: "ndarray") -> "ndarray":
    return totals[..., :-1] / totals[..., -1:]


def _estimate(values: "ndarray", drawn: "ndarray", sessions: int, sure: bool) -> Estimate:
    found = percentiles(drawn) if sure else None
    return Estimate([float(one) for one in values], found, sessions)
