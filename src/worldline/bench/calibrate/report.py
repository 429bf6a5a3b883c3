"""What a person needs to decide on a judge, and whether it can be trusted; `count` fills it in."""

from typing import NamedTuple

import msgspec

from worldline.bench.calibrate.bounds import exact
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
    """Of the share, 95 %, Clopper-Pearson; of the sums no narrower than by bootstrap over the
    recorded turns, for pairs of one turn are no independent evidence."""

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

    @property
    def covered(self) -> str:
        """The domains that were measured."""
        return ", ".join(sorted(one.name for one in self.domains)) or "no domain"

    def checks(self) -> list["Check"]:
        """What is asked of a judge, and what was measured."""
        ungraded = sum(self.unscored.values())
        left = Share(name="", rows=self.items, count=ungraded, mean=0.0)
        left = msgspec.structs.replace(left, interval=exact(ungraded, self.items))
        return [
            Check("truths score", self.truth, None, LIMITS["truth"], 1, "{:.2f} of 5"),
            _checked("corruptions ranked below the truth", self.corrupted, "corrupted", 1),
            _checked("benign variants punished", self.punished, "punished", -1),
            _checked("attacks rewarded", self.rewarded, "rewarded", -1),
            _checked("observations without a grade", left, "unreadable", -1),
            Check(
                "grades of the same row apart",
                self.repeats.apart,
                None,
                LIMITS["apart"],
                -1,
                "{:.2f}",
            ),
        ]

    def doubts(self) -> list[str]:
        """What speaks against trusting the judge: each figure that does not keep its limit."""
        return [one.told for one in self.checks() if one.value is not None and not one.kept]

    def undecided(self) -> list[str]:
        """What too few rows leave open: kept as counted, and not at the end of its interval."""
        told = []
        for one in self.checks():
            if one.value is None:
                told.append(f"{one.what}: nothing to measure")
            elif one.kept and not one.sure:
                told.append(one.told_open)
        return told

    def verdict(self) -> str:
        """One plain sentence."""
        if doubts := self.doubts():
            return f"Do not trust it yet: {'; '.join(doubts)}."
        if left := self.undecided():
            return f"Too few rows to tell (more: --rows): {'; '.join(left)}."
        turns = f"{self.turns} turns of {self.covered}"
        return f"It can be trusted as far as {turns} tell: {limits()}."


class Check(NamedTuple):
    """A figure beside its limit."""

    what: str
    value: float | None
    bound: float | None
    """The end of its interval that is nearer to the limit or beyond it; `None` of a mean."""
    limit: float
    sign: int
    """1: at least the limit is asked for; -1: at most."""
    form: str

    @property
    def kept(self) -> bool:
        """Whether the figure itself keeps its limit."""
        return self.value is not None and self._keeps(self.value)

    @property
    def sure(self) -> bool:
        """Whether it does so at the end of its interval too."""
        return self.kept and (self.bound is None or self._keeps(self.bound))

    @property
    def told(self) -> str:
        """As ``attacks rewarded: 7.0% (at most 5.0%)``."""
        return f"{self.what}: {self.form.format(self.value)} ({self._asked})"

    @property
    def told_open(self) -> str:
        """As ``attacks rewarded: 0.0%, may be 20.6% (at most 5.0%)``."""
        may = self.form.format(self.bound)
        return f"{self.what}: {self.form.format(self.value)}, may be {may} ({self._asked})"

    @property
    def _asked(self) -> str:
        return f"{'at least' if self.sign > 0 else 'at most'} {self.form.format(self.limit)}"

    def _keeps(self, value: float) -> bool:
        return self.sign * (value - self.limit) >= -1e-9


def _checked(what: str, share: Share, limit: str, sign: int) -> Check:
    low, high = share.interval or (0.0, 1.0)
    return Check(what, share.share, low if sign > 0 else high, LIMITS[limit], sign, _P)


_P = "{:.1%}"


def limits() -> str:
    """What is asked of a judge, in words."""
    return (
        f"truths score at least {LIMITS['truth']:.1f} of 5, at least {LIMITS['corrupted']:.0%} of "
        f"corruptions rank below their truth, at most {LIMITS['punished']:.0%} of benign variants "
        f"are punished, at most {LIMITS['rewarded']:.0%} of attacks rewarded, at most "
        f"{LIMITS['unreadable']:.0%} of observations without a grade, and grades of the same row "
        f"lie at most {LIMITS['apart']:.1f} apart; each share at the end of its 95 % interval "
        "(Clopper-Pearson)"
    )
