"""`worldline bench turing` and `pairwise`: a judge chooses between two answers."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from worldline.cli.bench_judge import Folder, Judge
from worldline.cli.common import RETRY, Config, Json, distinct, emit, progress, say, tokens
from worldline.cli.staged import (
    COVERAGE,
    Concurrency,
    Coverage,
    Limit,
    MaxTokens,
    Seed,
    Tries,
    at_once,
    counted,
    covered,
    tell_rows,
)

if TYPE_CHECKING:
    from worldline.bench.versus.pairs import Pairs
    from worldline.bench.versus.run import Report
    from worldline.bench.versus.table import Cell

Output = Annotated[
    Path, typer.Option("-o", "--output", metavar="FILE", help="Choices, one a row, appended.")
]
Again = Annotated[
    bool, typer.Option("--retry-failed", help="Ask anew what the judge left without a choice.")
]


def turing(
    predictions: Annotated[
        Path, typer.Argument(help="Predictions; with --truth benchmark rows or trajectories too.")
    ],
    output: Output,
    model: Judge,
    truth: Annotated[
        bool, typer.Option("--truth", help="Control: each truth against itself; 50 % is right.")
    ] = False,
    prompts: Folder = None,
    concurrency: Concurrency = None,
    limit: Limit = None,
    tries: Tries = 3,
    max_tokens: MaxTokens = None,
    seed: Seed = 0,
    retry_failed: Again = False,
    coverage: Coverage = COVERAGE,
    json: Json = False,
    config: Config = None,
) -> None:
    """Can a judge tell what really came from what was predicted? Each row is asked in both orders.

    The accuracy says how good the judge is at it; against one judge, how good the predictions are:
    50 % means that they cannot be told from the truth. Run it again to go on.
    """
    from worldline.bench.versus.pairs import turing as pairs

    told = {name: value for name, value in locals().items() if name not in _APART}
    distinct(predictions, output=output)
    _run(pairs(predictions, control=truth), **told)


def pairwise(
    first: Annotated[Path, typer.Argument(metavar="A", help="Predictions.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Predictions of the same rows.")],
    output: Output,
    model: Judge,
    prompts: Folder = None,
    concurrency: Concurrency = None,
    limit: Limit = None,
    tries: Tries = 3,
    max_tokens: MaxTokens = None,
    seed: Seed = 0,
    retry_failed: Again = False,
    coverage: Coverage = COVERAGE,
    json: Json = False,
    config: Config = None,
) -> None:
    """Whose predictions are nearer to the truth, those of A or of B? Asked in both orders.

    Run the same command again to go on. Exit 1 below the coverage that is asked for.
    """
    from worldline.bench.versus.pairs import pairwise as pairs

    told = {name: value for name, value in locals().items() if name not in _APART}
    for one in (first, second):
        distinct(one, output=output)
    _run(pairs(first, second), **told)


_APART = ("predictions", "truth", "first", "second", "pairs", "config")


def _run(
    found: "Pairs",
    output: Path,
    model: str,
    prompts: Path | None,
    concurrency: int | None,
    limit: int | None,
    tries: int,
    max_tokens: int | None,
    seed: int,
    retry_failed: bool,
    coverage: float,
    json: bool,
) -> None:
    from worldline.bench.judge.texts import Texts
    from worldline.bench.versus.run import versus
    from worldline.models import load

    async def main() -> "Report":
        async with load(model) as who:
            return await versus(
                found,
                who,
                output,
                texts=Texts(prompts),
                concurrency=at_once(concurrency, who),
                limit=limit,
                tries=tries,
                max_tokens=max_tokens,
                seed=seed,
                again=retry_failed,
                watch=lambda left: progress(found.mode, left),
            )

    report = asyncio.run(main())
    tell(report, output)
    if json:
        made = {**msgspec.to_builtins(report), "coverage": report.coverage}
        emit({"schema": "worldline.choices/1", "output": str(output), **made})
    covered(report.coverage, coverage)


HEADS = {
    "turing": ("accuracy", "truth", "predicted"),
    "pairwise": ("A wins", "A", "B"),
}


def tell(report: "Report", output: Path) -> None:
    """The table in words, on stderr."""
    tell_rows(report, output)
    share, one, other = HEADS[report.mode]
    names = ("rows", "scored", share, "95 %", one, other, "tie", "equal", "says A")
    say(f"{'':12}" + "".join(f"{name:>{_width(name)}}" for name in names))
    for domain, cell in {**report.table.domains, "all": report.table.all}.items():
        cells = zip(names, _cells(cell), strict=True)
        say(f"{domain:12}" + "".join(f"{said:>{_width(name)}}" for name, said in cells))
    if report.unscored:
        say(f"Unscored: {counted(report.unscored)}")
    if report.usage.prompt is not None:
        say(f"Tokens of this run: {tokens(report.usage)}")
    if report.failed:
        say(f"{report.failed:,} rows got no reply from the judge: {RETRY}.")


def _width(name: str) -> int:
    return 17 if name == "95 %" else 10


def _cells(cell: "Cell") -> tuple[str, ...]:
    counts = (cell.first, cell.second, cell.ties, cell.equal)
    between = "-" if cell.interval is None else "{:.1%} to {:.1%}".format(*cell.interval)
    return (
        f"{cell.rows:,}",
        f"{cell.scored:,}",
        _share(cell.score),
        between,
        *(f"{count:,}" for count in counts),
        _share(cell.position_bias),
    )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"
