"""What the stages of a benchmark share on the command line: their flags, and how they end."""

from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from worldline.cli.common import say

Concurrency = Annotated[
    int | None, typer.Option("--concurrency", "-c", min=1, help="How many are asked at once.")
]
Limit = Annotated[int | None, typer.Option(min=0, help="Only the first rows.")]
Tries = Annotated[
    int, typer.Option(min=1, metavar="N", help="Replies asked for until one can be read.")
]
MaxTokens = Annotated[
    int | None, typer.Option(min=1, metavar="TOKENS", help="Length of a reply at most.")
]
Seed = Annotated[int, typer.Option(help="Seed of the run.")]
Coverage = Annotated[
    float,
    typer.Option(min=0, max=1, metavar="SHARE", help="Exit 1 when fewer rows have a score."),
]
COVERAGE = 0.98
DEFAULT_CONCURRENCY = 8
"""For models that do not say how many requests they serve at once."""


class Described(Protocol):
    """A model that says what it is."""

    def describe(self) -> dict[str, Any]:
        """What a manifest records."""
        ...


class Report(Protocol):
    """What a run came to, as far as every stage counts it."""

    @property
    def rows(self) -> int:
        """Results that are there now."""
        ...

    @property
    def resumed(self) -> int:
        """Of these, done before this run."""
        ...

    @property
    def seconds(self) -> float:
        """Of this run."""
        ...


def at_once(asked: int | None, who: Described) -> int:
    """How many rows are asked about at once: as the flag says, else as many as the model serves."""
    return asked or who.describe().get("slots", DEFAULT_CONCURRENCY)


def tell_rows(report: Report, output: Path) -> None:
    """How many rows there are, on stderr."""
    new = report.rows - report.resumed
    before = f" ({report.resumed:,} were done before)" if report.resumed else ""
    say(f"{report.rows:,} rows in {output}{before}; {new:,} new in {report.seconds:,.1f} s")


def counted(counts: dict[str, int]) -> str:
    """Counts as ``ok 5, infra_error 2``."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def covered(share: float, wanted: float, lost: str = "") -> None:
    """Exit with 1 below the coverage that is asked for.

    Args:
        lost: what was not done for it, in a sentence.
    """
    if share < wanted:
        say(f"Coverage {share:.1%} is below {wanted:.0%} (--coverage).{lost}")
        raise typer.Exit(1)
