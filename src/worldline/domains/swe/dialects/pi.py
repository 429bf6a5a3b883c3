"""Pi: ``read`` gives a file as it is, ``edit`` counts blocks, ``bash`` says what it exited with."""

import re

from worldline.domains.swe.actions import Edit, Names, Read, Write
from worldline.domains.swe.dialects.form import Observed, Shown, Tools
from worldline.domains.swe.observations import first_row, pieces
from worldline.domains.swe.rows import row
from worldline.domains.terminal.observations import Result

NAMES = Names(
    read="read",
    write="write",
    edit=("edit",),
    path=("path",),
    old="oldText",
    new="newText",
    all="",
    inspects=frozenset({"grep", "find", "ls"}),
)
_ROWS = (row("exited", "silent", "replaced"),)
_EXITED = re.compile(r"\n\nCommand exited with code (\d{1,3})\Z")
_FAILED = re.compile(r"E[A-Z]{3,12}: ")
"""How a read says that it failed, in the words of the system."""
LINES, BYTES = 2_000, 50_000
"""What a read shows whole."""


class Pi(Tools):
    """The dialect ``pi``."""

    id = "pi"
    shell = "bash"
    names = NAMES

    def parse_observation(self, text: str) -> Observed:
        """Lines, exit codes, confirmations."""
        return Observed(pieces(text, _ROWS))

    def printed(self, observation: str) -> Result:
        """The output and the exit code."""
        match = _EXITED.search(observation[-60:])
        text = observation[: -len(match[0])] if match else observation
        return Result("" if text == "(no output)" else text, int(match[1]) if match else 0)

    def print(self, result: Result) -> str | None:
        """The output; nothing has its own words, a failure its exit code below."""
        output = result.output
        if output is None or result.code is None or len(output) > BYTES // 2:
            return None
        if result.code:
            return f"{output}\n\nCommand exited with code {result.code}" if output else None
        return output or "(no output)"

    def shown(self, read: Read, observation: str) -> Shown | None:
        """The text of a file that was asked for whole and is short enough to be shown so."""
        if _FAILED.match(observation):
            return None
        rows = observation.split("\n")
        cut = re.search(r"\n\n\[[^\n]{1,200}\]\Z", observation[-300:])
        if not read.whole or cut or len(rows) > LINES or len(observation) > BYTES // 2:
            return None
        ends = rows[-1] == ""
        lines = tuple(rows[:-1] if ends else rows)
        return Shown(1, lines, len(lines), ends)

    def show(self, read: Read, content: str) -> str | None:
        """The text."""
        short = content.count("\n") < LINES and len(content) < BYTES // 2
        return content if short and content.strip() else None

    def confirmed(self, deed: Write | Edit, observation: str) -> bool | None:
        """By its words."""
        found = self.parse_observation(observation).pieces
        return True if first_row(found[:1], "replaced") is not None else None

    def confirm(self, deed: Write | Edit, before: str) -> str | None:
        """How many blocks, in which file."""
        if not isinstance(deed, Edit) or self.confirmed(deed, before) is not True:
            return None
        return f"Successfully replaced {len(deed.swaps)} block(s) in {deed.path}."

    def replaced(self, deed: Edit, content: str) -> str | None:
        """Every old text is looked for in the file as it was."""
        if any(content.count(old) != 1 for old, _ in deed.swaps if old):
            return None
        return super().replaced(deed, content)
