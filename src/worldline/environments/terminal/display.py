"""A terminal's screen, and what has scrolled off it: escape codes carried out, as text.

The emulator is pyte's; added are what it lacks: lines that scrolled off, which rows are one long
line that wrapped, the alternate screen, and a short cut for plain text.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any, NamedTuple

import pyte
import pyte.modes
from pyte.charsets import LAT1_MAP
from pyte.screens import Char, Margins, StaticDefaultDict

from worldline.environments.terminal.codes import Cells, Incoming, Stream, Tolerant, drawable

HISTORY = 20_000
"""Rows kept of what scrolled off."""
MOST = 32
"""Characters that one cell may hold: a letter and its accents."""

_ALTERNATE = frozenset({47, 1047, 1049})
_PLAIN = re.compile(r"[ -~\r\n]*")


class Row(NamedTuple):
    """A row. `wrapped`: the line goes on in the next one."""

    text: str
    wrapped: bool


class Display(pyte.Screen):
    """A screen of `columns` x `lines`; see `feed`, `rows`, `joined`."""

    def __init__(self, columns: int, lines: int) -> None:
        self.scrolled: deque[Row] = deque(maxlen=HISTORY)
        self.gone = 0
        """Rows that ever scrolled off the main screen."""
        self.alternate: tuple[Any, ...] | None = None
        self._drawing = False
        self._cells: dict[Char, Cells] = {}
        self._incoming = Incoming()
        super().__init__(columns, lines)
        self._stream = Stream(Tolerant(self))  # type: ignore[arg-type]
        self._replies = b""

    # in

    def feed(self, data: bytes) -> None:
        """Carry out what a program wrote. Undecodable bytes show as ``\\xNN``."""
        text = self._incoming.text(data)
        if text.count("\n") > self.lines + 2 and _PLAIN.fullmatch(text) and self._simple():
            text = self._skip(text)
        self._stream.feed(text)

    def _simple(self) -> bool:
        """Whether plain text just fills row after row."""
        usual = self._wraps() and pyte.modes.IRM not in self.mode and self._stream.plain
        return usual and self.margins is None and self.alternate is None

    def _skip(self, text: str) -> str:
        """Put what will scroll off at once where it ends up; returns what remains to be drawn."""
        head, mark, rest = text.partition("\n")
        lines = rest.split("\n")
        kept = self.lines + 1
        usual = mark and len(lines) > kept and head.endswith("\r")
        if not usual or any("\r" in line[:-1] or line[-1:] != "\r" for line in lines[:-1]):
            return text
        self._stream.feed(head + mark)
        if any(self.row(y).text for y in range(self.cursor.y, self.lines)):
            return rest
        for y in range(self.cursor.y):
            self._scroll_off(y)
        self.buffer.clear()
        for line in lines[:-kept]:
            self._keep(line[:-1])
        self.cursor.y = self.cursor.x = 0
        return "\n".join(lines[-kept:])

    def _keep(self, line: str) -> None:
        width = self.columns
        for at in range(0, max(len(line), 1), width):
            self.scrolled.append(Row(line[at : at + width], at + width < len(line)))
            self.gone += 1

    def replies(self) -> bytes:
        """What the terminal answers to programs that asked where the cursor is, or what it is."""
        found, self._replies = self._replies, b""
        return found

    def write_process_input(self, data: str) -> None:
        """Keep an answer for `replies`."""
        self._replies += data.encode()

    # what pyte does, and a note of it

    def draw(self, data: str) -> None:
        """Draw text; line feeds meanwhile are wraps."""
        end = self.cursor.x + len(data)
        if end <= self.columns and self._easy(data):
            cells = self._cells.setdefault(self.cursor.attrs, Cells(self.cursor.attrs))
            row = self.buffer[self.cursor.y]
            row.update(zip(range(self.cursor.x, end), map(cells.__getitem__, data), strict=True))
            self.cursor.x = end
            return
        self._drawing = True
        try:
            for piece in drawable(data):
                if piece.wide and self.cursor.x == self.columns - 1 and self._wraps():
                    self.cursor.x += 1  # half of it fits: it goes to the next row
                super().draw(piece.text)
                self._join(piece.marks)
        finally:
            self._drawing = False

    def _join(self, marks: str) -> None:
        """Put what takes no cell of its own to the character before it."""
        if marks and self.cursor.x:
            row, x = self.buffer[self.cursor.y], self.cursor.x - 1
            row[x] = row[x]._replace(data=(row[x].data + marks)[:MOST])

    def _easy(self, data: str) -> bool:
        """Whether every character of a text just takes the next cell."""
        usual = self.charset == 0 and self.g0_charset is LAT1_MAP
        plain = data.isascii() and data.isprintable()
        return usual and plain and pyte.modes.IRM not in self.mode

    def _wraps(self) -> bool:
        return pyte.modes.DECAWM in self.mode

    def linefeed(self) -> None:
        """Down a row."""
        row: Any = self.buffer[self.cursor.y]
        row.wrapped = self._drawing
        super().linefeed()

    def index(self) -> None:
        """Down a row; at the bottom the top row scrolls off."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        if self.cursor.y == bottom and top == 0 and self.alternate is None:
            self._scroll_off(0)
        super().index()

    def _scroll_off(self, y: int) -> None:
        self.scrolled.append(self.row(y))
        self.gone += 1

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:
        """Erase: nothing was written there."""
        row = self.buffer[self.cursor.y]
        x = self.cursor.x
        for at in [at for at in row if (at >= x, at <= x, True)[how if how in (0, 1) else 2]]:
            del row[at]
        if how != 1:
            row.wrapped = False  # type: ignore[attr-defined]
        self.dirty.add(self.cursor.y)

    def erase_in_display(self, how: int = 0, *args: Any, **kwargs: Any) -> None:
        """Erase; a screen erased as a whole scrolls off, as terminals that keep history do."""
        if how == 3:
            self.scrolled.clear()
            return
        if how == 2:
            self._clear()
            return
        y = self.cursor.y
        if how == 0 and y == self.cursor.x == 0:
            self._clear()
            return
        for other in range(y + 1, self.lines) if how == 0 else range(y):
            self.buffer.pop(other, None)
        self.erase_in_line(how)

    def _clear(self) -> None:
        if self.alternate is None:
            used = max((y for y in range(self.lines) if self.row(y).text), default=-1)
            for y in range(used + 1):
                self._scroll_off(y)
        self.buffer.clear()

    def delete_characters(self, count: int | None = None) -> None:
        """Take characters out; the rest of the row moves up, its blank end with it."""
        super().delete_characters(count)
        self.buffer[self.cursor.y].pop(self.columns - 1, None)

    def keep_cursor(self, *_: int) -> None:
        """As `save_cursor`."""
        self.save_cursor()

    def kept_cursor(self, *_: int) -> None:
        """As `restore_cursor`."""
        self.restore_cursor()

    def scroll_up(self, count: int | None = None) -> None:
        """Rows leave at the top of the margins."""
        self._scroll(count, self.delete_lines)

    def scroll_down(self, count: int | None = None) -> None:
        """Rows come in at the top of the margins."""
        self._scroll(count, self.insert_lines)

    def _scroll(self, count: int | None, move: Callable[[int | None], None]) -> None:
        at = self.cursor.y, self.cursor.x
        self.cursor.y = self.margins.top if self.margins else 0
        move(count)
        self.cursor.y, self.cursor.x = at

    def back_tab(self, count: int | None = None) -> None:
        """Left to a tab stop."""
        for _ in range(min(count or 1, self.columns)):
            stops = [stop for stop in self.tabstops if stop < self.cursor.x]
            self.cursor.x = max(stops, default=0)

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """Switch modes on; the alternate screen is one."""
        if kwargs.get("private") and _ALTERNATE & set(modes) and self.alternate is None:
            self.alternate = (dict(self.buffer), copy(self.cursor))
            self.buffer.clear()
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """Switch modes off; what the alternate screen covered is there again."""
        if kwargs.get("private") and _ALTERNATE & set(modes) and self.alternate is not None:
            buffer, self.cursor = self.alternate
            self.buffer.clear()
            self.buffer.update(buffer)
            self.alternate = None
        super().reset_mode(*modes, **kwargs)

    def reset(self) -> None:
        """As switched on."""
        super().reset()
        self.alternate = None

    # out

    def row(self, y: int) -> Row:
        """A row of the screen."""
        cells: StaticDefaultDict[int, Char] | None = self.buffer.get(y)
        wrapped = bool(getattr(cells, "wrapped", False))
        if not cells:
            return Row("", wrapped)
        return Row("".join([cells[x].data for x in range(max(cells) + 1)]), wrapped)

    def shown(self) -> list[Row]:
        """The rows of the screen, blank ones at the end included."""
        return [self.row(y) for y in range(self.lines)]

    @property
    def at(self) -> int:
        """Number of the row the cursor is in, counted from the first that ever scrolled off."""
        return self.gone + self.cursor.y

    def since(self, start: int) -> list[Row]:
        """Rows from number `start` on, blank ones at the end left out."""
        first = self.gone - len(self.scrolled)
        old = [self.scrolled[i] for i in range(max(start - first, 0), len(self.scrolled))]
        found = old + self.shown()[max(start - self.gone, 0) :]
        while found and not found[-1].text.strip():
            found.pop()
        return found

    def written(self) -> str:
        """Everything written so far as lines, as `joined_text`, down to the cursor."""
        shown = self.shown()
        low = max((y for y in range(self.lines) if shown[y].text), default=0)
        rows = [*self.scrolled, *shown[: max(low, self.cursor.y) + 1]]
        return joined_text(rows)


def screen_text(rows: Iterable[Row]) -> str:
    """Rows as displayed: one line each, blanks at their ends not shown."""
    return "\n".join(row.text.rstrip(" ") for row in rows)


def joined_text(rows: Iterable[Row]) -> str:
    """Lines as written: rows that wrapped are one, blanks at line ends where they were printed."""
    last = None
    parts: list[str] = []
    for row in rows:
        if last is not None:
            parts.append(last.text if last.wrapped else last.text + "\n")
        last = row
    return "".join(parts) + (last.text if last else "")
