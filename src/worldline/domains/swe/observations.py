"""What a coding agent's tools give back: pieces of text by what they are, row by row.

An observation is a sequence of pieces joined by line ends, so that it renders back exactly:
numbered reads, rows with a meaning of their own (a path, an exit code, a count, a confirmation),
and plain output, line by line. Leaf text is in fields called ``text`` and ``lines``.
"""

import re
from collections.abc import Callable, Sequence

import msgspec

from worldline.domains.swe.rows import Row, render_row


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Lines of output."""

    lines: tuple[str, ...]


class Numbered(msgspec.Struct, frozen=True, tag="numbered"):
    """Lines of a file with their numbers, one after the other from `first`.

    `mark` stands between number and line; `width` is what numbers are padded to (0: not padded).
    """

    first: int
    mark: str
    width: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        """The last number."""
        return self.first + len(self.lines) - 1


class Entry(msgspec.Struct, frozen=True, tag="entry"):
    """One name in a listing of a directory, as ``[DIR] src``."""

    text: str
    folder: bool


class Hit(msgspec.Struct, frozen=True, tag="hit"):
    """One line that a search found, as ``L12: text``."""

    number: int
    text: str


Piece = Text | Numbered | Row | Entry | Hit
Pieces = tuple[Piece, ...]

Single = Row | Entry | Hit
Reader = Callable[[str], Single | None]
"""Reads a row that has a meaning of its own."""


def entry(text: str) -> Entry | None:
    """A directory in a listing."""
    return Entry(text[6:], True) if text.startswith("[DIR] ") else None


def hit(text: str) -> Hit | None:
    """A line that was found, with its number."""
    match = re.match(r"L([1-9][0-9]{0,8}): ", text)
    return Hit(int(match[1]), text[match.end() :]) if match else None


def render_single(piece: Single) -> str:
    """The row again."""
    if isinstance(piece, Entry):
        return f"[DIR] {piece.text}" if piece.folder else piece.text
    return f"L{piece.number}: {piece.text}" if isinstance(piece, Hit) else render_row(piece)


_NUMBER = re.compile(r"( {0,9})(0|[1-9][0-9]{0,8})(\t|→|\| ?|: ?)")


def pieces(text: str, readers: Sequence[Reader] = (), marks: Sequence[str] = ()) -> Pieces:
    """The pieces of a text: rows that a reader knows, runs of numbered rows, other lines."""
    found: list[Piece] = []
    loose: list[str] = []
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        block = _numbered(rows, at, marks) if marks else None
        one = block or next((got for read in readers if (got := read(rows[at]))), None)
        if one is None:
            loose.append(rows[at])
            at += 1
            continue
        if loose:
            found.append(Text(tuple(loose)))
            loose = []
        found.append(one)
        at += len(one.lines) if isinstance(one, Numbered) else 1
    if loose:
        found.append(Text(tuple(loose)))
    return tuple(found)


def _numbered(rows: list[str], at: int, marks: Sequence[str]) -> Numbered | None:
    match = _NUMBER.match(rows[at])
    if match is None:
        return None
    mark = next((one for one in marks if rows[at].startswith(one, match.end(2))), None)
    if mark is None:
        return None
    first, width = int(match[2]), match.end(2) if match[1] else 0
    lines: list[str] = []
    while at < len(rows):
        start = f"{first + len(lines):>{width}}{mark}"
        if not rows[at].startswith(start):
            break
        lines.append(rows[at][len(start) :])
        at += 1
    return Numbered(first, mark, width, tuple(lines)) if lines else None


def render(found: Sequence[Piece]) -> str:
    """The text again."""
    rows: list[str] = []
    for piece in found:
        if isinstance(piece, Text):
            rows += piece.lines
        elif isinstance(piece, Numbered):
            rows += [
                f"{n:>{piece.width}}{piece.mark}{line}"
                for n, line in enumerate(piece.lines, piece.first)
            ]
        else:
            rows.append(render_single(piece))
    return "\n".join(rows)


def numbered(content: str, mark: str, width: int) -> str:
    """A whole file with numbers, a row for what is behind its last line end too."""
    return render((Numbered(1, mark, width, tuple(content.split("\n"))),))


def first_row(found: Sequence[Piece], *kinds: str) -> Row | None:
    """The first row of one of these kinds."""
    return next((one for one in found if isinstance(one, Row) and one.kind in kinds), None)
