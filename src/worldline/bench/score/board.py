"""A static page that ranks runs: only those over the same rows under the same judge stand together.

Published figures stand among them where the rows are those of AgentWorldBench, else apart: labelled
reference rows without a rank, since another judge scored them. A run that misses too many rows has
no rank either, since failing on hard rows raises a mean.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.score.published import Reference, published
from worldline.bench.score.report import Figure, Score, alike
from worldline.bench.score.table import macro, place
from worldline.pages import frame, plain, table

MEASURED, PUBLISHED = "measured", "published"
BELOW = (
    "exact: the mean of the exact scorecard's score over the same rows, 0 to 100, without an LLM; "
    "only runs that are given as a report of `worldline bench score -o` have it. tokens: tokens "
    "that the model under test wrote for a prediction, on average; those of the judge are not in "
    "it."
)


def page(found: Sequence[Score], title: str, coverage: float) -> str:
    """The page.

    Args:
        coverage: share of rows that must have a score for a rank.
    """
    groups: dict[bytes, list[Score]] = {}
    for one in found:
        groups.setdefault(jsonl.dumps(alike(one), sort_keys=True), []).append(one)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].name))
    note = (
        "Macro is the unweighted mean of the domains, 0 to 100; intervals are 95 %, by bootstrap "
        "over sessions. Where two intervals overlap, `worldline bench compare` tells more: it "
        f"takes the rows in pairs. Runs that score fewer than {coverage:.0%} of their rows have no "
        f"rank. Rows called “{PUBLISHED}” are figures of {published().source}, by the judge "
        f"{published().judge} under {published().prompts} prompts: they were not measured here "
        "and have no rank. Their micro is worked out from the rows of each domain."
    )
    heads, called = _headings(ordered), _called(found)
    body = "".join(
        _section(head, group, called, coverage) for head, group in zip(heads, ordered, strict=True)
    )
    if not any(map(is_published_data, (group[0] for group in ordered))):
        body += _apart()
    return frame(title, f"<p class=note>{plain(note)}</p>{body}<p class=note>{plain(BELOW)}</p>")


def is_published_data(one: Score) -> bool:
    """Whether a run is over as many rows of each domain as the published figures are.

    Other benchmarks have the same domains: their figures are not to be read beside these.
    """
    return {group.name: group.rows for group in one.domains} == published().rows


def _headings(groups: Sequence[Sequence[Score]]) -> list[str]:
    """What each table is over; tables that would be called alike say in what they differ."""
    plainly = [_heading(group[0]) for group in groups]
    told = [dict(_flat("", _decided(group[0]))) for group in groups]
    found: list[str] = []
    for head, own in zip(plainly, told, strict=True):
        like = [one for other, one in zip(plainly, told, strict=True) if other == head]
        keys = sorted({key for one in like for key in one})
        apart = [key for key in keys if len({repr(one.get(key)) for one in like}) > 1]
        found.append("; ".join([head, *(f"{key} {_value(own.get(key))}" for key in apart)]))
    return found


def _heading(one: Score) -> str:
    judges, prompts = ", ".join(one.under.judges), ", ".join(one.under.prompts)
    unsaid = "" if one.under.settings else "its settings not said; "
    return f"Judge {judges}; judge prompts {prompts}; {unsaid}{one.rows:,} rows"


def _decided(one: Score) -> dict[str, Any]:
    under = msgspec.to_builtins(one.under)
    settings = under.pop("settings") or {}
    return {**under, **settings, "rows of SHA-256": one.data}


def _flat(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), one)
    else:
        yield name, value


def _value(value: Any) -> str:
    """A setting in a heading; of a digest its first figures."""
    if value is None:
        return "not said"
    told = ", ".join(map(_value, value)) if isinstance(value, list | tuple) else str(value)
    return told[:12] if len(told) == 64 else told


def _section(head: str, group: Sequence[Score], called: dict[int, str], coverage: float) -> str:
    names = _names(group)
    ranked = sorted(group, key=lambda one: -(one.macro.score.value or 0.0))
    ranked.sort(key=lambda one: one.coverage < coverage)
    lines = [
        (called[id(one)], *_line(rank, one, names, coverage)) for rank, one in enumerate(ranked, 1)
    ]
    with_published = is_published_data(group[0])
    if with_published:
        lines += [_reference(one, names) for one in _by_average()]
    below = _misprints() if with_published else ""
    return f"<h2>{plain(head)}</h2>{_drawn(names, lines)}{below}"


def _apart() -> str:
    """The published table by itself: no run here is over the rows that it is over."""
    names = list(published().rows)
    what = (
        f"Published: {published().source}; another benchmark: these "
        f"{sum(published().rows.values()):,} rows"
    )
    lines = [
        (one.model, PUBLISHED, *map(_number, (one.average, *one.domains.values(), one.micro)))
        for one in _by_average()
    ]
    drawn = table(("model", "kind", "macro", *names, "micro"), lines)
    return f"<h2>{plain(what)}</h2>{drawn}{_misprints()}"


def _misprints() -> str:
    """Averages that are not the mean of their domains, as far as rounding goes."""
    told = [
        f"The macro of {one.model}, {one.average:.2f}, is the authors' figure; the mean of the "
        f"domains in its row is {mean:.2f}."
        for one in _by_average()
        if abs((mean := macro(one.domains.values())) - one.average) > 0.0051
    ]
    return "".join(f"<p class=note>{plain(one)}</p>" for one in told)


def _drawn(names: Sequence[str], lines: Sequence[tuple[str, ...]]) -> str:
    heads = ("model", "rank", "kind", "macro", "95\u00a0%", "coverage", *names)
    return table((*heads, "micro", "exact", "tokens"), lines)


def _names(group: Sequence[Score]) -> list[str]:
    return sorted({one.name for run in group for one in run.domains}, key=place)


def _called(found: Sequence[Score]) -> dict[int, str]:
    """What each run is called: its name; runs of one name by as much of their path as it takes."""
    names = [one.name for one in found]
    return {
        id(one): one.name if names.count(one.name) == 1 else f"{one.name} ({_tail(one, found)})"
        for one in found
    }


def _tail(one: Score, found: Sequence[Score]) -> str:
    """The end of a run's path that no other run of its name has."""
    own = Path(one.files[0]).parts
    others = [Path(o.files[0]).parts for o in found if o.name == one.name and o is not one]
    for length in range(1, len(own)):
        if all(other[-length:] != own[-length:] for other in others):
            return "/".join(own[-length:])
    return one.files[0]


def _line(rank: int, one: Score, names: Sequence[str], coverage: float) -> tuple[str, ...]:
    by_name = {group.name: group.score.value for group in one.domains}
    return (
        "–" if one.coverage < coverage or one.macro.score.value is None else str(rank),
        MEASURED,
        *_figure(one.macro.score),
        f"{one.coverage:.1%}",
        *(_number(by_name.get(name)) for name in names),
        _number(one.micro.score.value),
        _number(one.macro.exact),
        _number(one.tokens.completion_mean, 0),
    )


def _by_average() -> list[Reference]:
    return sorted(published().models, key=lambda one: -one.average)


def _reference(one: Reference, names: Sequence[str]) -> tuple[str, ...]:
    return (
        one.model,
        "–",
        PUBLISHED,
        _number(one.average),
        "–",
        "–",
        *(_number(one.domains.get(name)) for name in names),
        _number(one.micro),
        "–",
        "–",
    )


def _figure(figure: Figure) -> tuple[str, str]:
    ends = figure.interval
    return _number(figure.value), f"{ends[0]:.1f}–{ends[1]:.1f}" if ends else "–"


def _number(value: float | None, places: int = 2) -> str:
    return "–" if value is None else f"{value:,.{places}f}"
