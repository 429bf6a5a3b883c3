"""What every verb shares: the TOML configuration, progress, and JSON out.

A verb is a function with typer parameters and these two, in a module with `app`::

    app = verb_app()

    @app.command()
    def predict(rows: Path, model: ModelSpec = "embedded", config: Config = None):
"""

import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from worldline import jsonl
from worldline.errors import UsageError
from worldline.visible import visible


def verb_app(help: str | None = None) -> typer.Typer:
    """A `typer.Typer` with the settings that all verbs share."""
    return typer.Typer(
        help=help,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _load_config(ctx: typer.Context, path: Path | None) -> Path | None:
    """Make the TOML file's keys the defaults of this verb's flags; flags on the line win."""
    if path is None:
        return None
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror}", file=path, remedy="Check --config."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"is not TOML: {error}", file=path, remedy="See docs/formats.md, Configuration."
        ) from error
    known = {str(parameter.name): parameter for parameter in ctx.command.params}
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        name = key.replace("-", "_")
        if name not in known or name == "config":
            names = ", ".join(sorted(n.replace("_", "-") for n in known if n != "config"))
            raise UsageError(f"is not a flag of this verb; it has: {names}.", file=path, field=key)
        defaults[name] = value
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    return path


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        is_eager=True,
        callback=_load_config,
        metavar="FILE",
        help="Take flags from a TOML file (key = value); flags given here win.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]
ModelSpec = Annotated[
    str, typer.Option("--model", "-m", metavar="SPEC", help="Who predicts; see docs/models.md.")
]


def emit(value: Any) -> None:
    """One JSON value, on a line of its own, to stdout."""
    sys.stdout.buffer.write(jsonl.dumps(value) + b"\n")
    sys.stdout.buffer.flush()


def say(text: str) -> None:
    """A message to the person: stderr, so that stdout holds data alone."""
    print(visible(text), file=sys.stderr, flush=True)


def distinct(source: Path, **outputs: Path | None) -> None:
    """Refuse to write over what is read, or two things into one file.

    Raises:
        UsageError: names the flag.
    """
    taken = {source.resolve(): "it is what is read"}
    for flag, path in outputs.items():
        if path is None:
            continue
        why = taken.setdefault(path.resolve(), f"--{flag} writes there too")
        if why != f"--{flag} writes there too":
            raise UsageError(f"is {path}: {why}", field=flag, remedy="Give another file.")


def write_page(path: Path, html: str) -> None:
    """Write a page and say where it is.

    Raises:
        DataError: the file cannot be written.
    """
    try:
        path.write_text(html, "utf-8")
    except OSError as error:
        raise jsonl.unwritable(path, error) from error
    say(f"page: {path}")


class Progress(Protocol):
    """Told how far a job is."""

    def advance(self, count: int = 1) -> None:
        """`count` more items are done."""
        ...


class _PlainProgress:
    """A line every few seconds, for logs and pipes."""

    def __init__(
        self, what: str, total: int | None, unit: str, note: object = "", every_s: float = 5.0
    ) -> None:
        self.what, self.total, self.unit, self.every_s = what, total, unit, every_s
        self.note = note
        self.done = 0
        self.start = self.last = time.monotonic()

    def advance(self, count: int = 1) -> None:
        self.done += count
        now = time.monotonic()
        if now - self.last >= self.every_s:
            self.last = now
            say(self.line(now))

    def line(self, now: float) -> str:
        rate = self.done / max(now - self.start, 1e-9)
        of = f"/{self.total:,}" if self.total is not None else ""
        left = ""
        if self.total is not None and rate > 0:
            left = f", {span(max(self.total - self.done, 0) / rate)} left"
        note = f"; {told}" if (told := str(self.note)) else ""
        return f"{self.what}: {self.done:,}{of} {self.unit}, {pace(rate, self.unit)}{left}{note}"


def pace(rate: float, unit: str) -> str:
    """A rate for a person: so many a second, or so many seconds for one."""
    if rate >= 1 or rate <= 0:
        return f"{rate:,.1f} {unit}/s"
    return f"{span(1 / rate)} a {unit.removesuffix('s')}"


def span(seconds: float) -> str:
    """A span of time for a person."""
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7_200 else f"{seconds / 3_600:,.1f} h"


class _RichProgress:
    """A bar with rate and time left, for a person at a terminal."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar, self._task = bar, task

    def advance(self, count: int = 1) -> None:
        self._bar.update(self._task, advance=count)


@contextmanager
def progress(
    what: str, total: int | None, unit: str = "rows", note: object = ""
) -> Iterator[Progress]:
    """Progress of a job of `total` items (or of unknown length) on stderr.

    Args:
        note: its text, as it is at the time, stands beside the rate, or in its place on a bar.
    """
    if not sys.stderr.isatty():
        yield _PlainProgress(what, total, unit, note)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            rate = pace(task.speed, unit) if task.speed else ""
            return Text(str(note) or rate)  # both do not fit into 80 columns

    rate = Rate(Column(no_wrap=True))
    columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), rate)
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        yield _RichProgress(bar, bar.add_task(what, total=total))
