"""What became of each rule case: passed, failed and on which check, or not answered and why."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from worldline import jsonl
from worldline.bench.replayed import predicted
from worldline.bench.rules.case import Axis, Case
from worldline.bench.rules.propose import passes
from worldline.bench.suite import Evaluated
from worldline.tasks.checks import evaluate
from worldline.tasks.task import Check
from worldline.tasks.texts import Texts

if TYPE_CHECKING:
    from numpy import ndarray

SCHEMA = "worldline.rule_verdict/1"
MEAN: Literal["mean"] = "mean"
"""Beside the axes of a domain: their unweighted mean."""


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """A check that does not hold of an answer."""

    op: str
    arg: Any
    why: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One case. `passed` is `None` exactly when there is a `reason`: nothing was answered."""

    id: str
    domain: str
    axis: Axis
    trajectory: str
    passed: bool | None
    reason: str | None = None
    failed: tuple[Failed, ...] = ()
    schema: str = SCHEMA


class Answered(NamedTuple):
    """A verdict with its texts, for whoever shows it."""

    verdict: Verdict
    case: Case
    action: str
    given: str | None
    """The answer; `None` where there is none."""
    model: str


def answered(order: Sequence[tuple[Case, Evaluated]], out: Path) -> Iterator[Answered]:
    """The cases of a run, in the order they were posed, with what became of them.

    Args:
        out: the results of that run, one a case.

    Raises:
        ValueError: there are not as many results as cases.
    """
    for (case, item), row in zip(order, predicted(out), strict=True):
        verdict = judged(case, row.observation, row.reason)
        action = item.trajectory.turns[-1].action
        yield Answered(verdict, case, action, row.observation, row.model)


def judged(case: Case, given: str | None, reason: str | None = None) -> Verdict:
    """The verdict on one answer.

    Args:
        reason: why there is none.
    """
    return Verdict(
        id=case.id,
        domain=case.domain,
        axis=case.axis,
        trajectory=case.trajectory,
        passed=None if given is None else passes(case, given),
        reason=reason or "?" if given is None else None,
        failed=() if given is None else tuple(_failed(case, given)),
    )


def _failed(case: Case, given: str) -> Iterator[Failed]:
    if case.longest is not None and len(given) > case.longest:
        why = f"has {len(given):,} characters, an answer has at most {case.longest:,}"
        yield Failed(op="longest", arg=case.longest, why=why)
    texts = Texts(observation=given, domain=case.domain, dialect=case.dialect)
    for check in case.checks:
        for one in single(check):
            found = evaluate(one, texts)
            if not found.ok:
                yield Failed(op=one.op, arg=one.arg, why=found.why)


def single(check: Check) -> list[Check]:
    """A check of several texts as one check a text: all of them must hold."""
    values = check.arg.get("value") if isinstance(check.arg, dict) else None
    if check.op not in ("contains", "absent") or not isinstance(values, list | tuple):
        return [check]
    args = [{**check.arg, "value": value} for value in values]
    return [msgspec.structs.replace(check, arg=arg) for arg in args]


def write(path: Path, verdicts: Sequence[Verdict]) -> int:
    """Write one line a case; returns how many. The file is made anew."""
    return jsonl.write(path, (msgspec.to_builtins(one) for one in verdicts))


def beside(out: Path) -> Path:
    """Where the verdicts of results stand: ``OUT.verdicts.jsonl``."""
    return out.with_name(out.name + ".verdicts.jsonl")


Interval = tuple[float, float] | None
"""95 %; `None` where no two sessions were answered: nothing says how another would differ."""


def intervals(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Interval]]:
    """Domain -> axis, or ``mean``, -> interval of the share that passed.

    By bootstrap over sessions, since cases of one session are no independent evidence. The axes of
    a domain share its sessions, so they are drawn together. Where all cases end alike there is
    nothing to resample: then the bound is exact, each session counting once, and the mean is as
    much less sure.
    """
    domains: dict[str, list[Verdict]] = {}
    for one in verdicts:
        if one.passed is not None:
            domains.setdefault(one.domain, []).append(one)
    return {name: _intervals(name, rows) for name, rows in sorted(domains.items())}


def _intervals(name: str, rows: Sequence[Verdict]) -> dict[str, Interval]:
    axes = sorted({one.axis for one in rows})
    shares = _drawn(name, rows, axes)
    found: dict[str, Interval] = {}
    low, high = _percentiles(_mean(shares))
    for place, axis in enumerate(axes):
        mine = [one for one in rows if one.axis == axis]
        exact = _alike(mine)
        found[axis] = exact or _percentiles(shares[:, place])
        if len({one.trajectory for one in mine}) < 2:
            found[axis] = None
        elif exact is not None:
            share = float(bool(mine[0].passed))
            low, high = low + (exact[0] - share) / len(axes), high + (exact[1] - share) / len(axes)
    return {**found, MEAN: (low, high) if None not in found.values() else None}


def _alike(rows: Sequence[Verdict]) -> Interval:
    """The exact bounds where all passed or none did; `None` where some did."""
    from worldline.bench.score.intervals import LEVEL

    if len({one.passed for one in rows}) > 1:
        return None
    least = ((1 - LEVEL) / 2) ** (1 / len({one.trajectory for one in rows}))
    return (least, 1.0) if rows[0].passed else (0.0, 1 - least)


def _drawn(name: str, rows: Sequence[Verdict], axes: Sequence[str]) -> "ndarray":
    """Shares that passed in drawn sessions: (draws, axes); not a number where no case was drawn."""
    import numpy as np

    from worldline.bench.score.intervals import DRAWS, Stratum, by_session, resampled

    passed = [[bool(one.passed) and one.axis == axis for axis in axes] for one in rows]
    asked = [[one.axis == axis for axis in axes] for one in rows]
    cells = np.hstack([np.array(passed, float), np.array(asked, float)])
    sums = by_session(Stratum([one.trajectory for one in rows], cells))
    drawn = resampled(sums, DRAWS, 0, name)
    good, all_ = drawn[:, : len(axes)], drawn[:, len(axes) : 2 * len(axes)]
    return np.where(all_ > 0, good / np.maximum(all_, 1), np.nan)


def _mean(shares: "ndarray") -> "ndarray":
    """Of the axes that a draw has cases of: (draws,)."""
    import numpy as np

    there = ~np.isnan(shares)
    return np.where(there, shares, 0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)


def _percentiles(shares: "ndarray") -> tuple[float, float]:
    import numpy as np

    from worldline.bench.score.intervals import percentiles

    return percentiles(shares[~np.isnan(shares)][:, None])[0]
