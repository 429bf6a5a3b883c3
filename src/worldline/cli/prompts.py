"""`worldline prompts`: better judge prompts, found by measuring."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from worldline.cli.common import Config, Json, emit, progress, say, verb_app
from worldline.cli.staged import Concurrency, Tries, at_once
from worldline.errors import DataError, UsageError, cause

if TYPE_CHECKING:
    from worldline.bench.judge.halves import Halves
    from worldline.bench.judge.optimise import Optimised, Scored

app = verb_app("Prompts that are chosen by measuring.")


@app.callback()
def _group() -> None:
    """Prompts that are chosen by measuring."""


@app.command()
def optimise(
    domain: Annotated[str, typer.Argument(help="The domain whose notes are to be better.")],
    out: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Versions, choices, table.")
    ],
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            "--model",
            "-m",
            metavar="SPEC",
            help="Whose accuracy counts, any chat model.",
        ),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="To be told from their truths; else corruptions are."),
    ] = None,
    source: Annotated[
        Path, typer.Option(metavar="ROWS", help="Recorded turns that corruptions are made of.")
    ] = Path("worldline-bench"),
    rows: Annotated[
        int, typer.Option(min=2, metavar="N", help="Rows, half for choosing, half to report on.")
    ] = 40,
    candidates: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Versions to try, each a .txt file.")
    ] = None,
    propose: Annotated[
        str | None, typer.Option(metavar="SPEC", help="A chat model that writes versions.")
    ] = None,
    rounds: Annotated[
        int, typer.Option(min=0, metavar="N", help="Versions that it writes, one after another.")
    ] = 4,
    styles: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What to aim at, one directive a line.")
    ] = None,
    prompts: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Begin with these prompts, not with ours.")
    ] = None,
    accept: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Copy version N, and do nothing else.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where --accept copies it: see bench judge --prompts."),
    ] = None,
    concurrency: Concurrency = None,
    tries: Tries = 3,
    max_tokens: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="Length of a choice at most.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the rows, the halves and the run.")] = 0,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask anew what the judge left without a choice.")
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Find judge prompts for a domain by how well a judge tells truth from invention with them.

    Versions are scored on one half of the rows; the best is reported on the other half. Nothing
    changes until you accept one: --accept N --into DIR, then bench judge --prompts DIR. Run the
    same command again to go on.
    """
    if (accept is None) != (into is None):
        raise UsageError("go together", field="accept, into", remedy="Give both, or neither.")
    if accept is not None and into is not None:
        _accept(out, accept, domain, into)
        return
    from worldline.bench.judge.optimise import as_json

    if judge is None:
        raise UsageError("is missing", field="judge", remedy="Name a chat model: --judge SPEC.")
    halves = _halves(domain, predictions, source, rows, seed)
    told = _candidates(candidates), _styles(styles)
    found = asyncio.run(
        _optimise(
            domain,
            judge,
            propose,
            halves,
            out,
            *told,
            rounds=rounds,
            concurrency=concurrency,
            prompts=prompts,
            tries=tries,
            max_tokens=max_tokens,
            seed=seed,
            again=retry_failed,
        )
    )
    tell(found, out)
    if json:
        emit(as_json(found))
    if found.failed:
        raise typer.Exit(1)


async def _optimise(
    domain: str,
    judge: str,
    propose: str | None,
    halves: "Halves",
    out: Path,
    candidates: list[tuple[str, str]],
    styles: list[str],
    *,
    rounds: int,
    concurrency: int | None,
    prompts: Path | None,
    **how: Any,
) -> "Optimised":
    from worldline.bench.judge.optimise import STYLES, Search, Settings, optimise
    from worldline.bench.judge.texts import Texts
    from worldline.models import load

    async with AsyncExitStack() as stack:
        who = await stack.enter_async_context(load(judge))
        writer = await stack.enter_async_context(load(propose)) if propose else None
        search = Search(candidates, writer, rounds if writer else 0, styles or STYLES)
        slots = at_once(concurrency, who)
        settings = Settings(
            texts=Texts(prompts),
            concurrency=slots,
            watch=lambda left: progress("choose", left),
            **how,
        )
        return await optimise(domain, who, halves, out, search, settings)


def _halves(domain: str, predictions: Path | None, source: Path, rows: int, seed: int) -> "Halves":
    from worldline.bench.judge.halves import from_predictions, from_recordings
    from worldline.bench.source import open_source
    from worldline.domains import domain as find

    find(domain)
    if predictions is not None:
        return from_predictions(predictions, domain, rows, seed)
    return from_recordings(open_source(source), domain, rows, seed)


def _accept(out: Path, number: int, domain: str, into: Path) -> None:
    from worldline.bench.judge.candidates import accept

    say(f"version {number} is {accept(out, number, domain, into)} now")
    say(f"Use it: worldline bench judge PREDICTIONS --prompts {into} ...")


def tell(found: "Optimised", out: Path) -> None:
    """The table in words, on stderr."""
    say(f"{'':4}{'from':24}{'characters':>11}  accuracy on the half for choosing")
    for one in found.table:
        mark = "*" if one.candidate.number == found.best else " "
        name = f"{mark}{one.candidate.number:03}"
        say(f"{name}{one.candidate.source[:22]:>24}{one.characters:>11,}  {_said(one)}")
    for round, why in found.failed.items():
        say(f"round {round} brought no version: {why}")
    say(f"On the other half: version {found.first.candidate.number:03} {_said(found.first)}")
    if found.best == found.first.candidate.number:
        say("No version is better than the one it began with.")
        return
    say(f"                   version {found.best:03} {_said(found.found)}")
    if found.gain is not None:
        told = "{:+.1%} to {:+.1%}".format(*found.gain.interval) if found.gain.interval else "-"
        say(f"                   difference {found.gain.value:+.1%} ({told})")
    say(f"Read {out / f'{found.best:03}.txt'}; if you agree, accept it:")
    say(f"worldline prompts optimise {found.domain} -o {out} --accept {found.best} --into DIR")


def _said(one: "Scored") -> str:
    cell = one.cell
    score = "-" if cell.score is None else f"{cell.score:.1%}"
    between = " ({:.1%} to {:.1%})".format(*cell.interval) if cell.interval else ""
    bias = "-" if cell.position_bias is None else f"{cell.position_bias:.0%}"
    return f"{score}{between}, {cell.scored:,} of {cell.rows:,} rows, says A {bias}"


def _candidates(folder: Path | None) -> list[tuple[str, str]]:
    from worldline.bench.judge.candidates import read_notes

    if folder is None:
        return []
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".txt")
    except OSError as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=folder, remedy="Check --candidates."
        ) from error
    if not paths:
        raise DataError("holds no .txt file", file=folder, remedy="Put versions into it.")
    return [(path.stem, read_notes(path)) for path in paths]


def _styles(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=path, remedy="Check --styles."
        ) from error
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise DataError("holds no directive", file=path, remedy="Write one a line.")
    return found
