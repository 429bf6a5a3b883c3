"""From grades to figures."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from worldline.bench.calibrate.bounds import exact
from worldline.bench.calibrate.report import ROWS, Calibration, Cost, Graded, Repeats, Share
from worldline.bench.score.intervals import Stratum, estimates
from worldline.prediction import Usage
from worldline.verify.compare import DIMENSIONS


def calibration(
    judge: str,
    graded: Sequence[Graded],
    again: Sequence[Graded],
    *,
    heaviness: float,
    price: tuple[float, float] | None = None,
) -> Calibration:
    """What the grades come to.

    Args:
        again: the second grades of some of the observations.
    """
    truths = {one.tag.row: one for one in graded if one.tag.kind == "truth"}
    wrong = {one.tag.row: one for one in graded if one.tag.kind == "wrong"}
    broken = [(one, truths[one.tag.row]) for one in graded if one.tag.kind == "corruption"]
    benign = [(one, truths[one.tag.row]) for one in graded if one.tag.kind == "variant"]
    attacks = [(one, wrong[one.tag.row]) for one in graded if one.tag.kind == "attack"]
    means = [one.mean for one in truths.values() if one.mean is not None]
    full = sum(mean == 5 for mean in means)
    reasons = Counter(one.reason or "unknown" for one in graded if one.scores is None)
    return Calibration(
        judge=judge,
        turns=len(truths),
        items=len(graded),
        heaviness=heaviness,
        truth=sum(means) / len(means) if means else None,
        truth_full=_counted("truths", full, len(means)),
        corrupted=_sure(broken, -1),
        kinds=_by(broken, -1, lambda one: (one.tag.name, one.tag.dimension)),
        domains=_by(broken, -1, lambda one: (one.domain, None)),
        dimensions=_in_order(_by(broken, -1, lambda one: (str(one.tag.dimension), None))),
        punished=_sure(benign, -1),
        variants=_by(benign, -1, lambda one: (one.tag.name, None)),
        rewarded=_sure(attacks, 1),
        attacks=_by(attacks, 1, lambda one: (one.tag.name, None)),
        unscored=dict(reasons.most_common()),
        repeats=_repeats(graded, again),
        cost=_cost([*graded, *again], price),
    )


def _counted(name: str, count: int, rows: int) -> Share:
    ends = exact(count, rows) if rows else None
    return Share(name=name, rows=rows, count=count, mean=0.0, interval=ends)


Pairs = Sequence[tuple[Graded, Graded]]


def _share(name: str, pairs: Pairs, sign: int, dimension: str | None = None) -> Share:
    """Pairs of a grade and the one it is compared with; counted where it lies on the side of
    `sign`."""
    apart, declared, corrupted = [], 0, False
    for one, other in pairs:
        distance, costs = _apart(one, other), one.tag.dimension
        if distance is not None and one.scores and other.scores:
            apart.append(distance)
            declared += costs is not None and one.scores[costs] < other.scores[costs]
            corrupted |= costs is not None
    count = sum(_beyond(value, sign) for value in apart)
    return Share(
        name=name,
        dimension=dimension,
        rows=len(apart),
        count=count,
        declared=declared if corrupted else None,
        mean=sum(apart) / len(apart) if apart else 0.0,
        interval=exact(count, len(apart)) if apart else None,
    )


def _apart(one: Graded, other: Graded) -> float | None:
    return None if one.mean is None or other.mean is None else one.mean - other.mean


def _beyond(value: float, sign: int) -> bool:
    return sign * value > 1e-9


def _sure(pairs: Pairs, sign: int) -> Share:
    """All pairs, with the wider of two intervals: those of one turn are no independent evidence."""
    import numpy as np

    found = _share("all", pairs, sign)
    apart = [(str(one.tag.row), _apart(one, other)) for one, other in pairs]
    told = [(row, [float(_beyond(value, sign))]) for row, value in apart if value is not None]
    if not told:
        return found
    turns, values = zip(*told, strict=True)
    estimate = estimates({"all": Stratum(turns, np.asarray(values))}).micro
    ends = [end for end in (found.interval, estimate.of(0)[1]) if end is not None]
    wider = min(low for low, _ in ends), max(high for _, high in ends)
    return msgspec.structs.replace(found, interval=wider)


Key = Callable[[Graded], tuple[str, str | None]]


def _by(pairs: Pairs, sign: int, key: Key) -> tuple[Share, ...]:
    groups: defaultdict[tuple[str, str | None], list[tuple[Graded, Graded]]] = defaultdict(list)
    for pair in pairs:
        groups[key(pair[0])].append(pair)
    return tuple(_share(name, some, sign, cost) for (name, cost), some in groups.items())


def _in_order(shares: Iterable[Share]) -> tuple[Share, ...]:
    return tuple(sorted(shares, key=lambda one: [*DIMENSIONS].index(one.name)))


def _repeats(graded: Sequence[Graded], again: Sequence[Graded]) -> Repeats:
    first = {(one.tag.row, one.tag.kind): one for one in graded}
    pairs = [(first[one.tag.row, one.tag.kind], one) for one in again]
    both = [(a, b) for a, b in pairs if a.mean is not None and b.mean is not None]
    apart = [abs((a.mean or 0) - (b.mean or 0)) for a, b in both]
    return Repeats(
        rows=len(both),
        same=sum(a.scores == b.scores for a, b in both),
        apart=sum(apart) / len(apart) if apart else None,
    )


def _cost(graded: Sequence[Graded], price: tuple[float, float] | None) -> Cost:
    asked = [one for one in graded if one.attempts]
    usage = sum((one.usage for one in asked), Usage())
    dollars = usage.cost_usd
    if price is not None and usage.prompt is not None:
        dollars = (usage.prompt * price[0] + (usage.completion or 0) * price[1]) / 1e6
    times = ROWS / len(asked) if asked else None

    def whole(value: float | None) -> float | None:
        return None if value is None or times is None else value * times

    told_in, told_out = whole(usage.prompt), whole(usage.completion)
    return Cost(
        asked=len(asked),
        usage=usage,
        dollars=dollars,
        tokens_in=None if told_in is None else round(told_in),
        tokens_out=None if told_out is None else round(told_out),
        projected=whole(dollars),
    )
