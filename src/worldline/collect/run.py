"""Collecting: many episodes on all cores, resumable, none lost and none played twice.

    report = collect(plan("terminal", seed=7, policy="explorer", limit_s=30), 100, Path("corpus"))

Run it again after a crash and exactly the missing episodes are played. An episode that dies is
tried once more, then set aside with its reason.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from worldline.collect.crew import Hand, Lost
from worldline.collect.manifest import counted, manifest, settle, write
from worldline.collect.plan import Plan, is_model
from worldline.collect.store import Store
from worldline.environments.process import RealityError
from worldline.environments.registry import kind
from worldline.errors import UsageError

TRIES = 2
HOPELESS = 6
"""Episodes set aside with none recorded after which a run stops: it is not the episodes."""


class Bar(Protocol):
    """Told how far the run is."""

    def advance(self, count: int = 1) -> None:
        """`count` more episodes are done."""
        ...


class Speed:
    """How fast the run is, as a person wants to read it."""

    def __init__(self) -> None:
        self.turns = 0
        self._start = time.monotonic()

    def __str__(self) -> str:
        seconds = max(time.monotonic() - self._start, 1e-9)
        return f"{self.turns:,} turns, {self.turns / seconds:,.1f} turns/s"


Watch = Callable[[int, Speed], AbstractContextManager[Bar]]
"""Given how many episodes are left and how fast they go, whom to tell as they are done."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. Counts are over all that the folder holds."""

    episodes: int
    resumed: int
    """Of these, recorded before this run."""
    set_aside: int
    reasons: dict[str, int]
    """Of what was set aside: reason -> episodes."""
    counts: dict[str, Any]
    """As in the manifest."""
    turns: int
    """Of this run."""
    seconds: float
    """Of this run."""


class _Run(NamedTuple):
    plan: Plan
    store: Store
    todo: Iterator[int]
    speed: Speed
    bar: Bar | None
    before: int


def collect(
    plan: Plan,
    episodes: int,
    folder: Path,
    *,
    workers: int = 1,
    tell: Callable[[str], None] = lambda said: None,
    watch: Watch | None = None,
) -> Report:
    """Play every episode that the folder does not hold yet.

    Args:
        episodes: episodes 0 to this are wanted. A later run may want more.
        workers: processes that play.
        tell: told what is being prepared.
        watch: progress.

    Raises:
        UsageError: the machine lacks something, the folder holds another run, or another process
            is writing it.
        DataError: the folder cannot be written or holds something broken.
        RealityError: no episode at all can be played.
    """
    if workers < 1:
        raise UsageError("must be at least 1", field="workers")
    if is_model(plan.policy):  # before the folder is this run's
        from worldline.collect.policy import check_acts

        check_acts(plan.policy)
    start, store = time.monotonic(), Store(folder)
    try:
        wanted = manifest(plan, episodes)
        settle(folder, wanted, fresh=store.fresh)
        store.recover()
        left = episodes - _held(plan, episodes, store)
        if left:
            ready(plan, tell)
        speed, before = Speed(), len(store.done)
        try:
            with watch(left, speed) if watch else nullcontext() as bar:
                run = _Run(plan, store, _todo(plan, episodes, store), speed, bar, before)
                asyncio.run(_played(run, min(workers, left)))
        finally:
            counts = counted(wanted, store.done, len(store.failed))
            write(folder, counts)
    finally:
        store.close()
    return _report(store, counts, before, speed.turns, time.monotonic() - start)


def _held(plan: Plan, episodes: int, store: Store) -> int:
    numbers = (plan.number(id) for id in store.done)
    return sum(number is not None and number < episodes for number in numbers)


def _todo(plan: Plan, episodes: int, store: Store) -> Iterator[int]:
    """The missing episodes, one after the other: there may be more than fit into memory."""
    return (number for number in range(episodes) if plan.id(number) not in store.done)


def ready(plan: Plan, tell: Callable[[str], None]) -> None:
    """Make sure that the machine has what the environment needs, and what it caches is there.

    Raises:
        UsageError: something is missing; says how to get it.
    """
    found = kind(plan.domain)
    for need in found.needs():
        if not need.optional and need.found() is None:
            raise UsageError(f"{plan.domain} needs {need.name}", remedy=f"Get it: {need.remedy}")
    found.prepare({}, tell)


async def _played(run: _Run, workers: int) -> None:
    lanes = [asyncio.create_task(_lane(run)) for _ in range(workers)]
    try:
        await asyncio.gather(*lanes)
    finally:
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)


async def _lane(run: _Run) -> None:
    """One worker after another, until nothing is left to play."""
    async with Hand(run.plan) as hand:
        for number in run.todo:
            await _episode(run, hand, number)
            if run.bar is not None:
                run.bar.advance()


async def _episode(run: _Run, hand: Hand, number: int) -> None:
    code, reason = "", ""
    for _ in range(TRIES):
        try:
            answer, line = await hand.play(number)
        except Lost as lost:
            code, reason = "Lost", str(lost)
            continue
        if answer.kept is not None:
            run.store.add(line, answer.kept)
            run.speed.turns += answer.kept.turns
            return
        code, reason = answer.code or "", answer.reason or ""
    run.store.set_aside(
        {
            "id": run.plan.id(number),
            "episode": number,
            "family": run.plan.family(number),
            "seed": run.plan.episode_seed(number),
            "code": code,
            "reason": reason,
            "tries": TRIES,
        }
    )
    if len(run.store.failed) >= HOPELESS and len(run.store.done) == run.before:
        raise RealityError(
            f"no episode of {run.plan.domain} can be played: {reason}",
            file=run.store.failed_path,
            remedy="`worldline doctor` says what it needs.",
        )


def _report(
    store: Store, values: dict[str, Any], before: int, turns: int, seconds: float
) -> Report:
    reasons: dict[str, int] = {}
    for one in store.failed:
        why = f"{one['code']}: {one['reason']}"
        reasons[why] = reasons.get(why, 0) + 1
    return Report(
        episodes=len(store.done),
        resumed=before,
        set_aside=len(store.failed),
        reasons=reasons,
        counts=values["counts"],
        turns=turns,
        seconds=round(seconds, 2),
    )
