"""The process that plays episodes: ``python -m worldline.collect.worker``, one a core.

The first line on stdin is the `Plan`; each later one asks for an episode. An answer is a line
(`Answer`) and the trajectory's own line of `size` bytes. It ends, its environment with it, when
stdin closes, at SIGTERM, and when the process that started it dies.
"""

import sys
import traceback
from contextlib import suppress
from typing import IO, Any

import msgspec

from worldline import jsonl
from worldline.collect.episode import Agent, play
from worldline.collect.plan import Plan, explorer_of, is_model
from worldline.collect.scrub import redact_trajectory
from worldline.collect.seeds import derived, stream
from worldline.collect.store import Kept, kept, line_of
from worldline.environments.host import (
    die_with_parent,
    heed_signals,
    no_more_signals,
    private_stdio,
)
from worldline.environments.process import Environment
from worldline.errors import WorldlineError
from worldline.redact import redact

EPISODES_EACH = 50
"""Episodes after which an environment's process makes place for a new one."""


class Job(msgspec.Struct, frozen=True):
    """Asks for one episode."""

    number: int


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an episode. `code` and `reason` say why it has no trajectory."""

    number: int
    size: int = 0
    kept: Kept | None = None
    code: str | None = None
    reason: str | None = None


class Worker:
    """Plays the episodes of a plan, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._salt = f"{derived(plan.seed, plan.domain, 'salt'):x}"
        """The same for a whole run, so that it comes out the same when it is run again."""
        self._environment: Environment | None = None
        self._episodes = 0

    def answer(self, number: int) -> tuple[Answer, bytes]:
        """Play one episode; trouble is an answer too, and costs the environment its process."""
        try:
            line = self._line(number)
        except WorldlineError as error:
            return self._failed(number, type(error).__name__, str(error))
        except Exception as error:  # the explorer's fault, or ours: told as it is
            traceback.print_exc()
            steps = traceback.extract_tb(error.__traceback__)[-4:]
            where = " > ".join(f"{step.name}:{step.lineno}" for step in steps)
            why = f"{str(error) or type(error).__name__} ({where})"
            return self._failed(number, type(error).__name__, why)
        return Answer(number=number, size=len(line), kept=kept(line)), line

    def close(self) -> None:
        """End the environment."""
        environment, self._environment = self._environment, None
        if environment is not None:
            environment.close()

    def _line(self, number: int) -> bytes:
        agent = agent_of(self.plan, number)
        try:
            environment = self._with(agent.options())
            played = play(agent, environment, self.plan, number)
        finally:
            if (close := getattr(agent, "close", None)) is not None:
                close()
        people = environment.kind.personal(environment.options)
        trajectory, counts = redact_trajectory(played, salt=self._salt, people=people)
        meta = {**trajectory.meta, "redacted": dict(counts)}
        return line_of(msgspec.structs.replace(trajectory, meta=meta))

    def _with(self, options: dict[str, Any]) -> Environment:
        """The environment with these options, in the process of the one before if it is fresh."""
        if self._environment is not None and self._episodes >= EPISODES_EACH:
            self.close()
        if self._environment is None:
            self._environment, self._episodes = Environment(self.plan.domain), 0
        self._environment.options = options
        self._environment.kind.prepare(options, lambda said: print(said, file=sys.stderr))
        self._episodes += 1
        return self._environment

    def _failed(self, number: int, code: str, reason: str) -> tuple[Answer, bytes]:
        self.close()
        return Answer(number=number, code=code, reason=redact(reason)[0]), b""


def agent_of(plan: Plan, number: int) -> Agent:
    """Who acts in an episode."""
    seed, made = plan.episode_seed(number), explorer_of(plan.domain, plan.policy)
    family = plan.family(number)
    explorer = None if made is None else made(family, stream(seed, "explorer"))
    if not is_model(plan.policy):
        assert explorer is not None
        return explorer
    from worldline.collect.policy import ModelPolicy

    return ModelPolicy(plan.policy, plan.domain, explorer, stream(seed, "goal"), seed)


def main() -> None:
    """Serve one caller until it is gone."""
    asks, answers = private_stdio()
    heed_signals()
    die_with_parent()
    worker = Worker(jsonl.convert(jsonl.loads(asks.readline()), Plan))
    try:
        try:
            _serve(worker, asks, answers)
        finally:
            no_more_signals()
    finally:
        worker.close()


def _serve(worker: Worker, asks: IO[bytes], answers: IO[bytes]) -> None:
    with suppress(BrokenPipeError):
        for ask in asks:
            answer, line = worker.answer(jsonl.convert(jsonl.loads(ask), Job).number)
            answers.write(jsonl.dumps(msgspec.to_builtins(answer)) + b"\n" + line)
            answers.flush()


if __name__ == "__main__":
    main()
