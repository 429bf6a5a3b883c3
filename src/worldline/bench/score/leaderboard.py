"""A static page that ranks runs: only those over the same rows under the same judge stand together.

Published figures stand below them as labelled reference rows, without a rank: another judge scored
them. A run that misses too many rows has no rank either, since failing on hard rows raises a mean.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.score.intervals import DRAWS
from worldline.bench.score.published import Reference, published
from worldline.bench.score.report import SCHEMA, Figure, Score
from worldline.bench.score.run import is_judged, judged_files, load
from worldline.bench.score.table import place, score
from worldline.errors import DataError
from worldline.pages import frame, plain, table
from worldline.trajectory import check_schema, validation_error

MEASURED, PUBLISHED = "measured", "published"


def entries(
    paths: Sequence[Path], *, draws: int = DRAWS, seed: int = 0, mixed: bool = False
) -> list[Score]:
    """The runs: each judged file is one, each file of ``worldline bench score -o`` is one.

    Args:
        paths: such files, or folders of them.
        mixed: take files in which rows were judged differently.

    Raises:
        DataError: a file is broken, or a folder holds neither.
        UsageError: the rows of a file were judged differently.
    """
    found: dict[bytes, Score] = {}
    for path in paths:
        for file in _results(path) if path.is_dir() else [path]:
            kept = file.suffix == ".json"
            one = read(file) if kept else score(load([file], mixed=mixed), draws=draws, seed=seed)
            found.setdefault(jsonl.dumps([one.name, one.scored, *_alike(one)]), one)
    return list(found.values())


def _results(folder: Path) -> list[Path]:
    """What is in a folder; of a run that was scored already its report comes first."""
    inside = sorted(folder.rglob("*"))
    found = [one for one in inside if is_report(one)] + [one for one in inside if is_judged(one)]
    return found or judged_files([folder])  # which says that there are none


def is_report(path: Path) -> bool:
    """Whether a file is a report that was kept."""
    if path.suffix != ".json" or not path.is_file():
        return False
    try:
        value = jsonl.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    schema = value.get("schema") if isinstance(value, dict) else None
    return isinstance(schema, str) and schema.startswith(SCHEMA.rpartition("/")[0] + "/")


def read(path: Path) -> Score:
    """A report that was kept.

    Raises:
        DataError: it cannot be read or is none.
    """
    try:
        value = jsonl.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"cannot be read ({error})", file=path, remedy=_REMEDY) from error
    check_schema(value.get("schema") if isinstance(value, dict) else None, SCHEMA, file=path)
    try:
        return jsonl.convert(value, Score)
    except msgspec.ValidationError as error:
        raise validation_error(error, file=path) from error


_REMEDY = "Give what `worldline bench score JUDGED -o FILE.json` wrote."


def page(found: Sequence[Score], title: str, coverage: float) -> str:
    """The page.

    Args:
        coverage: share of rows that must have a score for a rank.
    """
    groups: dict[bytes, list[Score]] = {}
    for one in found:
        groups.setdefault(jsonl.dumps(_alike(one), sort_keys=True), []).append(one)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].name))
    note = (
        "Macro is the unweighted mean of the domains, 0 to 100; intervals are 95 %, by bootstrap "
        "over sessions. Where two intervals overlap, `worldline bench compare` tells more: it "
        f"takes the rows in pairs. Runs that score fewer than {coverage:.0%} of their rows have no "
        f"rank. Rows called “{PUBLISHED}” are figures of {published().source}, by the judge "
        f"{published().judge} under {published().prompts} prompts: they were not measured here "
        "and have no rank. Their micro is worked out from the rows of each domain."
    )
    body = "".join(_section(group, coverage) for group in ordered)
    if not any(_seven(_names(group)) for group in ordered):
        body += _apart()
    return frame(title, f"<p class=note>{plain(note)}</p>{body}")


def _alike(one: Score) -> list[Any]:
    """What must be equal for two runs to stand together."""
    return [msgspec.to_builtins(one.under), one.data]


def _section(group: Sequence[Score], coverage: float) -> str:
    under, names = group[0].under, _names(group)
    ranked = sorted(group, key=lambda one: -(one.macro.score.value or 0.0))
    ranked.sort(key=lambda one: one.coverage < coverage)
    called = [one.name for one in group]
    lines = [
        (_called(one, called), *_line(rank, one, names, coverage))
        for rank, one in enumerate(ranked, 1)
    ]
    if _seven(names):
        lines += [_reference(one, names) for one in _by_average()]
    judges, prompts = ", ".join(under.judges), ", ".join(under.prompts)
    unsaid = "" if under.settings else "its settings not said; "
    what = f"Judge {judges}; judge prompts {prompts}; {unsaid}{group[0].rows:,} rows"
    return f"<h2>{plain(what)}</h2>{_drawn(names, lines)}"


def _apart() -> str:
    """The published table by itself: no run here is over the seven domains that it is over."""
    names = list(published().rows)
    what = f"Published: {published().source}; {sum(published().rows.values()):,} rows"
    lines = [_reference(one, names) for one in _by_average()]
    return f"<h2>{plain(what)}</h2>{_drawn(names, lines)}"


def _drawn(names: Sequence[str], lines: Sequence[tuple[str, ...]]) -> str:
    heads = ("model", "rank", "kind", "macro", "95 %", "coverage", *names)
    return f"<div class=wide>{table((*heads, 'micro', 'exact', 'tokens'), lines)}</div>"


def _seven(names: Sequence[str]) -> bool:
    return set(names) == published().rows.keys()


def _names(group: Sequence[Score]) -> list[str]:
    return sorted({one.name for run in group for one in run.domains}, key=place)


def _called(one: Score, names: Sequence[str]) -> str:
    """Its name; runs of one name by their files too."""
    return one.name if names.count(one.name) == 1 else f"{one.name} ({Path(one.files[0]).name})"


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
