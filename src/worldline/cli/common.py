"""What every verb shares: the TOML configuration, progress, and JSON out.

A verb is a function with typer parameters and these two, in a module with `app`::

    app = verb_app()

    @app.command()
    def predict(rows: Path, model: ModelSpec = "embedded", config: Config = None):
"""

import math
import os
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from worldline import jsonl
from worldline.errors import UsageError
from worldline.paths import parent_made
from worldline.visible import visible
from worldline.whole import whole

if TYPE_CHECKING:
    from worldline.prediction import Usage

SPELT = {"out": "output"}
"""Flags that have another spelling too, with the one that they are taken for."""


def spelt(name: str) -> str:
    """The spelling of a flag that its other spellings are taken for."""
    return SPELT.get(name, name)


def verb_app(help: str | None = None) -> typer.Typer:
    """A `typer.Typer` with the settings that all verbs share."""
    return typer.Typer(
        help=help,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "token_normalize_func": spelt},
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
    known = _flags(ctx.command.params)
    defaults: dict[str, Any] = {}
    for key, value in values.items():
        found = known.get(spelt(key.replace("-", "_")))
        if found is None or found.name == "config":
            names = ", ".join(sorted({_flag(one) for one in known.values()} - {"config"}))
            raise UsageError(f"is not a flag of this verb; it has: {names}.", file=path, field=key)
        many = getattr(found, "multiple", False) and not isinstance(value, list)
        defaults[str(found.name)] = [value] if many else value
    ctx.default_map = {**(ctx.default_map or {}), **defaults}
    return path


def _flags(parameters: Iterable[Any]) -> dict[str, Any]:
    """What a TOML file may call each parameter: as the flag is spelt, or by its own name."""
    found: dict[str, Any] = {}
    for one in parameters:
        names = [name.lstrip("-") for name in one.opts if name.startswith("--")]
        for name in (*names, str(one.name)):
            found.setdefault(spelt(name.replace("-", "_")), one)
    return found


def _flag(parameter: Any) -> str:
    long = [name.lstrip("-") for name in parameter.opts if name.startswith("--")]
    return long[0] if long else str(parameter.name).replace("_", "-")


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
    """One JSON value, on a line of its own, to stdout.

    Raises:
        DataError: it cannot be written, as on a full disk.
        BrokenPipeError: nobody reads it any more.
    """
    try:
        sys.stdout.buffer.write(jsonl.dumps(value) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is left in the buffer must not be tried, and told, again when Python ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise jsonl.unwritable("standard output", error) from error


def say(text: str) -> None:
    """A message to the person: stderr, so that stdout holds data alone."""
    print(visible(text), file=sys.stderr, flush=True)


RETRY = "run the same command with --retry-failed"


def dollars(value: float) -> str:
    """An amount for a person: cents, and of less than a dollar two significant digits."""
    if value >= 1 or value <= 0:
        return f"${value:,.2f}"
    places = 1 - math.floor(math.log10(value))
    return f"${value:.{max(places, 2)}f}"


def tokens(usage: "Usage") -> str:
    """Tokens and their price for a person."""
    cost = "" if usage.cost_usd is None else f", {dollars(usage.cost_usd)}"
    return f"{usage.prompt or 0:,} in, {usage.completion or 0:,} out{cost}"


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
    """Write a page and say where it is. It appears whole or not at all, as rows do.

    Raises:
        DataError: the file cannot be written, or is no output; what was there before is untouched.
    """
    try:
        with whole(parent_made(path)) as place, place.open("ab") as file:
            file.write(html.encode("utf-8"))
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
