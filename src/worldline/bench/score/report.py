"""The report of a run, as it is kept in a file: frozen data alone.

A figure is the mean over rows that have a score, as ``(raw - 1) / 4 * 100``. The headline is
*macro*, the unweighted mean of the domains; *micro* is the mean over all rows. Rows without a score
leave neither unnoticed: coverage stands beside each figure, and the bounds say what it would be
were every missing row the worst there is, or the best.
"""

from typing import Any

import msgspec

import worldline
from worldline.bench.score.correlation import Correlation
from worldline.bench.score.intervals import LEVEL
from worldline.bench.score.run import Under

SCHEMA = "worldline.score/1"


class Figure(msgspec.Struct, frozen=True):
    """A mean on the scale of 0 to 100."""

    value: float | None
    """`None` when no row has a score."""
    interval: tuple[float, float] | None = None
    """95 %; `None` where a domain has one session alone."""
    bounds: tuple[float, float] | None = None
    """Every missing row at 1, at 5."""


def figure(
    value: float | None,
    interval: tuple[float, float] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Figure:
    """A figure, rounded: the same rows give the same file on every machine."""
    return Figure(
        None if value is None else round(value, 4),
        None if interval is None else (round(interval[0], 4), round(interval[1], 4)),
        None if bounds is None else (round(bounds[0], 4), round(bounds[1], 4)),
    )


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Rows that are reported together."""

    name: str
    rows: int
    scored: int
    sessions: int
    """Among the scored rows."""
    score: Figure
    dimensions: dict[str, Figure]
    exact: float | None = None
    """The exact scorecard over the same rows, 0 to 100."""
    tokens: float | None = None
    """Completion tokens a prediction, over the rows that say."""

    @property
    def coverage(self) -> float:
        """Share of rows that have a score."""
        return self.scored / self.rows


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of predictions, over the rows that say."""

    rows: int
    completion_mean: float | None
    completion_median: float | None
    completion_total: int
    prompt_mean: float | None


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and dollars in all. `None`: no row says."""

    rows: int
    """Rows that say tokens."""
    prompt: int | None
    completion: int | None
    cost_usd: float | None


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """All domains together, in one of the two ways."""

    score: Figure
    dimensions: dict[str, Figure]
    exact: float | None = None


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """The judge beside the exact scorecard, on rows that both have scored."""

    overall: Correlation
    dimensions: dict[str, Correlation]
    domains: dict[str, Correlation]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """All that a run came to."""

    name: str
    files: tuple[str, ...]
    under: Under
    data: str
    """SHA-256 of which rows were judged."""
    rows: int
    scored: int
    coverage: float
    sessions: int
    macro: Whole
    micro: Whole
    unscored_domains: tuple[str, ...]
    """Domains in which no row has a score: `macro` is without them, its bounds are not."""
    domains: tuple[Group, ...]
    depths: tuple[Group, ...]
    """By evaluated turn. Means over the rows of all domains, as those by context."""
    contexts: tuple[Group, ...]
    reasons: dict[str, dict[str, int]]
    """Stage -> reason -> rows: why there is no score."""
    tokens: Tokens
    predicting: Spent | None = None
    """What the model under test took."""
    judging: Spent | None = None
    """What the judge took, or the judges of a panel together."""
    stricter: int = 0
    """Rows that count as scored where they were judged and not here, where all five scores must be
    whole numbers from 1 to 5."""
    exact: Beside | None = None
    headline: str = "macro"
    draws: int
    seed: int
    level: float = LEVEL
    version: str = worldline.__version__
    """Of Worldline, that made the report."""
    schema: str = SCHEMA


def told(found: Score) -> dict[str, Any]:
    """The report as JSON values."""
    return msgspec.to_builtins(found)


def alike(one: Score) -> list[Any]:
    """What must be equal for two runs to stand together: how and on which rows they were judged."""
    return [msgspec.to_builtins(one.under), one.data]
