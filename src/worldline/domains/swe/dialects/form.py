"""What a dialect of the swe domain adds to its codec.

A `Tools` form knows the tools of one harness: what a call comes to, what its observation shows of a
file, and how the harness would show it. The shell among the tools works as in the terminal domain.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from worldline.domains.base import Dialect
from worldline.domains.swe.actions import (
    Edit,
    Names,
    Operation,
    Read,
    ToolCall,
    Write,
    operation,
    parse_call,
    render_call,
)
from worldline.domains.swe.observations import Pieces, render
from worldline.domains.terminal.actions import Call, Deed, Run
from worldline.domains.terminal.dialects.form import Form, parses, sample
from worldline.domains.terminal.observations import Look, Result
from worldline.trajectory import Trajectory


class Shown(msgspec.Struct, frozen=True):
    """What a read has shown: `lines` from `first`, of `total` in all if that is known.

    `ends`: the last line of the file has a line end (`None`: not known).
    """

    first: int
    lines: tuple[str, ...]
    total: int | None = None
    ends: bool | None = None

    @property
    def whole(self) -> bool:
        """Whether the whole file was shown."""
        return self.first == 1 and self.total == len(self.lines)


class Observed(msgspec.Struct, frozen=True):
    """An observation in pieces."""

    pieces: Pieces


class Tools(Form):
    """A harness whose agent calls tools, one of them a shell."""

    action = ToolCall
    observation = Observed
    recorded: ClassVar[bool] = True
    shell: ClassVar[str]
    names: ClassVar[Names]
    trims: ClassVar[bool] = False
    """What the shell prints is shown without the blanks at its end."""
    exact: ClassVar[bool] = True
    """An edit that is made changes what it says and nothing else."""

    def dialect(self) -> Dialect:
        """The dialect, marked where it was written from reference."""
        return msgspec.structs.replace(super().dialect(), recorded=self.recorded)

    def parse_action(self, text: str) -> ToolCall:
        """A tool call."""
        return parse_call(text)

    def render_action(self, action: ToolCall) -> str:
        """The text again."""
        return render_call(action)

    @abstractmethod
    def parse_observation(self, text: str) -> Any:
        """An observation in pieces."""

    def render_observation(self, observation: Any) -> str:
        """The text again."""
        return render(observation.pieces)

    def detect(self, trajectory: Trajectory) -> float:
        """Share of the first actions that call this harness's tools, with its names of things."""
        return 0.95 * sample(trajectory, lambda text: self._mine(text))

    def _mine(self, text: str) -> float:
        if not parses(self.parse_action, text):
            return 0.0
        call, names = self.parse_action(text), self.names
        if call.name == self.shell:
            return 0.9 if "command" in call.arguments else 0.0
        if call.name in (names.read, names.write, *names.edit):
            return float(bool(set(call.arguments) & set(names.path)))
        return 0.8 * (call.name in names.inspects)

    def deeds(self, action: str) -> list[Deed]:
        """One command line, or one call of another tool."""
        call = self.parse_action(action)
        command = call.arguments.get("command")
        if call.name == self.shell and isinstance(command, str):
            plain = set(call.arguments) <= {"command", "timeout", *self.names.optional}
            return [Run(command)] if plain else [Call("shell", call.arguments)]
        return [Call(call.name, call.arguments)]

    def operation(self, call: Call) -> Operation:
        """What a call of another tool comes to."""
        return operation(self.names, call)

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """What the shell printed; of other tools the whole answer."""
        if isinstance(self.deeds(action)[0], Run):
            return [self.printed(observation)]
        return [Result(observation)]

    def look(self, look: Look, action: str, observation: str) -> Look:
        """There is no layout to learn."""
        return look

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """What the shell printed as an observation; other answers are whole already."""
        if isinstance(self.deeds(action)[0], Run):
            return self.print(results[0])
        return results[0].output

    @abstractmethod
    def printed(self, observation: str) -> Result:
        """What a command printed, as far as the observation tells."""

    @abstractmethod
    def print(self, result: Result) -> str | None:
        """The observation of a command that printed this; `None` where that is not certain."""

    def shown(self, read: Read, observation: str) -> Shown | None:
        """What a read has shown of its file; `None` if nothing certain."""
        return None

    def show(self, read: Read, content: str) -> str | None:
        """The observation of a read of a whole file, where its form is certain."""
        return None

    def show_lines(self, first: int, lines: Sequence[str]) -> str | None:
        """The observation of a read of these lines of a longer file, where its form is certain."""
        return None

    def confirmed(self, deed: Write | Edit, observation: str) -> bool | None:
        """Whether a change was made; `None` if the observation does not tell."""
        return None

    def confirm(self, deed: Write | Edit, before: str) -> str | None:
        """The observation of a change that is made, in the form that `before` had for the same
        tool and file; `None` where it is not certain."""
        return None

    def refuse(self, deed: Edit, content: str) -> str | None:
        """The observation of an edit that a file with this content does not allow, if certain."""
        return None

    def replaced(self, deed: Edit, content: str) -> str | None:
        """The content after an edit, if it is certain: each old text stands there exactly once."""
        for old, new in deed.swaps:
            count = content.count(old) if old else 0
            if count == 0 or (count > 1 and not deed.all):
                return None
            content = content.replace(old, new)
        return content if deed.swaps else None
