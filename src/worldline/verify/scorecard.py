"""Five dimensions and one score, 0 to 1, from the differences to the truth.

Every difference costs one dimension (`worldline.verify.compare`), so the truth scores 1 in each and
nothing scores more. What each share is of:

* ``format``: parts of the frame; 0 where the dialect cannot read the text.
* ``factuality``: pairs of content whose difference, if any, is neither old news nor talk.
* ``consistency``: pairs of the session's state, and what is old news.
* ``realism``: pairs and surplus parts.
* ``quality``: parts that have a counterpart, among the parts of both.

An observation that shares nothing with a truth that says something is worth nothing but its form.

The *score* is the mean of the five, but never more than how much of both texts is verified equal
allows (`agreement`): five dimensions say what kind of mistake a text makes, and a text that says
next to nothing makes few. Without that bound "I don't know." would be worth more than half.
"""

import msgspec

from worldline.verify.compare import DIMENSIONS, Compared, Dimension

FORM = 0.2
"""What form alone is worth, with not one part verified equal."""


class Dimensions(msgspec.Struct, frozen=True, kw_only=True):
    """Five scores, 0 to 1, and how much there is behind them."""

    format: float
    factuality: float
    consistency: float
    realism: float
    quality: float
    agreement: float
    """Parts of both that are verified equal, among the parts of both (F1); frame and bare status
    aside. 1 where neither says anything else, 0 where the dialect cannot read the observation."""

    @property
    def score(self) -> float:
        """The mean of the five, at most what form and agreement allow."""
        mean = sum(getattr(self, name) for name in DIMENSIONS) / len(DIMENSIONS)
        return min(mean, FORM * self.format + (1 - FORM) * self.agreement)


PERFECT = Dimensions(format=1, factuality=1, consistency=1, realism=1, quality=1, agreement=1)
NOTHING = Dimensions(format=0, factuality=0, consistency=0, realism=0, quality=0, agreement=0)


def dimensions(found: Compared) -> Dimensions:
    """The scores of a comparison."""
    if not found.differences:
        return PERFECT
    cost = dict.fromkeys(DIMENSIONS, 0)
    stale = 0
    for one in found.differences:
        cost[one.dimension] += 1
        stale += one.what == "stale"
    frame = 0.0 if not found.readable else _share(cost["format"], found.frame + 1)
    if found.strange:
        return msgspec.structs.replace(NOTHING, format=frame)
    return Dimensions(
        format=frame,
        factuality=_facts(found, cost),
        consistency=_share(cost["consistency"], found.state + stale),
        realism=_share(cost["realism"], found.given + found.talk),
        quality=_both(found),
        agreement=_agreement(found),
    )


def _agreement(found: Compared) -> float:
    told = found.told_truth + found.told_given
    return 2 * found.same / told if told else 1.0


def _share(bad: int, of: int) -> float:
    return 1.0 if not bad else max(0.0, 1 - bad / max(of, bad))


def _facts(found: Compared, cost: dict[Dimension, int]) -> float:
    wrong = cost["factuality"]
    if found.equal + wrong:
        return found.equal / (found.equal + wrong)
    old_news = found.pairs > found.state
    inventions = not found.truth and found.given
    return 0.0 if old_news or inventions else 1.0


def _both(found: Compared) -> float:
    total = found.truth + found.given
    return 1.0 if not total else 2 * found.pairs / total
