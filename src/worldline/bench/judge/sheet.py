"""A sheet of predictions for a person to grade: CSV that any spreadsheet opens, and reads back.

Texts are untrusted. A cell that a spreadsheet might take for a formula, or for anything but text,
begins with an apostrophe; `text` undoes it. Long texts are cut, for spreadsheets cut them silently.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from worldline.columns import escape, unescape
from worldline.errors import DataError, cause
from worldline.jsonl import unwritable
from worldline.paths import parent_made
from worldline.verify.compare import DIMENSIONS

TEXTS = ("session", "history", "action", "truth", "prediction", "note")
COLUMNS = (
    "row",
    "session",
    "turn",
    "history",
    "action",
    "truth",
    "prediction",
    *DIMENSIONS,
    "note",
)
MOST = 30_000
"""Characters of a cell; a spreadsheet holds 32,767."""
_FORMULA = frozenset("=+-@|%'\uff1d\uff0b\uff0d\uff20")
_BLANKS = frozenset("\t\r\n")
_SCORE = re.compile(r"\s*([1-5])(?:[.,]0*)?\s*")


class Line(NamedTuple):
    """One prediction to be graded."""

    row: str
    """Its name, by which grades find it again in whatever order."""
    session: str
    turn: int
    history: str
    """The turns before, oldest first."""
    action: str
    truth: str
    prediction: str


class Grade(msgspec.Struct, frozen=True):
    """What a person said of one prediction."""

    scores: dict[str, int]
    note: str = ""


def cell(text: str) -> str:
    """A text as a cell: never a formula, valid Unicode, not too long."""
    if len(text) > MOST:
        text = f"{text[:MOST]}\n[... {len(text) - MOST:,} more characters; see the file]"
    return _plain(text)


def _plain(text: str) -> str:
    made = escape(text)
    return f"'{made}" if _acts(made) else made


def newest(text: str) -> str:
    """A history as a cell: where it is too long its oldest part goes, and it says so."""
    if len(text) > MOST:
        text = f"[... {len(text) - MOST:,} older characters; see the file]\n{text[-MOST:]}"
    return _plain(text)


def text(cell: str) -> str:
    """What a cell was made of; what a person typed, with an apostrophe or without, is kept."""
    return unescape(cell[1:] if cell.startswith("'") and _acts(cell[1:]) else cell)


def _acts(text: str) -> bool:
    """Whether a spreadsheet might take a text for more than text."""
    return text[:1] in _BLANKS or text.lstrip()[:1] in _FORMULA


def write(path: Path, lines: Iterable[Line]) -> int:
    """Write a sheet with empty grades; returns how many predictions it holds.

    Raises:
        DataError: it cannot be written.
    """
    made = io.StringIO()
    writer = csv.writer(made, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    count = 0
    for line in lines:
        count += 1
        texts = (cell(line.action), cell(line.truth), cell(line.prediction))
        empty = [""] * (len(DIMENSIONS) + 1)
        writer.writerow(
            [line.row, cell(line.session), line.turn, newest(line.history), *texts, *empty]
        )
    try:
        # With a byte order mark, or spreadsheets take it for another encoding.
        parent_made(path).write_bytes(made.getvalue().encode("utf-8-sig"))
    except OSError as error:
        raise unwritable(path, error) from error
    return count


def read(path: Path) -> dict[str, Grade | None]:
    """Name of a row -> its grade; `None` where it was left empty.

    Raises:
        DataError: it is no sheet, a grade is no whole number from 1 to 5 or stands alone, or a row
            comes twice; names line and column.
    """
    found: dict[str, Grade | None] = {}
    for number, told in _rows(path):
        name = told["row"].strip()
        if not name:
            if any(one.strip() for one in told.values()):
                raise DataError("is empty", file=path, line=number, field="row", remedy=_ROW)
            continue
        if name in found:
            raise DataError(f"has {name} again", file=path, line=number, field="row", remedy=_ROW)
        found[name] = _grade(told, path, number)
    return found


_ROW = "Leave this column as it was written; whole lines may be moved or deleted."


def _grade(told: dict[str, str], path: Path, number: int) -> Grade | None:
    filled = [name for name in DIMENSIONS if told[name].strip()]
    if not filled:
        return None
    scores: dict[str, int] = {}
    for name in DIMENSIONS:
        score = _SCORE.fullmatch(told[name])
        if score is None:
            given = told[name].strip()
            raise DataError(
                f"of row {told['row'].strip()} is "
                + (f"{given!r}" if given else "empty, and others are not"),
                file=path,
                line=number,
                field=name,
                remedy="Give a whole number from 1 to 5, in all five columns or in none.",
            )
        scores[name] = int(score[1])
    return Grade(scores, text(told["note"]))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a sheet with the number of the line of the file that each begins on."""
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({cause(error)})",
            file=path,
            remedy="Save the sheet as CSV in UTF-8.",
        ) from error
    head = content.partition("\n")[0]
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=_delimiter(head, path))
    csv.field_size_limit(max(csv.field_size_limit(), len(content)))
    start = 1
    try:
        names, start = [name.strip().lower() for name in next(reader)], reader.line_num + 1
        for cells in reader:
            given = dict(zip(names, cells, strict=False))
            yield start, {name: given.get(name, "") for name in COLUMNS}
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"is not CSV ({error})", file=path, line=start, remedy="Save the sheet as CSV."
        ) from error


def _delimiter(head: str, path: Path) -> str:
    """What stands between the columns: some spreadsheets write semicolons."""
    needed = {"row", *DIMENSIONS}
    for sign in ",;\t":
        names = {name.strip().strip('"').lower() for name in head.split(sign)}
        if needed <= names:
            return sign
    raise DataError(
        "is no sheet of predictions",
        file=path,
        line=1,
        remedy=f"Its first line must name the columns {', '.join(COLUMNS)}.",
    )
