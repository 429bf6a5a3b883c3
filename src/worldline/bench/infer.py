"""Predict recorded turns: many at once, resumable, in input order, none lost.

    report = await predict("rows.jsonl", model, "out.jsonl", concurrency=16)

The output holds every field of the input row, then ``gen`` (the reply's content as received),
``worldline`` (the prediction) and ``row_sha``. Run the same command again after a crash and it goes
on where it stopped; with everything done it asks nothing. Trouble of a model is a typed outcome on
its row; trouble of the run (a full disk, a missing key) stops it, and every finished row is kept.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec

from worldline import jsonl
from worldline.bench.cases import Case, Plan, cases
from worldline.bench.lanes import Lanes, Numbered
from worldline.bench.limited import Limited
from worldline.bench.manifest import manifest, settle
from worldline.bench.results import Results
from worldline.bench.source import Item, Source, file_sha, of_items, open_source
from worldline.errors import DataError, UsageError
from worldline.grounding import Examples, Ground, examples, parse_ground
from worldline.models.base import WorldModel
from worldline.prediction import Prediction, Usage

FAILED = ("infra_error",)
"""Outcomes that say nothing about the model: the rows that ``--retry-failed`` runs again."""
READ_AHEAD = 16
"""Cases that may wait, for each that is being asked."""
SYNC_EVERY_S = 1.0


class Bar(Protocol):
    """Told how far the run is."""

    def advance(self, count: int = 1) -> None:
        """`count` more rows are done."""
        ...


Watch = Callable[[int | None], AbstractContextManager[Bar]]
"""Given how many rows are left (`None`: not known), whom to tell as they are done."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. Counts are over all results, earlier runs included."""

    rows: int
    """Results that are there now."""
    resumed: int
    """Of these, done before this run."""
    outcomes: dict[str, int]
    reasons: dict[str, int]
    """Reasons of the outcomes that are not ``ok``, as ``infra_error: rate_limited``."""
    origins: dict[str, int]
    usage: Usage
    """Tokens of this run."""
    seconds: float
    """Of this run."""

    @property
    def failed(self) -> int:
        """Rows that got no answer through no fault of the model."""
        return sum(self.outcomes.get(outcome, 0) for outcome in FAILED)


async def predict(
    source: str | Path | Source | Sequence[Item],
    model: WorldModel,
    out: str | Path,
    *,
    concurrency: int = 8,
    limit: int | None = None,
    max_turns: int | None = None,
    context: int | None = None,
    max_tokens: int | None = None,
    ground: str = "none",
    seed: int | None = 0,
    deterministic: bool = False,
    retry_failed: bool = False,
    watch: Watch | None = None,
) -> Report:
    """Predict every row and keep the results in `out`.

    Args:
        source: a file of benchmark rows or trajectories, or these in memory.
        model: who predicts; left open.
        concurrency: how many are asked at once. Cases of one session are asked in order.
        limit: only the first rows; a later run may have another limit.
        max_turns: only turns up to this one.
        context: tokens of context to use at most.
        max_tokens: tokens of a reply at most.
        ground: ``none`` asks the model raw; ``ledger`` answers what is known without asking and
            tells the model the facts, as a world does; ``retrieval:FILE`` shows it recorded turns.
        seed: of the run; `None` leaves sampling to the server.
        deterministic: one at a time, each from an empty prefix cache where the model has one.
        retry_failed: run the rows again that ended in `FAILED`.
        watch: progress.

    Raises:
        UsageError: the output belongs to another run, or another process is writing it.
        DataError: a row is broken, or the output cannot be written.
        ModelError: the model cannot be used at all.
    """
    if concurrency < 1:
        raise UsageError("must be at least 1", field="concurrency")
    path, given = _output(out), _source(source)
    if deterministic:
        concurrency = 1
    limited = Limited(model, context, max_tokens, deterministic)
    grounds = parse_ground(ground)
    shown = examples(grounds)
    plan = Plan(grounded=grounds.told, seed=seed, max_turns=max_turns, examples=shown)
    wanted = manifest(
        "predict",
        input={"name": given.name, "sha": given.sha},
        model=limited.describe(),
        ground=_recorded(grounds, shown),
        seed=seed,
        max_turns=max_turns,
        deterministic=deterministic,
    )
    start, results = time.monotonic(), Results(path)
    try:
        settle(path, wanted, fresh=results.fresh)
        results.recover(FAILED if retry_failed else ())
        resumed = sum(1 for _ in results.entries())
        todo = _left(cases(given.items(), limited, plan), results, limit, path)
        lanes = Lanes(todo, ahead=READ_AHEAD * concurrency)
        with watch(_count(given, plan, limit, resumed)) if watch else nullcontext() as bar:
            usage = await _run(lanes, results, concurrency, bar)
    finally:
        results.close()
    return _report(results, resumed, usage, time.monotonic() - start)


def _recorded(grounds: Ground, shown: Examples | None) -> list[str]:
    """The grounding for the manifest: a file by the hash of its content, not by its path."""
    if shown is None:
        return list(grounds.parts)
    path = shown.model.path
    return [*grounds._replace(retrieval=None).parts, f"retrieval:{path.name}:{file_sha(path)}"]


def _output(out: str | Path) -> Path:
    path = Path(out)
    if path.suffix in (".gz", ".parquet"):
        raise UsageError(
            "results are appended as they come, so they are plain JSON Lines",
            file=path,
            remedy="Name the output something.jsonl.",
        )
    return path


def _source(given: str | Path | Source | Sequence[Item]) -> Source:
    if isinstance(given, (str, Path)):
        return open_source(given)
    return given if isinstance(given, Source) else of_items(given)


def _count(source: Source, plan: Plan, limit: int | None, done: int) -> int | None:
    total = source.total() if plan.max_turns is None else None
    if limit is not None:
        total = limit if total is None else min(total, limit)
    return None if total is None else max(total - done, 0)


def _left(
    all_cases: Iterator[Case], results: Results, limit: int | None, path: Path
) -> Iterator[Numbered]:
    """The cases that have no result yet; those that have must be the ones they belong to."""
    number = -1
    for number, case in enumerate(islice(all_cases, limit)):
        if number not in results:
            yield Numbered(number, case)
        elif results.entry(number).row_sha != jsonl.sha(case.row()):
            raise DataError(
                "is not the result of this row of the input",
                file=path,
                line=number + 1,
                field="row_sha",
                remedy="The file was changed. Restore it, or give another output file.",
            )
    if limit is None and len(results.done) > number + 1:
        raise DataError(
            f"holds {len(results.done)} results, and the input has {number + 1} rows",
            file=path,
            remedy="The file was changed. Restore it, or give another output file.",
        )


async def _run(lanes: Lanes, results: Results, concurrency: int, bar: Bar | None) -> Usage:
    """Ask all cases and keep what comes; returns the tokens of it all."""
    total = Usage()

    async def work() -> None:
        nonlocal total
        while (found := lanes.next()) is not None:
            prediction = await found.case.ask()
            results.put(found.number, output(found.case.row(), prediction))
            lanes.finished(found)
            total += prediction.usage
            if bar is not None:
                bar.advance()
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
                    workers.create_task(work())
            syncing.cancel()
    except BaseExceptionGroup as error:
        raise _first(error) from None
    return total


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def output(row: dict[str, Any], prediction: Prediction) -> dict[str, Any]:
    """The row with its prediction, as it stands in the output."""
    raw = prediction.raw or {"content": prediction.observation}
    return {
        **row,
        "gen": raw.get("content") or "",
        "worldline": msgspec.to_builtins(prediction),
        "row_sha": jsonl.sha(row),
    }


def _report(results: Results, resumed: int, usage: Usage, seconds: float) -> Report:
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    origins: Counter[str] = Counter()
    for entry in results.entries():
        told = entry.worldline
        outcomes[told.outcome] += 1
        origins[told.origin] += 1
        if told.outcome != "ok":
            reasons[f"{told.outcome}: {told.reason}"] += 1
    return Report(
        rows=outcomes.total(),
        resumed=resumed,
        outcomes=dict(outcomes.most_common()),
        reasons=dict(reasons.most_common()),
        origins=dict(origins.most_common()),
        usage=usage,
        seconds=seconds,
    )
