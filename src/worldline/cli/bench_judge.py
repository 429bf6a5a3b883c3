"""`worldline bench judge` and `rejudge`: an LLM grades predictions."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

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
from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.bench.judge.ask import Prompts
    from worldline.bench.judge.run import Report

Judge = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        "--judge",
        metavar="SPEC",
        help="Who judges: any chat model; see docs/judging.md.",
    ),
]
Official = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Judge prompts and template of a checkout of QwenLM/Qwen-AgentWorld."
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--prompts", metavar="DIR", help="Judge prompts of your own; what DIR lacks is ours."
    ),
]
Compat = Annotated[
    str | None,
    typer.Option(metavar="official", help="Ask, read and count as the official script does."),
]
Again = Annotated[
    bool, typer.Option("--retry-failed", help="Judge anew what the judge left unscored.")
]


def judge(
    predictions: Annotated[Path, typer.Argument(help="Predictions, of any tool in this form.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Judged rows, appended.")
    ],
    model: Judge,
    prompts: Folder = None,
    official: Official = None,
    compat: Compat = None,
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
    """Grade predictions against the truth with an LLM, in five dimensions.

    With -m human:FILE a person does: a sheet is written, or read once it is filled in.

    Run the same command again to go on after an interruption. Judged rows may be given too: their
    judgements are taken off and made anew. Exit 1 below the coverage that is asked for.
    """
    _run(**{name: value for name, value in locals().items() if name != "config"})


def rejudge(
    judged: Annotated[Path, typer.Argument(help="Judged rows.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Judged rows, appended.")
    ],
    model: Judge,
    prompts: Folder = None,
    official: Official = None,
    compat: Compat = None,
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
    """Judge anew only what this judge has not scored under these prompts; its scores are kept."""
    told = {name: value for name, value in locals().items() if name not in ("config", "judged")}
    _run(predictions=judged, carry=True, **told)


def _run(
    predictions: Path,
    output: Path,
    model: str,
    prompts: Path | None,
    official: Path | None,
    compat: str | None,
    concurrency: int | None,
    limit: int | None,
    tries: int,
    max_tokens: int | None,
    seed: int,
    retry_failed: bool,
    coverage: float,
    json: bool,
    carry: bool = False,
) -> None:
    from worldline.bench.judge.human import sheet_of
    from worldline.bench.judge.run import judge as run
    from worldline.models import load

    distinct(predictions, output=output)
    if (sheet := sheet_of(model)) is not None:
        if carry or prompts or official or compat:
            raise UsageError(
                "is graded by a person, without prompts or earlier scores",
                field="model",
                remedy="Use `bench judge PREDICTIONS -m human:FILE -o OUT`.",
            )
        _end(_by_hand(predictions, sheet, output, limit), output, None, json, coverage)
        return
    chosen_prompts = chosen(official, compat, prompts)

    async def main() -> "Report":
        async with load(model) as who:
            return await run(
                predictions,
                who,
                output,
                prompts=chosen_prompts,
                concurrency=at_once(concurrency, who),
                limit=limit,
                tries=tries,
                max_tokens=max_tokens,
                seed=seed,
                again=retry_failed,
                carry=carry,
                watch=lambda left: progress("judge", left),
            )

    _end(asyncio.run(main()), output, max_tokens, json, coverage)


def _by_hand(predictions: Path, sheet: Path, output: Path, limit: int | None) -> "Report":
    """The verdicts of a filled-in sheet; where there is none, writes one and exits with 1."""
    from worldline.bench.judge.human import judge_by_hand

    report = judge_by_hand(predictions, sheet, output, limit=limit)
    if report is None:
        say(f"{sheet} is there now, and beside it how to grade. Fill in the five columns with")
        say("whole numbers from 1 to 5 (a line may stay empty), save it as CSV in UTF-8, and run")
        say("the same command again.")
        raise typer.Exit(1)
    return report


def _end(
    report: "Report", output: Path, max_tokens: int | None, json: bool, coverage: float
) -> None:
    tell(report, output, max_tokens)
    if json:
        made = {**msgspec.to_builtins(report), "coverage": report.coverage}
        emit({"schema": "worldline.report/1", "output": str(output), **made})
    covered(report.coverage, coverage)


def chosen(official: Path | None, compat: str | None, folder: Path | None = None) -> "Prompts":
    """The judge prompts that the flags name."""
    if folder is not None:
        if official is not None or compat is not None:
            raise UsageError(
                "cannot be given with --official or --compat", field="prompts", remedy="Choose one."
            )
        from worldline.bench.judge.ask import Ours

        return Ours(folder)
    if compat not in (None, "official"):
        raise UsageError(
            f"is {compat!r}", field="compat", remedy="The one it can be is 'official'."
        )
    if official is None and compat is None:
        from worldline.bench.judge.ask import OURS

        return OURS
    if official is None:
        raise UsageError(
            "asks for the official prompts, which are not ours to ship",
            field="compat",
            remedy="Add --official DIR, a checkout of QwenLM/Qwen-AgentWorld.",
        )
    from worldline.bench.official.checkout import read
    from worldline.bench.official.prompts import Compatible, Official

    checkout = read(official)
    if not checkout.known:
        say(f"{official} is not the commit that docs/official.md was reviewed against.")
    return Compatible(checkout) if compat else Official(checkout)


def tell(report: "Report", output: Path, max_tokens: int | None) -> None:
    """The report in words, on stderr."""
    tell_rows(report, output)
    say(f"Scored: {report.scored:,} of {report.rows:,} ({report.coverage:.1%})")
    if report.unscored:
        say(f"Unscored: {counted(report.unscored)}")
    if "not_in_sheet" in report.unscored:
        count = report.unscored["not_in_sheet"]
        say(
            f"The sheet covers fewer rows than the input: {count:,} usable ones have no line in it."
        )
    if "truncated" in report.unscored:
        say("Some verdicts were cut off: give the judge more room, --max-tokens.")
    if report.usage.prompt is not None:
        say(f"Tokens of this run: {tokens(report.usage)}")
    if report.resumed and report.total.prompt is not None:
        say(f"Tokens of all rows: {tokens(report.total)}")
    if report.failed:
        say(f"{report.failed:,} rows got no reply from the judge: {RETRY}.")
