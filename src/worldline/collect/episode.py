"""One episode: an agent and a real environment in turns, until one of them has had enough.

Only what was observed becomes a turn. A step without an observation ends the episode: what it did
is unknown, and every later turn would rest on it. It is noted under ``meta.failed_steps``.
"""

from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime
from platform import machine, system
from typing import Any, NamedTuple, Protocol

import msgspec

import worldline
from worldline.collect.explorers import Explorer, Move
from worldline.collect.plan import Plan
from worldline.collect.seeds import reset_seed
from worldline.collect.thinking import thinking
from worldline.environments.base import Opening
from worldline.environments.process import Environment
from worldline.errors import WorldlineError
from worldline.prediction import StepResult
from worldline.redact import redact
from worldline.trajectory import Trajectory, Turn

LICENCE = (
    "CC0-1.0 for the recording; text of third parties in it under their own, see the data card"
)


class Agent(Protocol):
    """Who acts: an explorer, or a model as policy."""

    def options(self) -> dict[str, Any]:
        """Options of the environment for this episode."""
        ...

    def begin(self, opening: Opening) -> None:
        """Told once what the session starts with."""
        ...

    def act(self, last: StepResult | None) -> Move | None:
        """The next move; `None` ends the episode."""
        ...


class NoMove(Exception):
    """The agent has no action to offer, and not because it is done.

    Args:
        outcome: the kind of trouble, as ``refused``.
        reason: more about it.
        told: more for who runs it, as where an endpoint is; a trajectory does not keep it.
    """

    def __init__(self, outcome: str, reason: str | None, told: str = "") -> None:
        super().__init__(outcome, reason)
        self.outcome, self.reason, self.told = outcome, reason, told


class EpisodeDied(WorldlineError):
    """The environment failed in a way that leaves nothing to keep of the episode."""


class End(NamedTuple):
    """How an episode ended.

    `kind`: ``done`` (the agent stopped), ``terminated`` (the environment did), ``longest`` (it had
    as many actions as it may), ``capture_failed``, or ``policy:OUTCOME`` (trouble of a model).
    """

    kind: str
    reason: str | None = None
    told: str = ""
    """More for who runs it, as of `NoMove`."""


class Played(NamedTuple):
    """What happened beside the turns: the intent of each, steps that gave nothing, the end."""

    intents: list[str]
    failed: list[dict[str, Any]]
    end: End


def play(agent: Agent, environment: Environment, plan: Plan, number: int) -> Trajectory:
    """Play one episode in an environment that has the options the agent wants.

    Raises:
        RealityError: the environment cannot be reset.
        EpisodeDied: it broke, or not one action was observed.
    """
    environment.reset(reset_seed(plan.episode_seed(number)))
    assert environment.opening is not None
    agent.begin(environment.opening)
    played = _played(agent, environment, plan)
    if not environment.turns:
        why = ": ".join(part for part in played.end if part)
        raise EpisodeDied(f"no action was observed ({why})")
    return _recorded(environment, played, agent, plan, number)


def _played(agent: Agent, environment: Environment, plan: Plan) -> Played:
    last: StepResult | None = None
    intents: list[str] = []
    for _ in range(plan.longest):
        try:
            with thinking() if isinstance(agent, Explorer) else nullcontext():
                move = agent.act(last)
        except NoMove as trouble:
            return Played(
                intents, [], End(f"policy:{trouble.outcome}", trouble.reason, trouble.told)
            )
        if move is None:
            return Played(intents, [], End("done"))
        last = environment.step(move.action, move.limit_s or plan.limit_s)
        if last.outcome == "infra_error":
            raise EpisodeDied(f"step {last.seq}: {last.reason}")
        if last.observation is None:
            return Played(intents, [_failed(move, last)], End(last.outcome, last.reason))
        intents.append(move.intent)
        if last.terminated:
            return Played(intents, [], End("terminated", last.reason))
    return Played(intents, [], End("longest"))


def _failed(move: Move, result: StepResult) -> dict[str, Any]:
    return {
        "step": result.seq,
        "action": redact(move.action)[0],
        "intent": move.intent,
        "outcome": result.outcome,
        "reason": result.reason,
    }


def _recorded(
    environment: Environment, played: Played, agent: Agent, plan: Plan, number: int
) -> Trajectory:
    """The trajectory with all that a recording says of itself."""
    raw = environment.trajectory(plan.id(number))
    opening, turns = environment.opening, _with_intents(raw.turns, played.intents)
    assert opening is not None
    versions = {"worldline": worldline.__version__, **opening.meta.get("versions", {})}
    source = msgspec.structs.replace(
        raw.source,
        version=", ".join(f"{name} {version}" for name, version in versions.items()),
        licence=LICENCE,
        collected_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=plan.episode_seed(number),
        host=f"{system()} {machine()}",
    )
    start = raw.system
    if start.initial_state is None and opening.observation:
        start = msgspec.structs.replace(start, initial_state=opening.observation)
    return msgspec.structs.replace(
        raw,
        system=start,
        task=getattr(agent, "task", None),
        turns=turns,
        source=source,
        meta={
            "options": environment.options,
            **opening.meta,
            "versions": versions,
            "run": plan.run,
            "episode": number,
            "reset_seed": environment.seed,
            "family": plan.family(number),
            "held_out": plan.held_out,
            "explorer": type(agent).__name__,
            "policy": getattr(agent, "name", plan.policy),
            "end": played.end.kind,
            "end_reason": played.end.reason,
            "statuses": dict(Counter(turn.info.get("status", "ok") for turn in turns)),
            "failed_steps": played.failed,
        },
    )


def _with_intents(turns: tuple[Turn, ...], intents: list[str]) -> tuple[Turn, ...]:
    return tuple(
        msgspec.structs.replace(turn, info={"intent": intent, **turn.info})
        for turn, intent in zip(turns, intents, strict=True)
    )
