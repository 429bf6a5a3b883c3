"""The page of the study: docs/worldline-bench.md."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.rules.run import ARMS
from benchmarks.textladder.run import Measured
from benchmarks.verify.sessions import OURS
from worldline.bench.score.intervals import Estimates, Stratum, estimates
from worldline.verify.compare import DIMENSIONS

PAGE = Path("docs/worldline-bench.md")
HEAD = Path(__file__).with_name("head.md")
PAIRS = (
    ("embedded grounded", "embedded raw"),
    ("embedded grounded", "copy"),
    ("embedded grounded", "retrieval"),
)
Value = Callable[[Measured], float]


def write(rows: Sequence[Measured]) -> None:
    """Write the page."""
    PAGE.write_text(page(rows), "utf-8")


def page(rows: Sequence[Measured]) -> str:
    """The page's text."""
    return HEAD.read_text("utf-8") + ladder(rows) + dimensions(rows) + paired(rows)


def least(one: Measured) -> float:
    """The `true` mean, a turn without an observation counted as 0."""
    return one.true.get("score", 0.0)


def most(one: Measured) -> float:
    """The `true` mean, a turn without an observation counted as 1."""
    return one.true.get("score", 1.0)


def over(rows: Sequence[Measured], value: Value) -> Estimates | None:
    """Means by domain and over domains with intervals; `None` where a domain has no rows."""
    strata: dict[str, Stratum] = {}
    for domain in OURS:
        some = [one for one in rows if one.domain == domain]
        if some:
            values = np.array([[value(one)] for one in some])
            strata[domain] = Stratum([one.session for one in some], values)
    return estimates(strata) if strata else None


def of(rows: Sequence[Measured], arm: str, domain: str | None = None) -> list[Measured]:
    """The rows of a rung, of one domain or of all."""
    return [one for one in rows if one.arm == arm and domain in (None, one.domain)]


def ladder(rows: Sequence[Measured]) -> str:
    """The table by domain and rung."""
    text = "\n## The ladder\n\n"
    text += "| domain | rung | turns | answered | true | at least, at most | true, knowable "
    text += "| plausible | exact | claims that are lies |\n"
    text += "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    for domain in (*OURS, None):
        for arm in ARMS:
            text += _row(of(rows, arm.name, domain), domain, arm.name)
    return text


def _row(some: list[Measured], domain: str | None, arm: str) -> str:
    said = [one for one in some if one.outcome == "ok"]
    known = [one for one in said if not one.unknowable]
    low, high = over(some, least), over(some, most)
    bounds = "–" if low is None or high is None else f"{_mean(low):.3f}, {_mean(high):.3f}"
    claims, lies = (sum(getattr(one, name) for one in said) for name in ("claims", "lies"))
    cells = (
        domain or "**mean of the domains**",
        arm,
        f"{len(some):,}",
        f"{len(said) / len(some):.0%}" if some else "–",
        _told(over(said, least)),
        bounds,
        _told(over(known, least)),
        _told(over(said, lambda one: one.plausible or 0.0)),
        _told(over(said, lambda one: one.exact or 0.0)),
        f"{lies / claims:.0%}" if claims else "–",
    )
    return f"| {' | '.join(cells)} |\n"


def _mean(found: Estimates) -> float:
    return found.macro.values[0]


def _told(found: Estimates | None, sign: str = "") -> str:
    if found is None:
        return "–"
    value, interval = found.macro.of(0)
    ends = "" if interval is None else f" [{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]"
    return f"{value:{sign}.3f}{ends}"


def dimensions(rows: Sequence[Measured]) -> str:
    """The table by rung and dimension."""
    text = "\n## By dimension\n\nMeans of the domains, over the turns that were answered.\n\n"
    text += f"| rung | {' | '.join(DIMENSIONS)} |\n| --- |{' ---: |' * len(DIMENSIONS)}\n"
    for arm in ARMS:
        said = [one for one in of(rows, arm.name) if one.outcome == "ok"]
        cells = [_told(over(said, lambda one, name=name: one.true[name])) for name in DIMENSIONS]
        text += f"| {arm.name} | {' | '.join(cells)} |\n"
    return text


def paired(rows: Sequence[Measured]) -> str:
    """Differences on the very same turns."""
    text = "\n## On the same turns\n\nThe difference of `true`, a turn without an observation "
    text += "counted as 0 on either side.\n\n"
    text += f"| pair | {' | '.join(OURS)} | mean of the domains |\n"
    text += f"| --- |{' ---: |' * (len(OURS) + 1)}\n"
    for one, other in PAIRS:
        found = difference(rows, one, other)
        if found is None:
            continue
        cells = [_estimate(found, domain) for domain in OURS]
        text += f"| {one} − {other} | {' | '.join(cells)} | {_told(found, '+')} |\n"
    return text


def difference(rows: Sequence[Measured], one: str, other: str) -> Estimates | None:
    """One rung less another, by domain, on the turns that both were asked about."""
    base = {(row.domain, row.session, row.turn): row for row in of(rows, other)}
    pairs = [
        (row, base[key])
        for row in of(rows, one)
        if (key := (row.domain, row.session, row.turn)) in base
    ]
    strata = {
        domain: Stratum(
            [a.session for a, _ in pairs if a.domain == domain],
            np.array([[least(a) - least(b)] for a, b in pairs if a.domain == domain]),
        )
        for domain in OURS
        if any(a.domain == domain for a, _ in pairs)
    }
    return estimates(strata) if strata else None


def _estimate(found: Estimates, domain: str) -> str:
    if domain not in found.each:
        return "–"
    value, interval = found.each[domain].of(0)
    ends = "" if interval is None else f" [{interval[0]:+.3f}, {interval[1]:+.3f}]"
    return f"{value:+.3f}{ends}"
