"""The page of declared checks: shares by domain and axis, and failed cases side by side."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from worldline import jsonl
from worldline.bench.kinds import kind_of
from worldline.bench.rules.case import AXES, Axis, Case
from worldline.bench.rules.run import Cell, Table
from worldline.bench.rules.verdicts import MEAN, Answered, Interval, single
from worldline.bench.sides import pane
from worldline.pages import Mark, bars, frame, plain, table, text

EACH = 5
"""Failed cases of a domain and axis that are shown."""
ASKED: dict[Axis, str] = {
    "control": "the simulation was told to answer with",
    "error": "it must fail with",
    "memory": "it must repeat",
}


class Failures:
    """Keeps the first failed cases of each domain and axis, no near-copies, and counts all."""

    def __init__(self, each: int = EACH) -> None:
        self._each = each
        self._kept: dict[tuple[str, Axis], dict[tuple[str, str], Answered]] = {}
        self.counts: dict[tuple[str, Axis], int] = {}
        """(domain, axis) -> cases that failed."""

    def add(self, one: Answered) -> None:
        """Look at one more case."""
        if one.verdict.passed is not False:
            return
        key = (one.case.domain, one.case.axis)
        self.counts[key] = self.counts.get(key, 0) + 1
        kept = self._kept.setdefault(key, {})
        if len(kept) < self._each:
            kept.setdefault((kind_of(one.action), asked(one.case)), one)

    def of(self, domain: str, axis: Axis) -> list[Answered]:
        """The cases that are shown."""
        return list(self._kept.get((domain, axis), {}).values())


Intervals = Mapping[str, Mapping[str, Interval]]


def page(found: Table, ends: Intervals, failed: Failures, title: str, verdicts: str) -> str:
    """The page.

    Args:
        ends: of `worldline.bench.rules.verdicts.intervals`.
        verdicts: the file that holds the verdict on every case.
    """
    body = f"<p>{_WHAT}</p>{table(HEADS, lines(found, ends))}"
    if found.reasons:
        body += f"<h2>Cases without an answer</h2>{bars(found.reasons)}"
    for domain in found.cells:
        for axis in AXES:
            body += _section(domain, axis, failed, verdicts)
    return frame(title, body)


_WHAT = (
    "Each case asks for one answer that must hold certain lines. <b>control</b>: the simulation is "
    "told what the answer holds. <b>error</b>: the action must fail, in the right words. "
    "<b>memory</b>: the answer repeats what an earlier turn established. Shares are of the cases "
    "that were answered; a domain's mean counts its axes alike. Intervals are over sessions: by "
    "bootstrap or, where all cases end alike, exact."
)
HEADS = ("", "cases", "answered", "passed", "share", "95 %")


def lines(found: Table, ends: Intervals) -> Iterator[tuple[str, ...]]:
    """The table: each domain's mean, then its axes. A share of nothing is –."""
    for domain, cells in found.cells.items():
        mine = ends.get(domain, {})
        total = [sum(getattr(c, name) for c in cells.values()) for name in Cell.__struct_fields__]
        mean = (_share(found.mean(domain)), between(mine.get(MEAN)))
        yield (f"{domain}, mean", *(f"{count:,}" for count in total), *mean)
        for axis, cell in cells.items():
            counts = (cell.cases, cell.answered, cell.passed)
            share = (_share(cell.share), between(mine.get(axis)))
            yield (f"\u2003{axis}", *(f"{count:,}" for count in counts), *share)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def between(ends: Interval) -> str:
    """An interval in percent; – where there is none."""
    return "–" if ends is None else f"{ends[0]:.1%} to {ends[1]:.1%}"


def _section(domain: str, axis: Axis, failed: Failures, verdicts: str) -> str:
    shown = failed.of(domain, axis)
    if not shown:
        return ""
    count = failed.counts[domain, axis]
    told = f"{count:,} failed"
    if count > len(shown):
        told += f"; {len(shown)} of them are shown, {plain(verdicts)} names all"
    drawn = "".join(map(_case, shown))
    return f"<h2>{plain(domain)}, {axis}</h2><p class=note>{told}</p>{drawn}"


def _case(one: Answered) -> str:
    wanted = asked(one.case)
    head = f"{one.case.id}, {one.case.dialect}"
    said = "".join(f"<li>{plain(f'{f.op}: {f.why}')}</li>" for f in one.verdict.failed)
    return (
        f"<div class=turn><p>{plain(head)}</p><pre class=action>{text(one.action)}</pre>"
        f"<div class=sides>{pane(ASKED[one.case.axis], wanted, list(_lacking(one)))}"
        f"{pane(one.model, one.given or '', [])}</div><ul class=said>{said}</ul></div>"
    )


def asked(case: Case) -> str:
    """What the checks of a case ask for, a check a line."""
    return "\n".join(_told(check.op, check.arg) for check in _singles(case))


def _singles(case: Case) -> Iterable[Any]:
    return (one for check in case.checks for one in single(check))


def _told(op: str, arg: Any) -> str:
    value = arg.get("value") if isinstance(arg, dict) else arg
    if op == "contains" and isinstance(value, str):
        return value
    return f"{op} {jsonl.dumps(arg).decode()}"


def _lacking(one: Answered) -> Iterator[Mark]:
    """What was asked for and is not there."""
    failed, at = _failed(one.verdict.failed), 0
    for check in _singles(one.case):
        told = _told(check.op, check.arg)
        why = failed.get(told)
        if why is not None:
            yield Mark(at, at + len(told), "wrong", why)
        at += len(told) + 1


def _failed(failed: Sequence[Any]) -> dict[str, str]:
    return {_told(one.op, one.arg): one.why for one in failed}
