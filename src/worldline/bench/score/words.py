"""Sentences that the terminal and the pages say alike."""

from collections.abc import Iterator

from worldline.bench.official.arithmetic import FIGURES, Table
from worldline.bench.score.report import Score

OFFICIAL = (
    "The figures that the official script prints, 0 to 100: rows without a score leave the mean, "
    "so do scores of 0, dimension by dimension, and overall is the mean over rows. It does not "
    "print the macro."
)


def official_lines(found: Table) -> list[tuple[str, ...]]:
    """The official figures as a table: its heads, a line a domain, overall and macro."""
    heads = ("", *FIGURES[:-1], "total", "valid rows", "rows")
    lines = [
        (
            name,
            *(_number(one.figures.get(figure)) for figure in FIGURES),
            f"{one.valid:,}",
            f"{one.rows:,}",
        )
        for name, one in found.domains.items()
    ]
    dashes = ("–",) * (len(FIGURES) - 1)
    counts = (f"{found.valid:,}", f"{found.rows:,}")
    for name, value in (("overall", found.overall), ("macro", found.macro)):
        lines.append((name, *dashes, _number(value), *counts))
    return [heads, *lines]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def spent_lines(found: Score) -> Iterator[str]:
    """What predicting took, and what judging took."""
    judges = ", ".join(found.under.judges)
    for what, one in (
        (f"Predicting took ({found.name}, the model under test)", found.predicting),
        (f"Judging took ({judges}, the judge)", found.judging),
    ):
        if one is not None and (one.rows or one.cost_usd is not None):
            dollars = "dollars not said" if one.cost_usd is None else f"${one.cost_usd:,.4f}"
            say_in, say_out = (
                "not said" if n is None else f"{n:,}" for n in (one.prompt, one.completion)
            )
            yield (
                f"{what}: tokens in {say_in}, tokens out {say_out}, {dollars} "
                f"({one.rows:,} of {found.rows:,} rows say)"
            )


def stricter_line(count: int) -> str:
    """Why fewer rows have a score here than the judging told."""
    return (
        f"{count:,} more count as scored where they were judged: not all of their five scores are "
        "whole numbers from 1 to 5 (the official reading makes 0 of what it cannot read, and "
        "leaves it out of the mean). Here such a verdict is unreadable."
    )
