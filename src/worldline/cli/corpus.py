"""`worldline corpus`: what training sets are made of."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from worldline.cli.common import Config, Json, emit, progress, say, verb_app, write_page
from worldline.trajectory import Trajectory

app = verb_app("Training sets out of trajectories.")


@app.callback()
def _group() -> None:
    """Training sets out of trajectories."""


@app.command()
def stats(
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="SOURCE...", help="Trajectory files, or collected folders."),
    ],
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write an HTML page too.")
    ] = None,
    title: Annotated[str, typer.Option(help="Of the page.")] = "Corpus",
    json: Json = False,
    config: Config = None,
) -> None:
    """Count a corpus: turns, distinct actions, near-duplicates, lengths, families, outcomes."""
    from worldline.corpus.page import page as drawn
    from worldline.corpus.stats import stats as count

    with progress("count", None, "trajectories") as bar:
        found = count(_read(sources), bar.advance)
    for name, one in found.domains.items():
        say(
            f"{name}: {one.trajectories:,} trajectories, {one.turns:,} turns, "
            f"{one.distinct_actions:.1%} distinct actions, {one.near_duplicates:.1%} "
            f"near-duplicates, {one.empty_observations:.1%} without output"
        )
    if page is not None:
        write_page(page, drawn(found, title))
    if json:
        emit(msgspec.to_builtins(found))


def _read(sources: list[Path]) -> Iterator[Trajectory]:
    from worldline.storage import file_of, read_trajectories

    for source in sources:
        yield from read_trajectories(file_of(source))
