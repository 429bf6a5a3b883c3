"""Lets an agent at a task in a world, real or simulated, and decides whether it succeeded.

After the agent stops, the probes run one after another: in a fork of a simulated world, in a real
environment itself. All their checks must hold. What cannot be decided makes success `None`.
"""

import time
from collections.abc import Sequence
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from worldline.errors import WorldlineError
from worldline.prediction import StepResult, Usage
from worldline.tasks.agents import UNSEEN, Agent, Answer, Lost, Stuck
from worldline.tasks.checks import Verdict, evaluate
from worldline.tasks.task import Probe, Task
from worldline.tasks.texts import Texts, state_of
from worldline.trajectory import Trajectory, Turn

RESULT_SCHEMA = "worldline.task-result/1"

Reason = Literal["stopped", "turns", "seconds", "stuck", "lost", "terminated", "no_observation"]
"""Why an agent's run ended: it stopped; its turns or seconds were used up; it could not go on (by
its own fault or not); the environment's session ended; the environment gave no observation."""

CUT = ("lost", "terminated", "no_observation")
"""Reasons after which nothing can be decided, the answer that was still to come included."""


class Session(Protocol):
    """What real and simulated worlds share."""

    def step(self, action: str, /) -> StepResult:
        """Take one action."""
        ...

    def trajectory(self) -> Trajectory:
        """What happened so far."""
        ...


@runtime_checkable
class Simulated(Session, Protocol):
    """A simulated world (`worldline.sync.SyncWorld`), at its beginning: it can be forked."""

    def reset(self) -> StepResult:
        """What the agent sees first."""
        ...

    def fork(self) -> "Simulated":
        """Another branch from here."""
        ...


class Real(Session, Protocol):
    """A real environment (`worldline.environments.process.Environment`)."""

    def reset(self, seed: int, /) -> StepResult:
        """A fresh session."""
        ...


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may use: steps, and seconds in all."""

    turns: int = 50
    seconds: float = 1800.0


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """A probe, what came of its action, and the verdicts on its checks, in their order.

    `outcome` is `None` for a probe without an action.
    """

    action: str | None
    outcome: str | None
    observation: str | None
    verdicts: tuple[Verdict, ...]


class TaskResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a task went.

    Args:
        success: all checks hold; `None` where one is undecided (its verdict says why).
        score: the weighted share of the checks that hold; `None` where one is undecided.
        reason: why the agent's run ended, `detail` in words.
        cost: what the world and its model used; probes included.
        seconds: of the agent's run, and of the probes.
    """

    task: str
    world: Literal["real", "sim"]
    agent: str
    success: bool | None
    score: float | None
    reason: Reason
    detail: str | None = None
    answer: str = ""
    turns: tuple[Turn, ...] = ()
    probes: tuple[Probed, ...] = ()
    cost: Usage = Usage()
    seconds: float = 0.0
    schema: str = RESULT_SCHEMA

    @property
    def why(self) -> str:
        """In words: what does not hold, is undecided, or stopped the agent early."""
        verdicts = [(p, v) for p in self.probes for v in p.verdicts if not v.ok]
        told = ["undecided: " * (v.ok is None) + v.why for _, v in verdicts]
        if self.reason != "stopped":
            told.insert(0, f"{self.reason}: {self.detail}" if self.detail else self.reason)
        return "; ".join(told)


def run(
    task: Task, world: "Real | Simulated", agent: Agent, limits: Limits | None = None
) -> TaskResult:
    """Let `agent` at `task` in `world` and decide.

    Args:
        world: a real environment, made as `task.environment` says (it is reset to the task's seed),
            or a simulated world at its beginning.

    Raises:
        WorldlineError: the world cannot be reset; nothing was decided.
    """
    start = time.monotonic()
    played = _Play(task, world, agent, limits or Limits())
    try:
        played.play()
    finally:
        agent.end()
    probes = tuple(played.probes())
    verdicts = [verdict for probe in probes for verdict in probe.verdicts]
    return TaskResult(
        task=task.id,
        world=played.where,
        agent=agent.name,
        success=_success([verdict.ok for verdict in verdicts]),
        score=_score(task.probes, verdicts),
        reason=played.reason,
        detail=played.detail,
        answer=played.answer,
        turns=tuple(played.turns),
        probes=probes,
        cost=played.cost,
        seconds=round(time.monotonic() - start, 3),
    )


def _success(oks: Sequence[bool | None]) -> bool | None:
    return None if None in oks else all(oks)


def _score(probes: Sequence[Probe], verdicts: Sequence[Verdict]) -> float | None:
    weights = [check.weight for probe in probes for check in probe.checks]
    if any(verdict.ok is None for verdict in verdicts):
        return None
    held = sum(weight for weight, one in zip(weights, verdicts, strict=True) if one.ok)
    return held / sum(weights) if weights else 1.0


class _Play:
    """One run: the agent's turns, then the probes."""

    def __init__(self, task: Task, world: "Real | Simulated", agent: Agent, limits: Limits) -> None:
        self.task, self.world, self.agent, self.limits = task, world, agent, limits
        self.where: Literal["real", "sim"] = "sim" if isinstance(world, Simulated) else "real"
        self.turns: list[Turn] = []
        self.reason: Reason = "stopped"
        self.detail: str | None = None
        self.answer = ""
        self.cost = Usage()
        self.shown: list[str | None] = []

    def play(self) -> None:
        """Until the agent stops, or is stopped."""
        world, until = self.world, time.monotonic() + self.limits.seconds
        first = world.reset() if isinstance(world, Simulated) else world.reset(self.task.seed)
        begun = world.trajectory()
        self.shown = [begun.system.initial_state, first.observation]
        self.agent.begin(self.task, begun, first.observation)
        while self.reason == "stopped":
            try:
                move = self.agent.act(self.turns)
            except (Stuck, Lost) as error:
                self._end("lost" if isinstance(error, Lost) else "stuck", str(error))
                return
            if move is None:
                return
            if isinstance(move, Answer):
                self.answer = move.text
                return
            if len(self.turns) >= self.limits.turns:
                self._end("turns", f"{self.limits.turns} turns were allowed")
            elif time.monotonic() > until:
                self._end("seconds", f"{self.limits.seconds:g} seconds were allowed")
            else:
                self._take(move)

    def _take(self, action: str) -> None:
        result = self.world.step(action)
        self.cost += result.usage
        seen = result.observation
        info: dict[str, Any] = {"duration_s": round(result.latency_s, 4)}
        if result.outcome != "ok":
            info[UNSEEN if seen is None else "status"] = result.outcome
        if seen is None:
            info["reason"] = result.reason
        self.turns.append(Turn(action=action, observation=seen or "", info=info))
        if seen is not None:
            self.shown.append(seen)
        elif result.outcome != "capture_failed":
            self._end("no_observation", _trouble(result))
        if result.terminated:
            self._end("terminated", "the session ended")

    def _end(self, reason: Reason, detail: str) -> None:
        self.reason, self.detail = reason, detail

    # probes

    def probes(self) -> list[Probed]:
        """The probes, one after another."""
        gone = self.detail if self.reason in CUT else None
        state = None if gone else state_of(self.task.domain, self.task.dialect, self.shown)
        world = self.world
        if isinstance(world, Simulated) and any(p.action is not None for p in self.task.probes):
            world = world.fork()
        found: list[Probed] = []
        for probe in self.task.probes:
            one, gone = self._probe(probe, world, state, gone)
            found.append(one)
        return found

    def _probe(
        self, probe: Probe, world: Session, state: str | None, gone: str | None
    ) -> tuple[Probed, str | None]:
        """The probe, and why no further one can be run, if none can."""
        texts = Texts(
            state=state,
            answer=None if self.reason in CUT else self.answer,
            domain=self.task.domain,
            dialect=self.task.dialect,
            action=probe.action,
            reason=gone,
        )
        outcome = None
        if probe.action is not None and gone is None:
            texts, outcome, gone = self._asked(texts, probe.action, world)
        elif probe.action is not None:
            outcome = "not_run"
        verdicts = tuple(evaluate(check, texts) for check in probe.checks)
        seen = texts.observation
        return Probed(
            action=probe.action, outcome=outcome, observation=seen, verdicts=verdicts
        ), gone

    def _asked(self, texts: Texts, action: str, world: Session) -> tuple[Texts, str, str | None]:
        try:
            result = world.step(action)
        except WorldlineError as error:
            told = str(error)
            return msgspec.structs.replace(texts, reason=told), "infra_error", told
        self.cost += result.usage
        whole = result.observation is not None and result.outcome != "timeout"
        if not whole:
            told = _trouble(result)
            gone = told if result.outcome == "infra_error" or result.terminated else None
            return msgspec.structs.replace(texts, reason=told), result.outcome, gone
        info = world.trajectory().turns[-1].info
        texts = msgspec.structs.replace(texts, observation=result.observation, info=info)
        return texts, result.outcome, "the session ended" if result.terminated else None


def _trouble(result: StepResult) -> str:
    return f"{result.outcome}: {result.reason}" if result.reason else result.outcome
