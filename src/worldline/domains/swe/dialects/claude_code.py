"""Claude Code: ``Read`` numbers lines (``12`` tab, or padded with ``→``), ``Edit`` confirms, and
``Bash`` gives the plain output, behind ``Exit code N`` where it failed.
"""

import re
from collections.abc import Sequence

from worldline.domains.swe.actions import Edit, Names, Read, Write
from worldline.domains.swe.dialects.form import Observed, Shown, Tools
from worldline.domains.swe.observations import Numbered, first_row, numbered, pieces, render
from worldline.domains.swe.rows import Row, row
from worldline.domains.terminal.observations import Result, unsaid

NAMES = Names(
    read="Read",
    write="Write",
    edit=("Edit", "MultiEdit"),
    path=("file_path",),
    old="old_string",
    new="new_string",
    all="replace_all",
    inspects=frozenset(
        {"Glob", "Grep", "LS", "TodoWrite", "TodoRead", "NotebookRead", "WebFetch", "WebSearch"}
    ),
    optional=frozenset({"description"}),
)
DONE = ("updated", "updated_well", "updated_now", "updated_snippet", "created")
_ROWS = (
    row(*DONE),
    row("failed", "fails", "failed_end", "reminder", "reminded", "exit"),
)
_QUOTES = str.maketrans("‘’“”", "''\"\"")
CHARS = 30_000
"""Characters that a read, and the shell, surely show whole."""
_CUT = re.compile(r"(?m)^\.\.\. \[\d{1,9} lines truncated\] \.\.\.$")
LINES = 2_000
"""Lines, and characters of a line, that a read shows whole."""


class ClaudeCode(Tools):
    """The dialect ``claude-code``."""

    id = "claude-code"
    shell = "Bash"
    names = NAMES
    trims = True

    def parse_observation(self, text: str) -> Observed:
        """Numbered lines, confirmations, failures, exit codes, reminders."""
        return Observed(pieces(text, _ROWS, ("\t", "→")))

    def printed(self, observation: str) -> Result:
        """The output; its last line end is not shown, so its end is as good as unknown."""
        if re.match(r"<(?:tool_use_error|system-reminder)>", observation):
            return Result(None)
        if len(observation) >= CHARS and _CUT.search(observation):
            return Result(None)
        match = re.match(r"Exit code (\d{1,3})(?:\n|\Z)", observation)
        if match:
            return Result(unsaid(observation[match.end() :]), int(match[1]))
        return Result(unsaid(observation), 0)

    def print(self, result: Result) -> str | None:
        """The output without the blanks at its end; of nothing and of failures the form varies."""
        output = (result.output or "").rstrip()
        if not output or result.code != 0 or len(output) >= CHARS:
            return None
        return output if output[0] != "<" and output.partition("\n")[0].strip() else None

    def shown(self, read: Read, observation: str) -> Shown | None:
        """The numbered lines, if nothing but reminders stands around them."""
        found = self.parse_observation(observation).pieces
        block = found[0] if found else None
        if not isinstance(block, Numbered) or block.first != (read.first or 1):
            return None
        if any(isinstance(one, Numbered) for one in found[1:]):
            return None
        if found[1:] and first_row(found[1:], "reminder") is None:
            return None
        if len(block.lines) >= LINES or any(len(line) >= LINES for line in block.lines):
            return None
        ends = not block.lines[-1]
        lines = block.lines[:-1] if ends else block.lines
        total = block.first + len(lines) - 1 if read.count is None else None
        return Shown(block.first, lines, total, ends if total is not None else None)

    def show(self, read: Read, content: str) -> str | None:
        """The numbered lines in the newer form."""
        rows = content.split("\n")
        short = len(rows) < LINES and all(len(line) < 500 for line in rows)
        return numbered(content, "\t", 0) if content.strip() and short else None

    def show_lines(self, first: int, lines: Sequence[str]) -> str | None:
        """The numbered lines in the newer form."""
        text = render((Numbered(first, "\t", 0, tuple(lines)),))
        short = all(len(line) < 500 for line in lines) and len(text) < CHARS
        return text if short and any(line.strip() for line in lines) else None

    def confirmed(self, deed: Write | Edit, observation: str) -> bool | None:
        """By its words."""
        found = self.parse_observation(observation).pieces
        if first_row(found, *DONE) is not None:
            return True
        failed = bool(found) and isinstance(found[0], Row) and found[0].kind in ("failed", "fails")
        return False if failed else None

    def confirm(self, deed: Write | Edit, before: str) -> str | None:
        """The words of last time, where they show nothing of the file."""
        found = self.parse_observation(before).pieces
        alone = len(found) == 1 and first_row(found, "updated", "updated_well", "updated_now")
        return before if alone and isinstance(deed, Edit) else None

    def refuse(self, deed: Edit, content: str) -> str | None:
        """A text that is not there, however quotes and blanks are read."""
        if len(deed.swaps) != 1 or not deed.swaps[0][0].strip():
            return None
        old, new = deed.swaps[0]
        if old == new or _loose(old) in _loose(content) or "<" in old:
            return None
        return (
            f"<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>"
        )

    def replaced(self, deed: Edit, content: str) -> str | None:
        """Blanks at the ends of new lines may be taken off; nothing may take a line end with it."""
        for _, new in deed.swaps:
            if not new or any(line != line.rstrip() for line in new.split("\n")):
                return None
        return super().replaced(deed, content)


def _loose(text: str) -> str:
    return "".join(text.translate(_QUOTES).split())
