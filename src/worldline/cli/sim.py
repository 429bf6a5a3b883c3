"""`worldline sim`: act in a simulated environment, by hand or from a script."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from worldline import jsonl
from worldline.cli.common import Config, Json, ModelSpec, say, verb_app
from worldline.errors import DataError, UsageError, cause

app = verb_app()
USUAL = "ledger,snapshot"

Script = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Take actions from a file, one a line (.jsonl: JSON strings), or - for stdin. "
        "A line that begins with : is a command, as inside.",
    ),
]


@app.command()
def sim(
    domain: Annotated[
        str | None,
        typer.Argument(
            help="terminal, mcp, swe, search, web, os, android, generic, or a plugin's."
        ),
    ] = None,
    model: ModelSpec = "embedded",
    snapshot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start from a snapshot, or (terminal, swe) a folder."),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Text of the first page, screen or state; - for stdin."),
    ] = None,
    tools: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tool list (tools/list result) for mcp.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="What the agent is after.")] = None,
    dialect: Annotated[str | None, typer.Option(help="Text form of the domain.")] = None,
    ground: Annotated[
        str, typer.Option(help="none, or any of ledger,snapshot,retrieval:FILE.")
    ] = USUAL,
    guard: Annotated[
        bool, typer.Option("--guard", help="Ask again when an answer is impossible.")
    ] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of the session.")] = None,
    script: Script = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the session.")] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Continue a kept session.")
    ] = None,
    json: Json = False,
    config: Config = None,
) -> None:
    """Act in a simulated environment: type actions, or give a script.

    Type :help inside for forking, going back and asking why. Everything the environment says is
    predicted; nothing is run on this machine. A script ends with 1 if a step brought nothing.
    """
    if domain is None and resume is None:
        from worldline.domains import names

        raise UsageError(
            "which environment?", field="domain", remedy=f"Name one: {', '.join(names())}."
        )
    options: dict[str, Any] = {
        "model": model,
        "snapshot": snapshot,
        "state": state,
        "tools": tools,
        "task": task,
        "dialect": dialect,
        "ground": ground,
        "guard": guard,
        "seed": seed,
        "save": save,
    }
    actions = None if script is None else list(_actions(script))
    sys.exit(asyncio.run(_run(domain, options, resume, actions, json)))


async def _run(
    domain: str | None,
    options: dict[str, Any],
    resume: Path | None,
    actions: list[str] | None,
    json: bool,
) -> int:
    from worldline.cli.console import Console

    world = _resumed(resume, domain, options) if resume else _opened(domain or "", options)
    async with world:
        console = Console(world, as_json=json)
        if actions is None and not json and sys.stdin.isatty():
            return await console.interact()
        if actions is None:
            actions = list(_actions("-"))
        return await console.run(actions)


def _opened(domain: str, options: dict[str, Any]) -> Any:
    from worldline.world import World

    given = dict(options)
    tools, snapshot, state = (given.pop(name) for name in ("tools", "snapshot", "state"))
    if state is not None:
        from worldline.trajectory import SystemPrompt

        given["system"] = SystemPrompt(initial_state=_text_of(state))
    if tools is not None:
        from worldline.domains.mcp.listing import trajectory_from_tools

        given["tools"] = trajectory_from_tools(tools).tools
    if snapshot is not None:
        given["snapshot"] = _snapshot(snapshot, domain, str(given["model"]))
    return World.open(domain, **given)


def _text_of(path: Path) -> str:
    """A state as a file holds it; the newline that ends the file is not part of it."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        return data.decode("utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=path, remedy="Check --state."
        ) from error


def _resumed(path: Path, domain: str | None, options: dict[str, Any]) -> Any:
    from worldline.world import World

    given = options["model"]
    grounds = options["ground"]
    world = World.load(
        path,
        model=None if given == "embedded" else given,
        ground=None if grounds == USUAL else grounds,
        guard=options["guard"],
    )
    if domain is not None and world.domain.id != domain:
        raise UsageError(
            f"is a session of the domain {world.domain.id!r}",
            file=path,
            remedy=f"Run: worldline sim {world.domain.id} --resume {path}",
        )
    return world


def _snapshot(path: Path, domain: str, model: str) -> Any:
    from worldline.cli.snapshot import preview
    from worldline.opening import SHELLS
    from worldline.scenarios.snapshot import read_snapshot
    from worldline.scenarios.terminal import take

    folder = path.is_dir() and domain in SHELLS
    shot = take(path) if folder else read_snapshot(path)
    if folder or "@http" in model:
        say(f"Snapshot {path}: {preview(shot, most=0)[0]}")
    if "@http" in model and shot.redacted:
        say(f"Secrets replaced before it is sent: {shot.redacted}")
    return shot


def _actions(script: str) -> Iterator[str]:
    """Actions of a script: a line each; in ``.jsonl`` a JSON string or ``{"action": ...}`` each."""
    if script == "-":
        yield from (line.rstrip("\r\n") for line in sys.stdin if line.strip())
        return
    path = Path(script)
    if path.suffix == ".jsonl":
        for line in jsonl.read(path):
            action = line.value.get("action") if isinstance(line.value, dict) else line.value
            if not isinstance(action, str):
                raise DataError(
                    f"expected a string or an object with `action`, got {type(action).__name__}",
                    file=path,
                    line=line.number,
                    remedy='Write each line as "ACTION" or {"action": "ACTION"}.',
                )
            yield action
        return
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=path, remedy="Check --script."
        ) from error
    yield from (line.rstrip("\r") for line in text.split("\n") if line.strip())
