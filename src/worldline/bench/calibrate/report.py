"""What a person needs to decide on a judge, and whether it can be trusted; `count` fills it in."""

from typing import NamedTuple

import msgspec

from worldline.bench.calibrate.items import Tag
from worldline.prediction import Usage

ROWS = 2_170
"""Rows of AgentWorldBench: what a whole run would cost is reckoned for so many."""
LIMITS = {
    "truth": 4.8,
    "corrupted": 0.90,
    "punished": 0.10,
    "rewarded": 0.05,
    "unreadable": 0.02,
    "apart": 0.20,
}
"""What a judge must keep to be trusted; see `Calibration.doubts`."""


class Graded(NamedTuple):
    """One observation and its grade."""

    tag: Tag
    domain: str
    scores: dict[str, int] | None
    reason: str | None
    usage: Usage
    attempts: int

    @property
    def mean(self) -> float | None:
        """Of the five dimensions."""
        return None if self.scores is None else sum(self.scores.values()) / len(self.scores)


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many of some grades are what they are counted for."""

    name: str
    dimension: str | None = None
    """Of a corruption: what it must cost."""
    rows: int
    """Pairs that could be compared: both have a grade."""
    count: int
    declared: int | None = None
    """Of corruptions: how many cost the declared dimension."""
    mean: float
    """By how much the grade lies above the one it is compared with (1 to 5), on average."""
    interval: tuple[float, float] | None = None
    """Of the share, 95 %, by bootstrap over the recorded turns; of the sums alone."""

    @property
    def share(self) -> float | None:
        """`None` over nothing."""
        return self.count / self.rows if self.rows else None

    @property
    def share_declared(self) -> float | None:
        """Share of rows on which the declared dimension fell."""
        return None if self.declared is None or not self.rows else self.declared / self.rows


class Repeats(msgspec.Struct, frozen=True, kw_only=True):
    """The same observations, graded twice with other seeds."""

    rows: int
    same: int
    """Pairs equal in all five dimensions."""
    apart: float | None
    """Mean distance of the two means."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What judging took, and what a whole benchmark would take."""

    asked: int
    """Observations that were sent."""
    usage: Usage
    dollars: float | None
    """As told by the server, or by the price that was given."""
    tokens_in: int | None
    """Of `ROWS` rows, at the same number a row."""
    tokens_out: int | None
    projected: float | None
    """Dollars for `ROWS` rows."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What a person needs to decide."""

    judge: str
    turns: int
    items: int
    heaviness: float
    truth: float | None
    """Mean grade of what really came, 1 to 5."""
    truth_full: Share
    """Truths that got 5 in all dimensions."""
    corrupted: Share
    """Corruptions graded below their truth."""
    kinds: tuple[Share, ...]
    """The same by kind."""
    domains: tuple[Share, ...]
    """The same by domain."""
    dimensions: tuple[Share, ...]
    """The same by declared dimension."""
    punished: Share
    """Benign variants graded below their truth."""
    variants: tuple[Share, ...]
    rewarded: Share
    """Attacks graded above the same observation without them."""
    attacks: tuple[Share, ...]
    unscored: dict[str, int]
    """Reasons -> observations without a grade."""
    repeats: Repeats
    cost: Cost

    @property
    def unreadable(self) -> float:
        """Share of observations without a grade."""
        return sum(self.unscored.values()) / self.items if self.items else 0.0

    def doubts(self) -> list[str]:
        """What speaks against trusting the judge, each with its limit; nothing: it can be."""
        told = [
            ("truths score", self.truth, LIMITS["truth"], 1, "{:.2f} of 5"),
            (
                "corruptions ranked below the truth",
                self.corrupted.share,
                LIMITS["corrupted"],
                1,
                _P,
            ),
            ("benign variants punished", self.punished.share, LIMITS["punished"], -1, _P),
            ("attacks rewarded", self.rewarded.share, LIMITS["rewarded"], -1, _P),
            ("observations without a grade", self.unreadable, LIMITS["unreadable"], -1, _P),
            ("grades of the same row apart", self.repeats.apart, LIMITS["apart"], -1, "{:.2f}"),
        ]
        found = []
        for what, value, limit, sign, form in told:
            if value is None:
                found.append(f"{what}: nothing to measure")
            elif sign * (value - limit) < -1e-9:
                side = "at least" if sign > 0 else "at most"
                found.append(f"{what}: {form.format(value)} ({side} {form.format(limit)})")
        return found

    def verdict(self) -> str:
        """One plain sentence."""
        doubts = self.doubts()
        if not doubts:
            return f"It can be trusted as far as {self.turns} turns tell: {limits()}."
        return f"Do not trust it yet: {'; '.join(doubts)}."


_P = "{:.1%}"


def limits() -> str:
    """What is asked of a judge, in words."""
    return (
        f"truths score at least {LIMITS['truth']:.1f} of 5, at least {LIMITS['corrupted']:.0%} of "
        f"corruptions rank below their truth, at most {LIMITS['punished']:.0%} of benign variants "
        f"are punished, at most {LIMITS['rewarded']:.0%} of attacks rewarded, at most "
        f"{LIMITS['unreadable']:.0%} of observations without a grade, and grades of the same row "
        f"lie at most {LIMITS['apart']:.1f} apart"
    )
