"""What an explorer is: a purposeful, seeded agent that meets an environment's many behaviours."""

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from worldline.environments.base import Opening
from worldline.prediction import StepResult


class Move(NamedTuple):
    """One action to take.

    Args:
        action: text of the dialect.
        intent: what it is for, in a word or two (kept in the turn's `info`, counted in statistics).
        limit_s: seconds it may take, where the episode's own limit does not fit.
    """

    action: str
    intent: str
    limit_s: float | None = None


class Family(NamedTuple):
    """A kind of episode. Held-out families are for benchmarks alone: never in a training corpus."""

    weight: float = 1.0
    held_out: bool = False


class Explorer(ABC):
    """One episode's agent. Its choices depend on `rng` and on what it observed, on nothing else."""

    domain: ClassVar[str]
    families: ClassVar[Mapping[str, Family]]

    def __init__(self, family: str, rng: random.Random) -> None:
        self.family = family
        self.rng = rng

    @abstractmethod
    def options(self) -> dict[str, Any]:
        """Options of the environment for this episode (its dialect, fixture, servers ...)."""

    @abstractmethod
    def begin(self, opening: Opening) -> None:
        """Told once what the session starts with."""

    @abstractmethod
    def act(self, last: StepResult | None) -> Move | None:
        """The next move, after seeing what the last one gave; `None` ends the episode.

        `last` is `None` before the first move. A result without an observation (its `outcome` says
        why) is to be reacted to as an agent would.
        """
