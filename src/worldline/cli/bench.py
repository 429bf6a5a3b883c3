"""`worldline bench`: the benchmark, one command a stage."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worldline.cli import bench_calibrate, bench_judge, bench_score, bench_versus, predict
from worldline.cli.common import Config, Json, ModelSpec, emit, progress, say, verb_app
from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.bench.rules.case import Case
    from worldline.bench.rules.run import Table

app = verb_app("Benchmark a world model on recorded turns, one command a stage.")
app.command("infer")(predict.predict)
app.command("judge")(bench_judge.judge)
app.command("rejudge")(bench_judge.rejudge)
app.command("score")(bench_score.score)
app.command("compare")(bench_score.compare)
app.command("report")(bench_score.report)
app.command("leaderboard")(bench_score.leaderboard)
app.command("turing")(bench_versus.turing)
app.command("pairwise")(bench_versus.pairwise)
app.command("calibrate")(bench_calibrate.calibrate)


@app.callback()
def _group() -> None:
    """Benchmark a world model on recorded turns."""


@app.command()
def make(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE...", help="Folders of `worldline collect`, or files."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to write.")],
    trajectories: Annotated[
        int, typer.Option(min=1, metavar="N", help="Of each domain, at most.")
    ] = 90,
    rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Evaluated turns of each, at most.")
    ] = 4,
    shortest: Annotated[
        int, typer.Option(min=1, metavar="N", help="Trajectories of fewer turns are left out.")
    ] = 5,
    longest: Annotated[
        int, typer.Option(min=1, metavar="CHARS", help="Longer trajectories are left out.")
    ] = 120_000,
    seed: Annotated[int, typer.Option(help="Of the choice.")] = 0,
    json: Json = False,
    config: Config = None,
) -> None:
    """Make a benchmark: trajectories stored once, and an index of evaluated turns.

    Of each trajectory the first turn, the last and turns uniformly between them are evaluated.
    """
    from worldline.bench.make import Choice, told
    from worldline.bench.make import make as run

    choice = Choice(trajectories, rows, shortest, longest, seed)
    made = run(sources, out, choice)
    for domain, count in made.rows.items():
        say(f"{domain}: {made.trajectories[domain]:,} trajectories, {count:,} evaluated turns")
    for line in told(made.left_out, choice):
        say(line)
    say(f"{made.size / 1e6:.2f} MB in {out}")
    if json:
        left_out = made.left_out._asdict()
        report = {"output": str(out), **made._asdict(), "left_out": left_out}
        emit({"schema": "worldline.report/1", **report})


@app.command()
def rules(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Results, appended; or cases.")
    ],
    model: ModelSpec = "embedded",
    domains: Annotated[
        list[str] | None, typer.Option("--domain", metavar="NAME", help="Only these; repeatable.")
    ] = None,
    cases: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own cases instead of those built in.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Cases of each domain and axis, at most (proposing: of each domain).",
        ),
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Write cases drawn from worldline-bench instead.")
    ] = False,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1)] = 2,
    context: Annotated[int | None, typer.Option(min=64, metavar="TOKENS")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, metavar="TOKENS")] = None,
    ground: Annotated[str, typer.Option(help="none, or any of ledger,retrieval:FILE.")] = "none",
    seed: Annotated[int, typer.Option(help="Of the run.")] = 0,
    json: Json = False,
    config: Config = None,
) -> None:
    """Declared checks by axis: does it obey, does it fail when it must, does it remember?

    Exit 1 when a case got no answer.
    """
    from worldline.bench.rules import case as sets
    from worldline.bench.rules.run import run, write
    from worldline.models import load

    if propose:
        say(f"{write(output, _proposed(domains, limit or 60)):,} cases in {output}")
        return
    chosen = _some([c for p in ([cases] if cases else sets.sets()) for c in sets.read(p)], limit)
    chosen = [case for case in chosen if not domains or case.domain in domains]
    if not chosen:
        raise UsageError("there are no such cases", field="domain", remedy="Leave --domain out.")

    async def main() -> "Table":
        async with load(model) as who:
            _, found = await run(
                chosen,
                who,
                output,
                concurrency=concurrency,
                ground=ground,
                context=context,
                max_tokens=max_tokens,
                seed=seed,
                watch=lambda left: progress("rules", left),
            )
            return found

    found = asyncio.run(main())
    _tell_rules(found)
    if json:
        import msgspec

        emit({"schema": "worldline.rules/1", "output": str(output), **msgspec.to_builtins(found)})
    if found.reasons:
        raise typer.Exit(1)


def _proposed(domains: list[str] | None, each: int) -> "list[Case]":
    from worldline.bench.rules.propose import propose
    from worldline.bench.suite import HOME, files
    from worldline.storage import read_trajectories

    paths = [p for p in files(HOME) if not domains or p.name.partition(".")[0] in domains]
    with progress("propose", None, "sessions") as bar:

        def sessions():
            for path in paths:
                for one in read_trajectories(path):
                    yield one
                    bar.advance()

        return propose(sessions(), each)


def _some(cases: "list[Case]", limit: int | None) -> "list[Case]":
    counts: dict[tuple[str, str], int] = {}
    kept: list[Case] = []
    for case in cases:
        key = (case.domain, case.axis)
        counts[key] = counts.get(key, 0) + 1
        if limit is None or counts[key] <= limit:
            kept.append(case)
    return kept


def _tell_rules(found: "Table") -> None:
    """The table on stderr: percent of answered cases passed, by domain and axis."""
    from worldline.bench.rules.case import AXES

    say(f"{'':10}" + "".join(f"{axis:>18}" for axis in AXES) + f"{'mean':>10}")
    for domain, cells in found.cells.items():
        row = f"{domain:10}"
        for axis in AXES:
            cell = cells.get(axis)
            said = "-" if cell is None or cell.share is None else f"{cell.share:.1%}"
            of = "" if cell is None else f" ({cell.passed}/{cell.answered})"
            row += f"{said + of:>18}"
        mean = found.mean(domain)
        say(row + (f"{'-':>10}" if mean is None else f"{mean:>10.1%}"))
    if found.reasons:
        say("no answer: " + ", ".join(f"{why} {n:,}" for why, n in found.reasons.items()))
