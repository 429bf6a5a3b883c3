"""SWE-agent's editor and one lasting shell, with views of files.

As the terminal domain's dialect of that name; some versions end each observation with the open
file, the current directory and a prompt, and edit by text (``edit 'old' 'new'``).
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from worldline.domains.swe.dialects.form import Observed
from worldline.domains.swe.observations import pieces, render
from worldline.domains.swe.rows import row
from worldline.domains.terminal.dialects.aci import EDITOR, EditorForm
from worldline.domains.terminal.observations import Look, Result, unsaid
from worldline.trajectory import Trajectory

_ROWS = (row("file", "above", "below", "open", "directory", "prompt", "found", returns=True),)
_STATE = re.compile(
    r"(?:\A|\n)\(Open file: [^\n]{0,4000}\)\n\(Current directory: ([^\n]{0,4000})\)\n"
    r"[^\n]{0,80}\$\s*\Z"
)
TAIL = 9_000
"""Characters at the end in which the state is looked for."""


class Aci(EditorForm):
    """The dialect ``aci``."""

    observation = Observed

    def parse_observation(self, text: str) -> Any:
        """Heads of views, numbered lines, counts, the state below."""
        return Observed(pieces(text, _ROWS, (":",)))

    def render_observation(self, observation: Any) -> str:
        """The text again."""
        return render(observation.pieces)

    def detect(self, trajectory: Trajectory) -> float:
        """Views of files, the state below, and the words of the editor."""
        marks = 0
        for turn in trajectory.turns[:40]:
            word = turn.action.split(maxsplit=1)[:1]
            marks += bool(word) and word[0] in EDITOR and not turn.observation.startswith("<")
            marks += state(turn.observation) is not None
            marks += any(one.startswith("[File: ") for one in turn.observation.split("\n", 30))
        bare = all(
            not one.lstrip().startswith(("<", "{", "["))
            for turn in trajectory.turns[:12]
            for one in (turn.action, turn.observation)
        )  # a command line whose output stands as it is: no other harness shows it so
        least = 0.1 if trajectory.turns and bare else 0.0
        return max(0.95 * min(marks / 2, 1.0), super().detect(trajectory), least)

    def results(self, look: Look, action: str, observation: str) -> list[Result]:
        """What the command printed, without the state below."""
        match = _STATE.search(observation, max(len(observation) - TAIL, 0))
        if match is None:
            return [Result(unsaid(observation))]
        return [Result(unsaid(observation[: match.start()].replace("\r\n", "\n") + "\n"))]

    def look(self, look: Look, action: str, observation: str) -> Look:
        """How many lines a view shows; with a state below, the whole form is not certain."""
        match = _STATE.search(observation, max(len(observation) - TAIL, 0))
        if match is None:
            return super().look(look, action, observation)
        return msgspec.structs.replace(look, upset=True, prompt=match[0].removeprefix("\n"))

    def wrap(self, look: Look, action: str, results: Sequence[Result]) -> str | None:
        """The output is the observation, where no state stands below."""
        return None if look.upset else super().wrap(look, action, results)


def with_state(look: Look, output: str, directory: str) -> str | None:
    """Output with the state below it as it was last shown, if the directory is still that one."""
    if look.prompt is None or state(look.prompt) != directory:
        return None
    return output + look.prompt


def state(observation: str) -> str | None:
    """The current directory that an observation ends with, if it says so."""
    match = _STATE.search(observation, max(len(observation) - TAIL, 0))
    return match[1] if match else None
