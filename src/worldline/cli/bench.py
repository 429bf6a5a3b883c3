"""`worldline bench`: the benchmark, one command a stage."""

from pathlib import Path
from typing import Annotated

import typer

from worldline.cli import (
    bench_calibrate,
    bench_judge,
    bench_rules,
    bench_score,
    bench_versus,
    predict,
)
from worldline.cli.common import Config, Json, emit, say, verb_app

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
app.command("rules")(bench_rules.rules)


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
