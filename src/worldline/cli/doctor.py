"""`worldline doctor`: what works on this machine, and how to get the rest."""

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer

from worldline.cli.common import Config, Json, emit, verb_app

app = verb_app()


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is there or not.

    `needed_for` says what does not work without it; `remedy` how to get it. Only `required` ones
    decide the exit code.
    """

    name: str
    ok: bool
    detail: str
    needed_for: str
    remedy: str = ""
    required: bool = False


@app.command()
def doctor(
    run: Annotated[bool, typer.Option("--run", help="Also start the embedded model once.")] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """What works on this machine and how to get the rest. Exit 1 when the core cannot run."""
    checks = [*core(), *embedded(run), *environments(), *tools()]
    if json:
        emit({"schema": "worldline.doctor/1", "checks": msgspec.to_builtins(checks)})
    else:
        show(checks)
    if any(check.required and not check.ok for check in checks):
        raise typer.Exit(1)


def core() -> Iterator[Check]:
    """Python, packages, cores and disk."""
    version = platform.python_version()
    yield Check(
        name="python",
        ok=sys.version_info >= (3, 11),
        detail=version,
        needed_for="everything",
        remedy="Install Python 3.11 or newer.",
        required=True,
    )
    for module in ("msgspec", "openai", "jsonschema", "pyarrow", "rapidfuzz", "xllamacpp"):
        found = importlib.util.find_spec(module) is not None
        yield Check(
            name=module,
            ok=found,
            detail="installed" if found else "missing",
            needed_for="everything",
            remedy="Install again: pip install worldline",
            required=True,
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Check(name="cores", ok=True, detail=str(cores), needed_for="speed of the embedded model")


def embedded(run: bool) -> Iterator[Check]:
    """The embedded model: is it here, and (if asked) does it start?"""
    from worldline.models.library import cached

    path = cached()
    yield Check(
        name="embedded model",
        ok=path is not None,
        detail="in the cache" if path else "not fetched yet",
        needed_for="--model embedded without network",
        remedy="worldline model pull (98 MB, once)",
    )
    if run and path is not None:
        yield _started()


def _started() -> Check:
    import asyncio
    import time

    from worldline.world import World

    async def one() -> Any:
        async with World.open("terminal", model="embedded?max_tokens=8", seed=1) as world:
            return await world.step("uname")

    start = time.monotonic()
    try:
        result = asyncio.run(one())
        detail = f"{result.outcome} in {time.monotonic() - start:.1f} s"
        ok = result.outcome in ("ok", "truncated")
    except Exception as error:  # whatever stops the engine is what the doctor reports
        ok, detail = False, f"{type(error).__name__}: {error}"
    return Check(
        name="embedded engine",
        ok=ok,
        detail=detail,
        needed_for="--model embedded",
        remedy="Try --model openai:NAME@http://..., and report this line.",
        required=True,
    )


def environments() -> Iterator[Check]:
    """The real environments, and what each of them needs."""
    from worldline.environments.registry import kind, kinds

    wanted: dict[str, tuple[Any, list[str]]] = {}
    for name in sorted(kinds()):
        try:
            needs = kind(name).needs()
        except ImportError as error:
            yield Check(
                name=f"environment {name}",
                ok=False,
                detail=f"{error.name} is missing",
                needed_for=f"worldline collect {name}",
                remedy='pip install "worldline[envs]"',
            )
            continue
        for need in needs:
            wanted.setdefault(need.name, (need, []))[1].append(name)
    for name, (need, users) in wanted.items():
        found = need.found()
        use = "better" if need.optional else "worldline collect"
        yield Check(
            name=name,
            ok=found is not None,
            detail=found or "missing",
            needed_for=f"{use}: {', '.join(users)}",
            remedy=need.remedy,
        )


def tools() -> Iterator[Check]:
    """Programs from outside that some parts use."""
    wanted = {
        "git": ("development", "apt-get install git"),
        "make": ("make demo, make test", "apt-get install make"),
        "unshare": ("the offline check of make show", "apt-get install util-linux"),
        "node": ("make test-system", "apt-get install nodejs npm"),
    }
    for name, (use, remedy) in wanted.items():
        path = shutil.which(name)
        yield Check(
            name=name, ok=path is not None, detail=path or "missing", needed_for=use, remedy=remedy
        )


def show(checks: list[Check]) -> None:
    """The checks as a table, remedies below."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("", "what", "found", "needed for")
    for check in checks:
        mark = "ok" if check.ok else "MISSING" if check.required else "-"
        row = (mark, check.name, check.detail, check.needed_for)
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    console.print(table)
    for check in checks:
        if not check.ok and check.remedy:
            console.print(Text(f"{check.name}: {check.remedy}"), soft_wrap=True)  # to be pasted
