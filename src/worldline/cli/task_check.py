"""Are tasks sound? Three agents are let at each, in reality, and one answer is right for each.

The null agent must fail, the reference must succeed, and the blind one must fail where success is
said to depend on what is seen.
"""

import queue
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec

from worldline.cli.task_worlds import Reality
from worldline.errors import WorldlineError
from worldline.tasks.agents import AGENTS
from worldline.tasks.run import TaskResult, run
from worldline.tasks.task import Task

WANTED = {"null": False, "reference": True, "blind": False}


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """How one agent did: fields as of `TaskResult`, `why` in words."""

    success: bool | None
    score: float | None
    reason: str
    why: str
    turns: int
    seconds: float


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """A task and how the agents did in it; `trouble` says what is wrong with it, if anything."""

    task: str
    domain: str
    family: str
    split: str
    unseen: bool
    agents: dict[str, Seen]
    trouble: tuple[str, ...] = ()


def check_tasks(tasks: Sequence[Task], workers: int) -> Iterator[Checked]:
    """Check each task; results come as they are ready.

    Raises:
        WorldlineError: an environment cannot be prepared.
    """
    free: queue.SimpleQueue[Reality] = queue.SimpleQueue()
    realities = [Reality() for _ in range(workers)]
    for one in realities:
        free.put(one)

    stop = threading.Event()

    def work(task: Task) -> Checked:
        real = free.get()
        try:
            return checked(task, real, stop)
        finally:
            free.put(real)

    pool = ThreadPoolExecutor(workers)
    try:
        for done in as_completed([pool.submit(work, task) for task in tasks]):
            yield done.result()
    except BaseException:  # Ctrl-C too: what is under way need not come to its end
        stop.set()
        for one in realities:
            one.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        for one in realities:
            one.close()


def checked(task: Task, real: Reality, stop: threading.Event | None = None) -> Checked:
    """Let the agents at one task, unless told to stop."""
    names = ("null", "reference", "blind") if task.unseen else ("null", "reference")
    agents: dict[str, Seen] = {}
    trouble: list[str] = [] if task.reference else ["it has no reference"]
    environment = real.of(task)
    for name in names:
        if stop is not None and stop.is_set():
            break
        try:
            result = run(task, environment, AGENTS[name]())
        except WorldlineError as error:
            trouble.append(f"the {name} agent cannot act: {error}")
            break
        agents[name] = _seen(result)
        if result.success is not WANTED[name]:
            trouble.append(_told(name, result))
    return Checked(
        task=task.id,
        domain=task.domain,
        family=task.family,
        split=task.split,
        unseen=task.unseen,
        agents=agents,
        trouble=tuple(trouble),
    )


def _seen(result: TaskResult) -> Seen:
    return Seen(
        success=result.success,
        score=result.score,
        reason=result.reason,
        why=result.why,
        turns=len(result.turns),
        seconds=result.seconds,
    )


def _told(name: str, result: TaskResult) -> str:
    did = {True: "succeeds", False: "fails", None: "is undecided"}[result.success]
    return f"the {name} agent {did}{f' ({result.why})' if result.why else ''}"


def rate(found: Sequence[Checked], agent: str) -> tuple[int, int]:
    """(successes, tasks) of an agent."""
    seen = [one.agents[agent] for one in found if agent in one.agents]
    return sum(one.success is True for one in seen), len(seen)
