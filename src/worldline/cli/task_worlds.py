"""The worlds of tasks: the real environment a task names, or a simulation that starts like it."""

import threading
from typing import Any

from worldline import jsonl
from worldline.cli.common import say
from worldline.environments.base import Opening
from worldline.environments.process import Environment, RealityError
from worldline.environments.registry import kind
from worldline.errors import UsageError
from worldline.models.base import WorldModel
from worldline.prediction import StepResult
from worldline.scenarios.snapshot import Snapshot, read_snapshot
from worldline.sync import SyncWorld
from worldline.tasks.task import Task
from worldline.trajectory import Trajectory
from worldline.world import World

STEP_S = 120.0
"""Seconds a step of a task may take in reality: a test suite may be a step."""

_preparing = threading.Lock()


class Reality:
    """A real environment for one task after the other, in one process while tasks are alike."""

    def __init__(self) -> None:
        self._environment: Environment | None = None

    def of(self, task: Task) -> Environment:
        """The environment of a task, not yet reset.

        Raises:
            UsageError: there is no environment of that name.
        """
        name, options = task.environment.name, task.environment.options
        if self._environment is None or self._environment.kind.name != name:
            self.close()
            self._environment = Environment(name, limit_s=STEP_S)
        with _preparing:
            kind(name).prepare(options, say)
        self._environment.options = options
        return self._environment

    def close(self) -> None:
        """End its process."""
        environment, self._environment = self._environment, None
        if environment is not None:
            environment.close()


class Simulation:
    """A simulated world that begins as a real session does: the agent is shown what reality shows
    first, the model knows the snapshot."""

    def __init__(self, world: SyncWorld, opening: Opening) -> None:
        self.world, self.opening = world, opening

    def reset(self) -> StepResult:
        """What the real session opens with."""
        first = self.world.reset()
        return StepResult(
            observation=self.opening.observation,
            outcome="ok",
            origin="real",
            seq=first.seq,
            branch=first.branch,
        )

    def step(self, action: str, /) -> StepResult:
        """Take one action."""
        return self.world.step(action)

    def fork(self) -> "Simulation":
        """Another branch from here."""
        return Simulation(self.world.fork(), self.opening)

    def trajectory(self) -> Trajectory:
        """What happened so far, with the system prompt the agent has: the snapshot is not in it."""
        import msgspec

        return msgspec.structs.replace(self.world.trajectory(), system=self.opening.system)


def simulation(task: Task, model: WorldModel, real: Reality) -> Simulation:
    """A simulated world for a task, from a snapshot of the real environment at the task's seed or,
    where that cannot be had, from the task's own snapshot file.

    Raises:
        UsageError: there is neither.
    """
    opening, shot = _start(task, real)
    world = World.open(
        task.domain,
        model=model,
        dialect=task.dialect,
        system=opening.system,
        tools=opening.tools,
        snapshot=shot,
        seed=task.seed,
    )
    return Simulation(SyncWorld(world), opening)


def _start(task: Task, real: Reality) -> tuple[Opening, Snapshot]:
    given = None if task.snapshot is None else read_snapshot(task.snapshot)
    try:
        environment = real.of(task)
        environment.reset(task.seed)
        assert environment.opening is not None
        return environment.opening, given or _taken(environment.snapshot())
    except (RealityError, UsageError) as error:
        if given is None:
            raise UsageError(
                f"{task.id} has no snapshot, and reality cannot be had to take one: {error}",
                remedy="Give the task a snapshot, or see `worldline doctor`.",
            ) from error
        empty: dict[str, Any] = {"domain": task.domain, "dialect": task.dialect, "system": {}}
        return jsonl.convert(empty, Opening), given


def _taken(record: dict[str, Any]) -> Snapshot:
    return jsonl.convert(record, Snapshot)
