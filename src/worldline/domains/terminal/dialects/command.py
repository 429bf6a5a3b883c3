"""Plain commands, plain output: an action is a command line, an observation what it printed."""

from collections.abc import Sequence

import msgspec

from worldline.domains.terminal.actions import Deed, Piece, Run, joined, pieces
from worldline.domains.terminal.dialects.form import Form
from worldline.domains.terminal.observations import (
    Look,
    OutputLine,
    Result,
    parse_line,
    render_line,
    said_silence,
    unsaid,
)
from worldline.trajectory import Trajectory


class CommandLine(msgspec.Struct, frozen=True):
    """A command line in tokens."""

    pieces: tuple[Piece, ...]


class Output(msgspec.Struct, frozen=True):
    """What was printed, line by line; a last empty line stands for a line end at the end."""

    lines: tuple[OutputLine, ...]


def parse_output(text: str) -> Output:
    """Output in lines."""
    return Output(tuple(parse_line(line) for line in text.split("\n")))


def render_output(output: Output) -> str:
    """The output again."""
    return "\n".join(render_line(line) for line in output.lines)


class CommandForm(Form):
    """The dialect ``command``."""

    id = "command"
    action = CommandLine
    observation = Output

    def parse_action(self, text: str) -> CommandLine:
        """Any text is a command line."""
        return CommandLine(pieces(text))

    def render_action(self, action: CommandLine) -> str:
        """The text again."""
        return joined(action.pieces)

    def parse_observation(self, text: str) -> Output:
        """Lines."""
        return parse_output(text)

    def render_observation(self, observation: Output) -> str:
        """The text again."""
        return render_output(observation)

    def detect(self, trajectory: Trajectory) -> float:
        """What is nothing else is commands."""
        return 0.3

    def deeds(self, action: str) -> list[Deed]:
        """One command line."""
        return [Run(action)]

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """The observation is its output."""
        return [Result(unsaid(observation))]

    def look(self, look: Look, action: str, observation: str) -> Look:
        """How it looks when nothing was printed."""
        return said_silence(look, observation)

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The output is the observation; of nothing, what the harness says then."""
        output = results[0].output
        return look.silent if output == "" else output
