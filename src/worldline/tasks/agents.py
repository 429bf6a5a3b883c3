"""Who acts in a task: nobody, the reference, the reference without eyes, or a policy.

An agent is told the task once, then asked for a move after every turn. A move is an action, an
`Answer` (which ends it), or `None`: it stops without a word.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from worldline.tasks.task import Task
from worldline.tasks.template import NoMatch, emptied, filled
from worldline.trajectory import Trajectory, Turn

UNSEEN = "outcome"
"""In the `info` of a turn that brought no observation: what became of it instead."""


class Answer(NamedTuple):
    """An agent's last message."""

    text: str


Move = str | Answer | None


class Stuck(Exception):
    """An agent cannot go on; the message says why."""


class Lost(Exception):
    """An agent cannot go on through no fault of its own (no reply came): nothing is decided."""


class Agent(ABC):
    """Acts in one task at a time."""

    name: str

    def begin(self, task: Task, start: Trajectory, first: str | None) -> None:  # noqa: B027
        """Told the task.

        Args:
            start: the session's system prompt and tools; it has no turns.
            first: what the environment shows before the first action.
        """

    @abstractmethod
    def act(self, turns: Sequence[Turn]) -> Move:
        """The next move after these turns.

        A turn without an observation has an empty one, and `UNSEEN` in its `info`.

        Raises:
            Stuck: it cannot go on.
            Lost: the same, through no fault of its own.
        """

    def end(self) -> None:  # noqa: B027
        """The run is over; called once, whatever happened."""


class NullAgent(Agent):
    """Does nothing and says nothing."""

    name = "null"

    def act(self, turns: Sequence[Turn]) -> Move:
        """Stops."""
        return None


class ReferenceAgent(Agent):
    """Takes the task's reference actions, templates filled from what it observed."""

    name = "reference"

    def begin(self, task: Task, start: Trajectory, first: str | None) -> None:
        """Takes the reference."""
        self.task, self.first = task, first

    def act(self, turns: Sequence[Turn]) -> Move:
        """The next reference action; of an ``answer`` task the last one is the answer."""
        done, actions = len(turns), self.task.reference
        if done >= len(actions):
            return None
        text = self.fill(actions[done], turns)
        last = self.task.kind == "answer" and done == len(actions) - 1
        return Answer(text) if last else text

    def fill(self, action: str, turns: Sequence[Turn]) -> str:
        """The action with its templates filled."""

        def observation(turn: int) -> str | None:
            if turn == 0:
                return self.first
            one = turns[turn - 1]
            return None if UNSEEN in one.info else one.observation

        try:
            return filled(action, observation)
        except NoMatch as error:
            raise Stuck(str(error)) from None


class BlindAgent(ReferenceAgent):
    """Takes the reference actions without seeing anything: its templates are filled with nothing.

    Where it succeeds, success does not depend on what the agent observes.
    """

    name = "blind"

    def fill(self, action: str, turns: Sequence[Turn]) -> str:
        """The action without its templates."""
        return emptied(action)


Act = Callable[[Sequence[Turn]], str | None]
"""The next action after these turns; `None`: it is done."""


class ModelAgent(Agent):
    """A policy of any kind.

    Args:
        begin: makes a function from turns to the next action; arguments as of `Agent.begin`.
        answer: what the action says to the person, if it is no action but the answer.
        end: called when the run is over.
    """

    def __init__(
        self,
        begin: Callable[[Task, Trajectory, str | None], Act],
        *,
        name: str = "model",
        answer: Callable[[str], str | None] = lambda action: None,
        end: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._begin, self._answer, self._end = begin, answer, end

    def begin(self, task: Task, start: Trajectory, first: str | None) -> None:
        """Makes the policy."""
        self._act = self._begin(task, start, first)

    def act(self, turns: Sequence[Turn]) -> Move:
        """Its next action, or its answer."""
        action = self._act(turns)
        if action is None:
            return None
        said = self._answer(action)
        return action if said is None else Answer(said)

    def end(self) -> None:
        """Lets go of what it holds."""
        self._end()


def acting(act: Act, name: str = "function") -> ModelAgent:
    """A plain function from turns to the next action, as an agent."""
    return ModelAgent(lambda task, start, first: act, name=name)


AGENTS: dict[str, Callable[[], Agent]] = {
    "null": NullAgent,
    "reference": ReferenceAgent,
    "blind": BlindAgent,
}
