"""The blocking face of a world, for scripts, notebooks and trainers without an event loop.

All worlds of a process share one portal thread with one event loop, started on first use; it is a
daemon and ends with the process.
"""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

from worldline.models.base import OnText
from worldline.prediction import StepResult
from worldline.trajectory import Trajectory
from worldline.world import World

T = TypeVar("T")


@cache
def _portal() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="worldline-portal", daemon=True).start()
    return loop


def wait(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the portal thread and wait for its result; Ctrl-C cancels it."""
    future = asyncio.run_coroutine_threadsafe(work, _portal())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


class SyncWorld:
    """A `World` whose methods block. See `World` for what each does."""

    def __init__(self, world: World) -> None:
        self.world = world

    @property
    def seq(self) -> int:
        """Steps taken on this branch."""
        return self.world.seq

    @property
    def branch(self) -> str:
        """Id of this branch."""
        return self.world.branch

    def reset(self) -> StepResult:
        """What the agent sees before its first action."""
        return wait(self.world.reset())

    def step(self, action: str, on_text: OnText | None = None) -> StepResult:
        """Take one action."""
        return wait(self.world.step(action, on_text))

    def fork(self, seq: int | None = None, *, reseed: int | None = None) -> Self:
        """Another branch from here, or from step `seq`."""
        return type(self)(self.world.fork(seq, reseed=reseed))

    def back(self, steps: int = 1) -> Self:
        """A fork at `steps` steps ago."""
        return type(self)(self.world.back(steps))

    def trajectory(self) -> Trajectory:
        """This branch as a trajectory."""
        return self.world.trajectory()

    def save(self, path: str | Path) -> None:
        """Keep the session in `path`, now and from now on."""
        self.world.save(path)

    def close(self) -> None:
        """Close the session file and the model."""
        wait(self.world.aclose())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
