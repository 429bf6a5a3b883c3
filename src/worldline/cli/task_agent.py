"""A model as the agent of a task: the policy that collecting uses, told the task as its goal."""

import random
from collections.abc import Sequence
from importlib import resources

from worldline.collect.episode import NoMove
from worldline.collect.policy import ModelPolicy, check_acts, without_address
from worldline.environments.base import Opening
from worldline.prediction import StepResult
from worldline.tasks.agents import Act, Lost, ModelAgent, Stuck
from worldline.tasks.task import Task
from worldline.trajectory import Trajectory, Turn

ANSWER = "ANSWER:"
"""What an answer begins with."""
OUTAGES = ("infra_error",)
"""Outcomes of an agent's model that are not its own fault."""


def policy_agent(spec: str, seed: int) -> ModelAgent:
    """A model, by its spec, as an agent.

    Raises:
        UsageError: it cannot act.
    """
    check_acts(spec)
    policies: list[ModelPolicy] = []

    def begin(task: Task, start: Trajectory, first: str | None) -> Act:
        policy = ModelPolicy(spec, task.domain, None, random.Random(seed), seed)
        policies.append(policy)
        policy.task = goal(task)
        policy.begin(
            Opening(
                domain=start.domain,
                dialect=start.dialect,
                system=start.system,
                tools=start.tools,
                observation=first,
            )
        )

        def act(turns: Sequence[Turn]) -> str | None:
            try:
                move = policy.act(_last(turns))
            except NoMove as error:
                kind = Lost if error.outcome in OUTAGES else Stuck
                why = f"{error.outcome}: {error.reason}" if error.reason else error.outcome
                raise kind(why) from None
            return None if move is None else move.action

        return act

    def end() -> None:
        while policies:
            policies.pop().close()

    return ModelAgent(begin, name=without_address(spec), answer=answered, end=end)


def goal(task: Task) -> str:
    """The instruction; for a task that ends in a message, how to give it."""
    if task.kind == "effect":
        return task.instruction
    how = resources.files("worldline.tasks") / "prompts" / "answer.txt"
    return f"{task.instruction}\n{how.read_text('utf-8').strip()}"


def answered(action: str) -> str | None:
    """The answer in a reply that is one."""
    text = action.strip()
    return text.removeprefix(ANSWER).strip() if text.startswith(ANSWER) else None


def _last(turns: Sequence[Turn]) -> StepResult | None:
    if not turns:
        return None
    seen = turns[-1].observation
    return StepResult(observation=seen, outcome="ok", origin="real", seq=len(turns), branch="main")
