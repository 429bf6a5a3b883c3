"""The figures that the official script prints for judged rows, as numbers.

Each is a mean of scores from 1 to 5, brought to 0 to 100. Quirks that are kept: rows without a
score leave the mean, so that a model gains by failing; so does a score of 0, dimension by
dimension; where all are 0 the figure is -25; "overall" is the mean over all rows, so that a domain
counts as much as it has rows. The table that the benchmark's authors published has `macro` instead.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any

import msgspec

from worldline import jsonl
from worldline.errors import DataError
from worldline.verify.compare import DIMENSIONS

FIGURES = (*DIMENSIONS, "total_score")


class Domain(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed of one domain."""

    rows: int
    valid: int
    """Rows that have not failed."""
    figures: dict[str, float]
    """Dimensions and ``total_score``, 0 to 100 (or -25); empty without a valid row."""

    @property
    def failed(self) -> int:
        """Rows that have."""
        return self.rows - self.valid


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """All that is printed."""

    domains: dict[str, Domain]
    """In order of their names."""
    overall: float | None
    """Over all rows with a total score other than 0; `None` without any."""
    rows: int
    valid: int
    """Rows that `overall` is over."""

    @property
    def failed(self) -> int:
        """All other rows."""
        return self.rows - self.valid

    @property
    def macro(self) -> float | None:
        """The mean over domains, which is not printed; `None` without a scored domain."""
        scored = [one.figures["total_score"] for one in self.domains.values() if one.figures]
        return mean(scored) if scored else None


def of_file(path: str | Path) -> Table:
    """The figures of a file of judged rows.

    Raises:
        DataError: a line is no judged row; it names file, line and field.
    """
    return _table(jsonl.read(path), path)


def table(judged: Iterable[Mapping[str, Any]]) -> Table:
    """The figures of judged rows in memory. Errors as for `of_file`, with the row's number."""
    return _table(enumerate(judged, 1), None)


def _table(judged: Iterable[tuple[int, Any]], file: str | Path | None) -> Table:
    rows, totals = 0, list[float]()
    valid: dict[str, list[dict[str, float]]] = {}
    counts: Counter[str] = Counter()
    for number, value in judged:
        rows += 1
        domain, scores = _read(value, file, number)
        counts[domain] += 1
        if scores is not None:
            valid.setdefault(domain, []).append(scores)
            totals += filter(None, [scores["total_score"]])
    domains = {name: _domain(counts[name], valid.get(name, [])) for name in sorted(counts)}
    overall = _percent(totals) if totals else None
    return Table(domains=domains, overall=overall, rows=rows, valid=len(totals))


def _domain(rows: int, valid: list[dict[str, float]]) -> Domain:
    figures = {
        name: _percent([scores[name] for scores in valid if scores[name] != 0])
        for name in (FIGURES if valid else ())
    }
    return Domain(rows=rows, valid=len(valid), figures=figures)


def _percent(scores: list[float]) -> float:
    """A mean of 1 to 5 as 0 to 100; that of nothing counts as 0."""
    return float((mean(scores) - 1) / 4 * 100) if scores else -25.0


def _read(value: Any, file: str | Path | None, number: int) -> tuple[str, dict[str, float] | None]:
    """A row's domain, and its scores unless it has failed; one that it lacks is 0."""
    task = value.get("task", "mcp") if isinstance(value, dict) else None
    if not isinstance(task, str):
        raise _wrong("must be a text" if isinstance(value, dict) else "no row", file, number)
    domain = task.rpartition("/")[2]
    if value.get("failed", 1.0) != 0:
        return domain, None
    scores = {name: value.get(name, 0) for name in FIGURES}
    for name, score in scores.items():
        if not isinstance(score, int | float):
            raise _wrong(f"is {score!r}, and no number", file, number, name)
    return domain, scores


def _wrong(message: str, file: str | Path | None, number: int, field: str = "task") -> DataError:
    remedy = "Give judged rows: `worldline bench judge PREDICTIONS -o FILE`."
    return DataError(message, file=file, line=number, field=field, remedy=remedy)
