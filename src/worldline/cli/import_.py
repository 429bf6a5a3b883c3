"""`worldline import`: recordings of other tools into trajectories."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from worldline.cli.common import Config, Json, emit, progress, say, verb_app
from worldline.errors import UsageError

if TYPE_CHECKING:
    from worldline.collect.importers import BadLine
    from worldline.trajectory import Trajectory

app = verb_app()


@app.command("import")
def import_(
    format: Annotated[str, typer.Argument(help="common, or awb (AgentWorldBench rows).")],
    path: Annotated[Path, typer.Argument(help="The recordings (.jsonl or .jsonl.gz).")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Trajectories: .jsonl, .jsonl.gz or .parquet."
        ),
    ],
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Put lines that cannot be read into FILE.bad and go on."),
    ] = False,
    json: Json = False,
    config: Config = None,
) -> None:
    """Turn recordings into trajectories; nothing of them is lost.

    A line that cannot be read stops the import, with its number and what is wrong with it.
    """
    from worldline.collect.importers import importer
    from worldline.storage import write_trajectories

    if output.exists() and path.exists() and output.samefile(path):
        raise UsageError("is the input", field="--output", remedy="Give another file.")
    bad = BadLines(output.with_name(output.name + ".bad"))
    seen = Seen()
    with bad, progress("import", None, "trajectories") as bar:
        found = importer(format)(path, bad.keep if skip_bad else None)
        count = write_trajectories(output, seen.through(found, bar.advance))
    say(f"{count:,} trajectories, {seen.turns:,} turns, written to {output}")
    say("Dialects: " + ", ".join(f"{name} {n:,}" for name, n in seen.dialects.most_common()))
    if bad.count:
        say(f"{bad.count:,} lines could not be read; they are in {bad.path}")
    if json:
        emit(
            {
                "schema": "worldline.import/1",
                "output": str(output),
                "trajectories": count,
                "turns": seen.turns,
                "dialects": seen.dialects,
                "bad": bad.count,
            }
        )


class Seen:
    """Counts what passes."""

    def __init__(self) -> None:
        self.turns = 0
        self.dialects: Counter[str] = Counter()

    def through(
        self, found: "Iterator[Trajectory]", advance: Callable[[], None]
    ) -> "Iterator[Trajectory]":
        """The same trajectories, counted."""
        for one in found:
            self.turns += len(one.turns)
            self.dialects[f"{one.domain}/{one.dialect}"] += 1
            yield one
            advance()


class BadLines:
    """The side file for lines that cannot be read, as they are; there is none without any."""

    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0
        self._stack = ExitStack()
        self._file: IO[bytes] | None = None

    def __enter__(self) -> "BadLines":
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def keep(self, line: "BadLine") -> None:
        """Keep one line and say what is wrong with it."""
        if self._file is None:
            self._file = self._stack.enter_context(self.path.open("wb"))
        self._file.write(line.raw.rstrip(b"\n") + b"\n")
        self.count += 1
        say(f"skipped: {line.error}")
