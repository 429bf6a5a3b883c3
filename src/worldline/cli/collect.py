"""`worldline collect`: record trajectories from a real environment."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from worldline.cli.common import Config, Json, emit, progress, say, verb_app

if TYPE_CHECKING:
    from worldline.collect.run import Report

app = verb_app()


@app.command()
def collect(
    domain: Annotated[str, typer.Argument(help="The environment: terminal, mcp, search, swe ...")],
    episodes: Annotated[int, typer.Option("--episodes", "-n", min=1, help="How many.")],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder; episodes are appended.")
    ],
    seed: Annotated[int, typer.Option(help="Everything random follows from it.")] = 0,
    policy: Annotated[
        str,
        typer.Option(
            metavar="NAME|SPEC",
            help="Who acts: explorer, explorer:MODULE:CLASS, or a model (docs/models.md).",
        ),
    ] = "explorer",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that play; default: one a core.")
    ] = None,
    families: Annotated[str, typer.Option(metavar="A,B", help="Only these kinds of episode.")] = "",
    held_out: Annotated[
        bool, typer.Option("--held-out", help="The kinds kept for benchmarks, and only these.")
    ] = False,
    limit_s: Annotated[
        float, typer.Option(min=0.1, metavar="S", help="Seconds a step may take.")
    ] = 30.0,
    json: Json = False,
    config: Config = None,
) -> None:
    """Play episodes in a real environment and record them.

    Run the same command again to go on after an interruption: exactly the missing episodes are
    played. Exit 1 when episodes had to be set aside; DIR/failed.jsonl says why.
    """
    from worldline.collect.plan import plan
    from worldline.collect.run import collect as run

    named = [name.strip() for name in families.split(",") if name.strip()]
    wanted = plan(domain, seed=seed, policy=policy, named=named, held_out=held_out, limit_s=limit_s)
    report = run(
        wanted,
        episodes,
        out,
        workers=workers or cores(),
        tell=say,
        watch=lambda left, speed: progress(f"collect {domain}", left, "episodes", speed),
    )
    tell(report, out)
    if json:
        values = msgspec.to_builtins(report)
        emit({"schema": "worldline.report/1", "output": str(out), **values})
    if report.set_aside:
        raise typer.Exit(1)


def tell(report: "Report", out: Path) -> None:
    """What it came to, for a person."""
    before = f" ({report.resumed:,} of them before)" if report.resumed else ""
    turns, counts = report.counts["turns"], report.counts
    say(f"{report.episodes:,} episodes{before}, {turns:,} turns in {out}")
    if report.seconds and report.turns:
        say(f"{report.turns / report.seconds:,.1f} turns/s over {report.seconds:,.0f} s")
    for what in ("ends", "statuses", "redacted"):
        if counts[what]:
            say(
                f"{what}: " + ", ".join(f"{name} {count:,}" for name, count in counts[what].items())
            )
    if report.set_aside:
        say(f"{report.set_aside:,} set aside (the same command tries them again):")
        for reason, count in report.reasons.items():
            say(f"  {count:,}: {reason}")


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
