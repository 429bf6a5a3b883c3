"""Work through the rows of an input: many at once, in order where they share a prefix, resumable.

Every stage of a benchmark makes one line of output from one row of input. Trouble with a model is a
typed outcome on the line; trouble of the run (a full disk, a missing key) stops it, and every
finished line is kept.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from worldline.bench.lanes import Lanes, Numbered
from worldline.bench.reach import Call, Reach
from worldline.bench.results import Results
from worldline.errors import DataError
from worldline.prediction import Usage

READ_AHEAD = 16
"""Jobs that may wait, for each that is being done."""
SYNC_EVERY_S = 1.0


class Made(NamedTuple):
    """A line of output, and the tokens that it cost."""

    line: dict[str, Any]
    usage: Usage
    call: Call | None = None
    """How its last call ended; `None` where nobody was asked."""


class Job(NamedTuple):
    """One line to make."""

    session: str
    """Jobs of one session share a prefix."""
    weight: int
    """Characters it keeps in memory, about."""
    of: Callable[[], str]
    """SHA-256 of the row it is made from: a line that is there must say the same."""
    make: Callable[[], Coroutine[Any, Any, Made]]


class Bar(Protocol):
    """Told how far the run is."""

    def advance(self, count: int = 1) -> None:
        """`count` more rows are done."""
        ...


Watch = Callable[[int | None], AbstractContextManager[Bar]]
"""Given how many rows are left (`None`: not known), whom to tell as they are done."""


async def work(
    jobs: Iterable[Job],
    results: Results[Any],
    *,
    concurrency: int,
    limit: int | None = None,
    total: int | None = None,
    watch: Watch | None = None,
) -> Usage:
    """Make every line that is not there yet; returns the tokens of it all.

    Args:
        jobs: all of the input, in order; read as needed.
        results: recovered already.
        concurrency: how many are done at once. Jobs of one session are begun in order.
        limit: only the first rows; a later run may have another limit.
        total: rows of the input, where that is known.
        watch: progress.

    Raises:
        DataError: a row is broken, a line belongs to another row, or nothing more can be written.
        ModelError: nobody can be reached; see `worldline.bench.reach`.
    """
    todo = _left(iter(jobs), results, limit)
    lanes = Lanes(todo, ahead=READ_AHEAD * concurrency)
    left = _count(total, limit, sum(1 for _ in results.entries()))
    with watch(left) if watch else nullcontext() as bar:
        return await _run(lanes, results, concurrency, bar)


def _count(total: int | None, limit: int | None, done: int) -> int | None:
    if limit is not None:
        total = limit if total is None else min(total, limit)
    return None if total is None else max(total - done, 0)


def _left(jobs: Iterator[Job], results: Results[Any], limit: int | None) -> Iterator[Numbered]:
    """The jobs that have no line yet; those that have must be the ones it belongs to."""
    number = -1
    for number, job in enumerate(islice(jobs, limit)):
        if number not in results:
            yield Numbered(number, job)
        elif results.entry(number).of != job.of():
            raise DataError(
                "is not the result of this row of the input",
                file=results.path,
                line=number + 1,
                field=results.kind.NAMED,
                remedy="The file was changed. Restore it, or give another output file.",
            )
    if limit is None and len(results.done) > number + 1:
        raise _too_many(results.path, len(results.done), number + 1)


def _too_many(path: Path, have: int, rows: int) -> DataError:
    return DataError(
        f"holds {have} results, and the input has {rows} rows",
        file=path,
        remedy="The file was changed. Restore it, or give another output file.",
    )


async def _run(lanes: Lanes, results: Results[Any], concurrency: int, bar: Bar | None) -> Usage:
    total, reach = Usage(), Reach()

    async def worker() -> None:
        nonlocal total
        while (found := lanes.next()) is not None:
            made = await found.job.make()
            results.put(found.number, made.line)
            lanes.finished(found)
            total += made.usage
            if bar is not None:
                bar.advance()
            reach.told(made.call)
            await asyncio.sleep(0)  # a model that never waits must not shut out the others

    async def sync() -> None:
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            await asyncio.to_thread(results.sync)

    try:
        async with asyncio.TaskGroup() as group:
            syncing = group.create_task(sync())
            async with asyncio.TaskGroup() as workers:
                for _ in range(concurrency):
                    workers.create_task(worker())
            syncing.cancel()
    except BaseExceptionGroup as error:
        raise _first(error) from None
    return total


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
