"""What a terminal shows: lines of output, the results of deeds, and how both are laid out."""

import re

import msgspec

CUT_BYTES = 10_000
"""UTF-8 bytes that a collected observation of this domain has at most, unless its recording says
otherwise; what lies between head and tail of longer output is left out, and a line says so."""


def omission(count: int) -> str:
    """The line that stands for `count` bytes left out of long output."""
    return f"[... {count:,} bytes left out ...]"


ALTERED = re.compile(r"\[\.\.\. [\d,]{1,20} bytes left out \.\.\.\]|\\x[0-9a-f]{2}")
"""In a collected observation: perhaps not the bytes themselves (cut, or not UTF-8)."""


class Line(msgspec.Struct, frozen=True, tag="line"):
    """A line of output."""

    text: str


class Complaint(msgspec.Struct, frozen=True, tag="error"):
    """A line in which a program says what went wrong: ``program: about: reason``."""

    program: str
    about: str | None
    reason: str


OutputLine = Line | Complaint

_COMPLAINT = re.compile(
    r"([\w./+\[-]{1,80}): (?:(.*): )?"
    r"(No such file or directory|Permission denied|command not found|Is a directory|Not a directory"
    r"|File exists|Directory not empty|Read-only file system|No space left on device"
    r"|Operation not permitted|Device or resource busy|Invalid argument|Argument list too long)"
)


def parse_line(text: str) -> OutputLine:
    """One line of output."""
    match = _COMPLAINT.fullmatch(text)
    return Complaint(match[1], match[2], match[3]) if match else Line(text)


def render_line(line: OutputLine) -> str:
    """The line again."""
    if isinstance(line, Line):
        return line.text
    about = "" if line.about is None else f"{line.about}: "
    return f"{line.program}: {about}{line.reason}"


SILENT = (
    "Your command ran successfully and did not produce any output.",
    "(Bash completed with no output)",
    "Tool ran without output",
    "(no output)",
)
"""How harnesses say that a command printed nothing."""


def unsaid(text: str) -> str:
    """What was printed: nothing, where a harness says that it was nothing."""
    return "" if len(text) < 100 and text.strip() in SILENT else text


class Result(msgspec.Struct, frozen=True):
    """What came of a deed. `output` is `None` where the observation does not show it apart."""

    output: str | None
    code: int | None = None
    prompt: str | None = None
    """The prompt that waits afterwards, where a screen shows it and it is known."""


class Look(msgspec.Struct, frozen=True):
    """How this session's observations are laid out, as learnt from them."""

    keys: tuple[str, ...] | None = None
    """Fields of a JSON result, in order."""
    spaced: bool = True
    ascii: bool = True
    title: str | None = None
    """First line of a screen."""
    prompt: str | None = None
    """Prompt of the shell that waits, with the current directory in it."""
    shell: str | None = None
    """The part of its prompts that stays the same, as ``root@box``."""
    window: int = 0
    """Lines that an editor's view is known to show at least."""
    silent: str = ""
    """The observation of a command that printed nothing."""
    upset: bool = False
    """The last observation had something extra, so that the next one may too."""


def said_silence(look: Look, observation: str) -> Look:
    """How it looks when nothing was printed, where this observation shows it."""
    quiet = observation != "" and unsaid(observation) == ""
    return msgspec.structs.replace(look, silent=observation) if quiet else look
