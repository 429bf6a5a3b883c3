"""`worldline assess`: a one-page trust report for your own environment."""

import asyncio
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from worldline.cli.common import Config, Json, ModelSpec, emit, progress, say, verb_app, write_page
from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.bench.assess import Assessed
    from worldline.trajectory import Trajectory

app = verb_app()


@app.command()
def assess(
    traces: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[TRACES...]",
            help="Recorded trajectories: files, or folders of them (collect, bench make, yours).",
        ),
    ] = None,
    mcp: Annotated[
        str | None,
        typer.Option(metavar="COMMAND", help="Record a real MCP server first. It runs as it is."),
    ] = None,
    model: ModelSpec = "embedded",
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Folder of results and page.")
    ] = Path("runs/assess"),
    turns: Annotated[int, typer.Option(min=1, help="Turns asked about, at most.")] = 60,
    episodes: Annotated[int, typer.Option(min=1, help="Sessions recorded of --mcp.")] = 4,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1)] = 2,
    context: Annotated[int | None, typer.Option(min=64, metavar="TOKENS")] = 4096,
    max_tokens: Annotated[int | None, typer.Option(min=1, metavar="TOKENS")] = 256,
    seed: Annotated[int, typer.Option(help="Of the turns drawn, and of recording.")] = 0,
    json: Json = False,
    config: Config = None,
) -> None:
    """How far is a model from your environment: fidelity, violations, and its lie rate.

    Run it again to go on after an interruption. The page is DIR/report.html.
    """
    from worldline.bench.assess import assess as run
    from worldline.bench.assess import chosen
    from worldline.bench.assess_page import ends, page, share
    from worldline.cli.verify_told import tell_unknown
    from worldline.models import load

    sessions = _sessions(traces, mcp, out, episodes, seed)
    tell_unknown(Counter(one.domain for one in sessions), "sessions")
    items = chosen(sessions, turns, seed)

    async def main() -> "Assessed":
        async with load(model) as who:
            return await run(
                items,
                who,
                out,
                concurrency=concurrency,
                context=context,
                max_tokens=max_tokens,
                watch=lambda arm, left: progress(f"assess, {arm}", left),
            )

    found = asyncio.run(main())
    for arm in found.arms:
        rate = arm.rate
        say(
            f"{arm.name}: lie rate {share(rate)} ({rate.lies:,} of {rate.claims:,} claims; 95 % "
            f"{ends(rate)}) on the {arm.answered:,} of {found.turns:,} turns that it answered"
        )
        if arm.known:
            say(
                f"  {arm.known:,} turns were answered without the model, "
                f"{arm.known_right:,} of them exactly as it really came"
            )
    if any(arm.answered < found.turns for arm in found.arms):
        both = ", ".join(f"{arm.name} {share(arm.both)}" for arm in found.arms)
        say(f"On the turns that both answered: {both}")
    write_page(out / "report.html", page(found, "Can it be trusted here?", model))
    if json:
        arms = [msgspec.to_builtins(arm) for arm in found.arms]
        emit({"schema": "worldline.assess/1", "turns": found.turns, "arms": arms})


def _sessions(
    traces: list[Path] | None, mcp: str | None, out: Path, episodes: int, seed: int
) -> "list[Trajectory]":
    from worldline.bench.traces import read

    if bool(traces) == bool(mcp):
        raise UsageError(
            "give either recorded trajectories or --mcp COMMAND",
            remedy="worldline assess runs/mine, or worldline assess --mcp 'npx my-server'.",
        )
    if traces:
        found = [one for path in traces for one in read(path)]
    else:
        from worldline.collect.own import record

        found = record(shlex.split(mcp or ""), out / "recorded", episodes, seed)
    if not any(one.turns for one in found):
        raise UsageError("there is no recorded turn", remedy="Record some: `worldline collect`.")
    return found
