"""Text that every dialect has in common: command lines in pieces, output in lines, JSON in style.

All of them are loss-free: what `parse_...` gives renders back to the same text, also after a trip
through JSON.
"""

import json
import re
from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.terminal.shell.lexer import lex
from worldline.domains.terminal.shell.tokens import Kind


class Piece(msgspec.Struct, frozen=True):
    """One token of a command line, as written."""

    kind: Kind
    text: str


def pieces(text: str) -> tuple[Piece, ...]:
    """A command line in tokens."""
    return tuple(Piece(token.kind, token.text) for token in lex(text).tokens)


def joined(found: tuple[Piece, ...]) -> str:
    """The command line again."""
    return "".join(piece.text for piece in found)


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


class Json(msgspec.Struct, frozen=True):
    """A JSON value and the style it was written in."""

    value: Any
    spaced: bool = True
    ascii: bool = True
    before: str = ""
    after: str = ""


def parse_json(text: str) -> Json | None:
    """JSON text, if it can be written back exactly; else `None`."""
    body = text.strip(" \n\r\t")
    if not body or body[0] not in '[{"':
        return None
    start = text.index(body[0])
    before, after = text[:start], text[start + len(body) :]
    try:
        value = jsonl.loads(body)
    except (ValueError, RecursionError):
        return None
    for ascii in (True, False):
        for spaced in (True, False):
            found = Json(value, spaced, ascii, before, after)
            if render_json(found) == text:
                return found
    return None


def render_json(found: Json) -> str:
    """The JSON text again."""
    separators = (", ", ": ") if found.spaced else (",", ":")
    text = json.dumps(found.value, ensure_ascii=found.ascii, separators=separators)
    return f"{found.before}{text}{found.after}"
