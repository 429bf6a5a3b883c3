"""A command line as far as its text decides what will be run."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from worldline.domains.terminal.harness import BROKEN
from worldline.domains.terminal.observations import ALTERED, Result
from worldline.domains.terminal.session import Session, parsed
from worldline.domains.terminal.shell.bounds import Arg, GlobArg
from worldline.domains.terminal.shell.footprint import arguments
from worldline.domains.terminal.shell.grammar import Command, Script, literal, substitutions
from worldline.domains.terminal.shell.tables import TABLES

WIDTH = 78
"""Columns that any terminal has; a screen may break longer lines in two."""
_SHELL = re.compile(r"-?[\w./-]{0,80}sh(?:: line \d{1,6})?: ")
_VOICES = ("Try '", "Usage: ", "warning: ", "hint: ", "CommandExecError")
_CUT = ("truncated", "omitted", "elided", "[...")
"""How harnesses say, in any case, that they left something out."""
CUT = 300
"""Characters from which on an output without a line end may be one that a harness cut."""
_TAME = {
    "find",
    "sort",
    "awk",
    "sed",
    "ls",
    "git",
    "stat",
    "du",
    "df",
    *TABLES["reads"],
    *TABLES["plain"],
}
"""Programs whose complaints begin with their names, so that they are told from the output."""
_ERRORS = ("/dev/null", "&1")

Words = tuple[Arg, ...]
"""A command's words; `None` (or a `GlobArg`) where the text alone does not tell them."""


class Claim(NamedTuple):
    """What is impossible, and the line that shows it."""

    rule: str
    message: str
    line: str | None = None
    because: tuple[str, ...] = ()
    """Ids of the facts that it contradicts."""
    severity: Literal["error", "warning"] = "error"
    """``warning``: a name with a line end in it may look like this."""


class Asked(NamedTuple):
    """The one pipeline of a command line, and the lines that it printed."""

    commands: tuple[Words, ...]
    lines: tuple[str, ...]
    """Without complaints: what can only have come from the last command."""
    complaints: tuple[str, ...]
    whole: bool = True
    """False: a harness may have cut it, and the last line with it."""

    def after(self, place: int) -> tuple[Words, ...]:
        """The commands that get the output of the one at `place`."""
        return self.commands[place + 1 :]


def asked(session: Session, text: str, result: Result) -> Asked | None:
    """What was asked, if it is one pipeline whose whole output is shown as it was printed."""
    output = result.output or ""
    if session.altered or session.busy or BROKEN.match(output) or ALTERED.search(output):
        return None
    commands = pipeline(session, text)
    tame = commands is not None and all(one[0] in _TAME for one in commands[:-1])
    if commands is None or not tame or _cut(output.lower()):
        return None
    rows = output.rstrip("\n").split("\n") if output.strip("\n") else []
    if session.form.tty and any(len(row) >= WIDTH for row in rows):
        return None
    whole = session.harness.ours or len(output) < CUT or output[-1:] == "\n"
    rows = rows if whole else rows[:-1]
    names = tuple(f"{words[0]}: " for words in commands if words)
    told = [(row, complains(row, names)) for row in rows]
    complaints = tuple(row for row, complaint in told if complaint)
    lines = tuple(row for row, complaint in told if not complaint)
    return Asked(commands, lines, complaints, whole)


def _cut(output: str) -> bool:
    return any(sign in output for sign in _CUT)


def complains(row: str, names: tuple[str, ...]) -> bool:
    """Whether a line is what a shell or one of these programs says of a failure."""
    return (
        row.startswith(names)
        or row.startswith(_VOICES)
        or ("sh" in row and bool(_SHELL.match(row)))
        or "No such file or directory" in row
    )


def pipeline(session: Session, text: str) -> tuple[Words, ...] | None:
    """The words of the one pipeline that a text is, however it may have reached the shell."""
    found = {_commands(parsed(one.text or "(")) for one in session.harness.wraps(text)}
    return found.pop() if len(found) == 1 else None


def _commands(script: Script | None) -> tuple[Words, ...] | None:
    if script is None or not script.plain or len(script.pipelines) != 1:
        return None
    (only,) = script.pipelines
    if only.joint == "&" or only.negated or not all(map(_simple, only.commands)):
        return None
    if any(inner for command in only.commands for inner in substitutions(command)):
        return None
    return tuple(tuple(arguments(command)) for command in only.commands)


def _simple(command: Command) -> bool:
    """No assignments, and no redirection but of the error stream."""
    quiet = all(
        one.fd == 2 and (literal(one.target) or "") in (*_ERRORS, "1") for one in command.redirects
    )
    return bool(command.words) and not command.assigns and quiet


def plain(words: Sequence[Arg]) -> list[str] | None:
    """The words, if the text tells each of them."""
    found = [word for word in words if word is not None and not isinstance(word, GlobArg)]
    if any("\0" in word for word in found):  # stands for a name that is not known
        return None
    return found if len(found) == len(words) else None


def clusters(words: Sequence[str]) -> Iterator[str]:
    """Letters of short options."""
    for word in words:
        if word.startswith("-") and not word.startswith("--") and len(word) > 1:
            yield from word[1:]
