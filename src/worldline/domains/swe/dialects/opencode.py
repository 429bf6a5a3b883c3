"""OpenCode: ``read`` gives tagged content with numbered lines, ``bash`` the plain output."""

from worldline.domains.swe.actions import Edit, Names, Read, Write
from worldline.domains.swe.dialects.form import Observed, Shown, Tools
from worldline.domains.swe.observations import Numbered, Text, first_row, pieces, render
from worldline.domains.swe.rows import Row, row
from worldline.domains.terminal.observations import Result, unsaid

NAMES = Names(
    read="read",
    write="write",
    edit=("edit",),
    path=("filePath",),
    old="oldString",
    new="newString",
    all="replaceAll",
    inspects=frozenset({"glob", "grep", "list", "todowrite", "todoread", "webfetch", "lsp"}),
    optional=frozenset({"description"}),
)
_ROWS = (
    row("path", "type", "content", "content_end", "entries", "entries_end", "total"),
    row("edited", "wrote", "reminder", "reminded"),
)
LINES = 2_000
"""Lines that a read shows whole."""
CHARS = 500
"""Characters of a line that are certainly shown whole."""
BYTES = 50_000


class OpenCode(Tools):
    """The dialect ``opencode``."""

    id = "opencode"
    shell = "bash"
    names = NAMES
    exact = False

    def parse_observation(self, text: str) -> Observed:
        """Tags, numbered lines, confirmations."""
        return Observed(pieces(text, _ROWS, (": ",)))

    def printed(self, observation: str) -> Result:
        """The output; whether it failed is not shown."""
        return Result(None if observation.startswith("<") else unsaid(observation))

    def print(self, result: Result) -> str | None:
        """The output of a command that succeeds and prints something."""
        output = result.output or ""
        return output if output.strip() and result.code == 0 and len(output) < 20_000 else None

    def shown(self, read: Read, observation: str) -> Shown | None:
        """The numbered lines; whole if the count below says so."""
        found = self.parse_observation(observation).pieces
        blocks = [one for one in found if isinstance(one, Numbered)]
        kind = first_row(found, "type")
        if len(blocks) != 1 or kind is None or kind.values != ("file",):
            return None
        if any(len(line) >= CHARS for line in blocks[0].lines):
            return None
        count = first_row(found[found.index(blocks[0]) + 1 :], "total")
        total = count.number if count is not None else None
        return Shown(blocks[0].first, blocks[0].lines, total)

    def show(self, read: Read, content: str) -> str | None:
        """The tags around the numbered lines, and their count."""
        rows = content.removesuffix("\n").split("\n")
        long = len(rows) > LINES or len(content) > BYTES or any(len(line) >= CHARS for line in rows)
        if long or not content.isascii() or not content:
            return None
        names = tuple(read.path.split("/"))
        head = (Row("path", (names,)), Row("type", ("file",)), Row("content"))
        tail = (Text(("",)), Row("total", (len(rows),)), Row("content_end"))
        return render((*head, Numbered(1, ": ", 0, tuple(rows)), *tail))

    def confirmed(self, deed: Write | Edit, observation: str) -> bool | None:
        """By its words."""
        done = observation.startswith(("Edit applied successfully.", "Wrote file successfully."))
        return True if done else None

    def replaced(self, deed: Edit, content: str) -> str | None:
        """A formatter may run over the file afterwards."""
        return None
