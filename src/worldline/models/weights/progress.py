"""Progress of a download on stderr: a bar on a terminal, plain lines otherwise."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_S = 5.0
"""Seconds between two plain lines."""


def say(line: str) -> None:
    """One line for a person, on stderr."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def shown(what: str, size: int) -> Iterator[Callable[[int], None]]:
    """Progress of a job of `size` bytes; what it yields is called with the bytes done so far."""
    if not sys.stderr.isatty():
        yield _plain(what, size)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    rates = (TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, *rates, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=size)
        yield lambda done: bar.update(task, completed=done)


def _plain(what: str, size: int) -> Callable[[int], None]:
    start = last = time.monotonic()
    first: int | None = None
    said = 0

    def report(done: int) -> None:
        nonlocal last, first, said
        first = done if first is None else first
        now = time.monotonic()
        if done == said or (now - last < EVERY_S and done < size):
            return
        last, said = now, done
        rate = (done - first) / max(now - start, 1e-9)
        left = f", {(size - done) / rate:,.0f} s left" if rate and done < size else ""
        say(f"{what}: {done / 1e6:,.1f} of {size / 1e6:,.1f} MB, {rate / 1e6:,.1f} MB/s{left}")

    return report
