"""Qwen CLI and Gemini CLI, *from reference*: no recorded row has this dialect.

The shell answers with labelled fields (``Command:``, ``Directory:``, ``Output:`` ...); reads give a
file as it is, searches and listings a head line and a row for each find.
"""

import msgspec

from worldline.domains.swe.actions import Edit, Names, Read, Write
from worldline.domains.swe.dialects.form import Shown, Tools
from worldline.domains.swe.observations import Pieces, entry, first_row, hit, pieces, render
from worldline.domains.swe.rows import row
from worldline.domains.terminal.observations import Result

NAMES = Names(
    read="read_file",
    write="write_file",
    edit=("edit", "replace"),
    path=("absolute_path", "file_path", "path"),
    old="old_string",
    new="new_string",
    all="replace_all",
    inspects=frozenset(
        {"list_directory", "glob", "search_file_content", "read_many_files", "todo_write"}
        | {"web_fetch", "google_web_search", "web_search", "grep_search"}
    ),
    optional=frozenset({"description", "expected_replacements", "is_background"}),
)
LABELS = (
    "Command",
    "Directory",
    "Output",
    "Result",
    "Error",
    "Exit Code",
    "Signal",
    "Background PIDs",
    "Process Group PGID",
)
NONE = "(none)"
_ROWS = (
    row("listing", "searched", "searched_many", "globbed", "match_file", "rule"),
    row("overwrote", "made", "modified", "reminder", "reminded"),
    entry,
    hit,
)


class Label(msgspec.Struct, frozen=True):
    """One labelled field of a shell's answer."""

    name: str
    text: Pieces


class Answered(msgspec.Struct, frozen=True):
    """Labelled fields of the shell, or the pieces of another tool's answer."""

    labels: tuple[Label, ...]
    pieces: Pieces = ()


class QwenCli(Tools):
    """The dialect ``qwen-cli``."""

    id = "qwen-cli"
    observation = Answered
    recorded = False
    shell = "run_shell_command"
    names = NAMES

    def parse_observation(self, text: str) -> Answered:
        """Labelled fields, or rows."""
        labels = tuple(Label(name, pieces(told)) for name, told in parted(text))
        return Answered(labels) if labels else Answered((), pieces(text, _ROWS))

    def render_observation(self, observation: Answered) -> str:
        """The text again."""
        if not observation.labels:
            return render(observation.pieces)
        return "\n".join(f"{one.name}:{render(one.text)}" for one in observation.labels)

    def printed(self, observation: str) -> Result:
        """The output and the exit code; which stream it was on is not shown."""
        told = {
            one.name: render(one.text).strip() for one in self.parse_observation(observation).labels
        }
        code, output = told.get("Exit Code", ""), told.get("Output")
        if output is None or told.get("Error", NONE) != NONE:
            return Result(None)
        text = "" if output in ("(empty)", NONE) else f"{output}\n"
        return Result(text, int(code) if code.isdecimal() and len(code) < 4 else None)

    def print(self, result: Result) -> str | None:
        """The number of the process group is not known beforehand."""
        return None

    def shown(self, read: Read, observation: str) -> Shown | None:
        """Nothing certain: a failure looks like a file."""
        return None

    def confirmed(self, deed: Write | Edit, observation: str) -> bool | None:
        """By its words."""
        found = self.parse_observation(observation).pieces
        return True if first_row(found[:1], "overwrote", "made", "modified") is not None else None


def parted(text: str) -> tuple[tuple[str, str], ...]:
    """Names and texts of the fields in their order; none if a shell did not answer. Written as
    ``NAME:TEXT`` and joined by line ends they are the observation again.

    The output begins at the first row that says so, and the fields below it are looked for from the
    end, so that output may hold such rows too.
    """
    rows = text.split("\n") if text.startswith("Command: ") else []
    output = next((n for n, one in enumerate(rows) if one.startswith(("Output:", "Result:"))), None)
    if output is None:
        return ()
    at: dict[str, int] = {"Command": 0, rows[output].partition(":")[0]: output}
    directory = _last(rows, "Directory", 0, output)
    if directory is not None:
        at["Directory"] = directory
    end = len(rows)
    for name in reversed(LABELS[4:]):
        found = _last(rows, name, output, end)
        if found is not None:
            at[name], end = found, found
    starts = sorted(at.values())
    names = {start: name for name, start in at.items()}
    return tuple(
        (names[start], "\n".join(rows[start:stop])[len(names[start]) + 1 :])
        for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True)
    )


def _last(rows: list[str], name: str, after: int, end: int) -> int | None:
    mark = f"{name}:"
    return next((n for n in range(end - 1, after, -1) if rows[n].startswith(mark)), None)
