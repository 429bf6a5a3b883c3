"""What a dialect of the terminal adds to its codec: what is done in an action, what came of it.

The ledger works on deeds and their results; a `Form` translates between those and the text of one
dialect, in both directions.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from worldline.domains.base import ActionError, Dialect
from worldline.domains.terminal.actions import Deed
from worldline.domains.terminal.observations import Look, Result
from worldline.trajectory import Trajectory


class Form(ABC):
    """One dialect."""

    id: ClassVar[str]
    action: ClassVar[type[Any]]
    observation: ClassVar[type[Any]]
    tty: ClassVar[bool] = False
    """Output goes to a terminal."""
    merged: ClassVar[bool] = False
    """Both streams of a program arrive in order."""
    persistent: ClassVar[bool | None] = None
    """Commands share one shell; `None`: it is for the session to find out."""

    @abstractmethod
    def parse_action(self, text: str) -> Any:
        """Read an action; `ActionError` if it is none."""

    @abstractmethod
    def render_action(self, action: Any) -> str:
        """The action's text again."""

    @abstractmethod
    def parse_observation(self, text: str) -> Any:
        """Read an observation; anything is one."""

    @abstractmethod
    def render_observation(self, observation: Any) -> str:
        """The observation's text again."""

    @abstractmethod
    def detect(self, trajectory: Trajectory) -> float:
        """How sure one can be that a trajectory is in this dialect, 0 to 1."""

    @abstractmethod
    def deeds(self, action: str) -> list[Deed]:
        """What is done; raises `ActionError` as `parse_action` does."""

    @abstractmethod
    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """What came of each deed, read in the layout that the session has had so far."""

    @abstractmethod
    def look(self, look: Look, action: str, observation: str) -> Look:
        """What an observation teaches about the layout of later ones."""

    @abstractmethod
    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The observation with these results; `None` where its layout is not certain."""

    def dialect(self) -> Dialect:
        """The dialect as the registry wants it."""
        return Dialect(
            id=self.id,
            action=self.action,
            parse_action=self.parse_action,
            render_action=self.render_action,
            observation=self.observation,
            parse_observation=self.parse_observation,
            render_observation=self.render_observation,
            detect=self.detect,
        )


def sample(trajectory: Trajectory, accepts: Any, limit: int = 12) -> float:
    """Share of the first actions that `accepts` takes."""
    turns = trajectory.turns[:limit]
    return sum(map(accepts, (turn.action for turn in turns))) / len(turns) if turns else 0.0


def parses(parse: Any, text: str) -> bool:
    """Whether `parse` takes the text as an action."""
    try:
        parse(text)
    except ActionError:
        return False
    return True
