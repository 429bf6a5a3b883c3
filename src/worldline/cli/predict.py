"""`worldline predict` (the same as `worldline bench infer`): predict recorded turns."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from worldline.cli.common import (
    RETRY,
    Config,
    Json,
    ModelSpec,
    distinct,
    emit,
    progress,
    say,
    tokens,
    verb_app,
)
from worldline.cli.staged import Concurrency, MaxTokens, at_once, counted, tell_rows

if TYPE_CHECKING:
    from worldline.bench.infer import Report

app = verb_app()


@app.command()
def predict(
    ctx: typer.Context,
    rows: Annotated[
        list[Path],
        typer.Argument(
            metavar="ROWS...",
            help="AgentWorldBench rows or trajectories (.jsonl, .gz, .parquet), a folder of "
            "*_test.jsonl files, of bench make or collect, or worldline-bench, which comes with "
            "this package.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Results, one a row, appended.")
    ],
    model: ModelSpec = "embedded",
    concurrency: Concurrency = None,
    domains: Annotated[
        list[str] | None, typer.Option("--domain", metavar="NAME", help="Only these; repeatable.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="Only the first rows.")] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Only N rows, spread over domains and sessions by the seed."
        ),
    ] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Only turns up to this.")] = None,
    context: Annotated[
        int | None, typer.Option(min=64, metavar="TOKENS", help="Context to use at most.")
    ] = None,
    max_tokens: MaxTokens = None,
    ground: Annotated[
        str,
        typer.Option(help="none (the model alone), or any of ledger,retrieval:FILE."),
    ] = "none",
    seed: Annotated[int, typer.Option(help="Seed of the run.")] = 0,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="One at a time, no prefix shared by rows.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run rows again that ended in infra_error.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Predict every turn of recorded rows or trajectories.

    Run the same command again to go on after an interruption: finished rows are never asked again.
    Exit 1 when rows are left that got no answer through no fault of the model.
    """
    from worldline.bench.infer import predict as run
    from worldline.bench.source import open_sources
    from worldline.models import load

    for one in rows:
        distinct(one, output=output)

    async def main() -> "Report":
        async with load(model) as who:
            return await run(
                open_sources(rows),
                who,
                output,
                concurrency=at_once(concurrency, who),
                domains=domains,
                limit=limit,
                sample=sample,
                max_turns=max_turns,
                context=context,
                max_tokens=max_tokens,
                ground=ground,
                seed=seed,
                deterministic=deterministic,
                retry_failed=retry_failed,
                watch=lambda left: progress(ctx.info_name or "predict", left),
            )

    report = asyncio.run(main())
    tell(report, output)
    if json:
        emit({"schema": "worldline.report/1", "output": str(output), **as_json(report)})
    if report.failed:
        raise typer.Exit(1)


def as_json(report: "Report") -> dict[str, Any]:
    """The report as JSON values."""
    return {**msgspec.to_builtins(report), "failed": report.failed}


def tell(report: "Report", output: Path) -> None:
    """The report in words, on stderr."""
    tell_rows(report, output)
    say(f"Outcomes: {counted(report.outcomes)}")
    if report.reasons:
        say(f"Reasons: {counted(report.reasons)}")
    if set(report.origins) - {"model"}:
        say(f"Origins: {counted(report.origins)}")
    if report.usage.prompt is not None:
        say(f"Tokens of this run: {tokens(report.usage)}")
    if report.failed:
        say(f"{report.failed:,} rows got no answer: {RETRY}.")
