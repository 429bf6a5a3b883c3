"""`worldline assess`: a one-page trust report for your own environment."""

import asyncio
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from worldline.cli.common import Config, Json, ModelSpec, emit, progress, say, verb_app, write_page
from worldline.errors import UsageError
from worldline.paths import is_dir, is_missing

if TYPE_CHECKING:
    from worldline.bench.assess import Arm, Assessed
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
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask again where a turn ended in infra_error.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """How far is a model from your environment: fidelity, violations, and its lie rate.

    Run it again to go on after an interruption. The page is DIR/report.html. Exit 1 when turns are
    left that got no answer through no fault of the model.
    """
    from worldline.bench.assess import assess as run
    from worldline.bench.assess import chosen
    from worldline.bench.assess_page import page
    from worldline.cli.verify_told import tell_unknown
    from worldline.models import load

    _folder(out)
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
                retry_failed=retry_failed,
                watch=lambda arm, left: progress(f"assess, {arm}", left),
            )

    found = asyncio.run(main())
    _tell(found)
    write_page(out / "report.html", page(found, "Can it be trusted here?", model))
    if json:
        arms = [{**msgspec.to_builtins(arm), "by_model": arm.by_model} for arm in found.arms]
        emit({"schema": "worldline.assess/1", "turns": found.turns, "arms": arms})
    if any(arm.failed for arm in found.arms):
        raise typer.Exit(1)


def _tell(found: "Assessed") -> None:
    """The lie rates on stderr, and what they rest on."""
    from worldline.bench.assess_page import share

    for arm in found.arms:
        _tell_arm(arm, found.turns)
    if any(arm.answered < found.turns for arm in found.arms):
        both = ", ".join(
            f"{arm.name} {share(arm.both) if arm.by_model else '–'}" for arm in found.arms
        )
        say(f"On the turns that both answered: {both}")
    if any(arm.failed for arm in found.arms):
        say("Turns got no answer: run the same command with --retry-failed.")


def _tell_arm(arm: "Arm", turns: int) -> None:
    from worldline.bench.assess_page import ends, share

    rate = arm.rate
    if arm.by_model:
        say(
            f"{arm.name}: lie rate {share(rate)} ({rate.lies:,} of {rate.claims:,} claims; 95 % "
            f"{ends(rate)}) on the {arm.answered:,} of {turns:,} turns that it answered"
        )
    else:
        say(f"{arm.name}: none of the {turns:,} turns was answered by the model: no lie rate")
    if arm.known:
        say(
            f"  {arm.known:,} turns were answered without the model, "
            f"{arm.known_right:,} of them exactly as it really came"
        )
    if arm.failed:
        say(f"  {arm.failed:,} turns got no answer through no fault of the model")


def _folder(out: Path) -> None:
    """Refuse a name that no folder can have, before anything is recorded or asked."""
    if not is_dir(out) and not is_missing(out):
        raise UsageError(
            "is a file, and results and page need a folder",
            file=out,
            field="out",
            remedy="Give another name (-o DIR).",
        )


def _command(mcp: str) -> list[str]:
    """The words of a server's command."""
    try:
        words = shlex.split(mcp)
    except ValueError as error:
        raise UsageError(
            f"cannot be read as a command ({error}): {mcp!r}",
            field="mcp",
            remedy="Quote it as in a shell.",
        ) from error
    if not words:
        raise UsageError("names no command", field="mcp", remedy="--mcp 'npx my-server'.")
    return words


def _sessions(
    traces: list[Path] | None, mcp: str | None, out: Path, episodes: int, seed: int
) -> "list[Trajectory]":
    if bool(traces) == (mcp is not None):
        raise UsageError(
            "give either recorded trajectories or --mcp COMMAND",
            remedy="worldline assess runs/mine, or worldline assess --mcp 'npx my-server'.",
        )
    if traces:
        found = list(_read(traces))
    else:
        from worldline.collect.own import record

        found = record(_command(mcp or ""), out / "recorded", episodes, seed)
    if not any(one.turns for one in found):
        raise UsageError("there is no recorded turn", remedy="Record some: `worldline collect`.")
    return found


def _read(traces: list[Path]) -> "Iterator[Trajectory]":
    """The recorded sessions; a dialect that is none is told with its file and line."""
    from worldline.bench.traces import placed
    from worldline.verify.moments import known_dialect

    for path in traces:
        for file, line, one in placed(path):
            known_dialect(one.domain, one.dialect, file=file, line=line)
            yield one
