"""A recording of a terminal without its keys: commands read off the screen, where they are certain.

A prompt is a line that stood waiting: one that looks as shells' prompts usually do, or, in a
session without any, the line that waited most often. What was completed behind it until the
cursor left the line is the command; what came until the next prompt is its output. Where a prompt
may stand behind output that did not end its line, or output was erased, the session is refused.
"""

import re
from collections import Counter
from typing import NamedTuple

from worldline.collect.importers.asciinema import Session, packed
from worldline.collect.importers.casts import Cast, Event
from worldline.collect.importers.played import Player
from worldline.domains.terminal.dialects.terminus2 import PROMPT
from worldline.environments.terminal.display import Display, Row, joined_text
from worldline.errors import DataError
from worldline.trajectory import Turn

REST_S = 0.1
"""So long a line must stand still to count as a prompt, if it does not look like a usual one."""

_WAITING = re.compile(r"[^\n]{0,120}[$#%>❯➜»λ]")
_ERASE = ("\x1b[2J", "\x1b[3J", "\x1bc", "\x1b[J")
_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[^\[])")
_ENTERED = re.compile(r"(?:\x1b\[\?2004[hl]\r?)*\r?\n")
_REMEDY = "Record it with its keys: asciinema rec --stdin."


def inferred(recorded: Cast) -> Session:
    """Turns of a recording without keys.

    Raises:
        DataError: no prompt waited twice, or a program used the whole screen or erased a command.
    """
    prompts = _prompts(recorded)
    reader = _Reader(recorded, prompts)
    for event, after in _followed(recorded.events):
        reader.read(event, after)
    if not reader.turns:
        raise DataError("no keys were recorded, and no command can be told apart", remedy=_REMEDY)
    left = [{"action": reader.command}] if reader.command else []
    meta = {"raw": packed(list(recorded.events)), "inferred": "commands were read off the screen"}
    return Session(dialect="command", turns=reader.turns, left=left, meta=meta)


def _prompts(recorded: Cast) -> frozenset[str]:
    """The lines that are prompts."""
    player = Player(recorded)
    waited: Counter[str] = Counter()
    usual: Counter[str] = Counter()
    last = -1
    for event, after in _followed(recorded.events):
        player.play(event)
        if player.whole_screen:
            raise DataError(
                "no keys were recorded, and a program used the whole screen", remedy=_REMEDY
            )
        line, at = _line(player.display), player.display.at
        if at == last or not line:
            continue
        if PROMPT.fullmatch(line):
            usual[line] += 1
            last = at
        elif _WAITING.fullmatch(line) and _rests(event, after):
            waited[line] += 1
            last = at
    found = usual or Counter(dict(waited.most_common(1)))
    if found.total() < 2:
        raise DataError("no keys were recorded, and no prompt can be told apart", remedy=_REMEDY)
    glued = {one for one in found for other in found if one != other and one.endswith(other)}
    return frozenset(found) - glued


def _followed(events: tuple[Event, ...]) -> list[tuple[Event, Event | None]]:
    """What changes the screen, each with what comes after it."""
    shown = [event for event in events if event.code in "or"]
    return list(zip(shown, [*shown[1:], None], strict=False))


def _rests(event: Event, after: Event | None) -> bool:
    return after is None or after.time - event.time >= REST_S


class _Open(NamedTuple):
    """A prompt that waits: the number of its row, the row's text, when it came."""

    row: int
    line: str
    time: float


class _Reader:
    """Reads commands and outputs while the recording plays."""

    def __init__(self, recorded: Cast, prompts: frozenset[str]) -> None:
        self.turns: list[Turn] = []
        self.command = ""
        self._prompts, self._player = prompts, Player(recorded)
        self._usual = all(PROMPT.fullmatch(one) for one in prompts)
        self._open: _Open | None = None
        self._end: int | None = None
        self._printed: list[str] = []

    def read(self, event: Event, after: Event | None) -> None:
        """One event more."""
        self._player.play(event)
        display = self._player.display
        if self._open is not None and self._end is None:
            self._complete(display, event)
            self._printed = [event.data.partition("\n")[2]]
        elif event.code == "o":
            self._printed.append(event.data)
        if self._open is not None and self._end is None:
            return
        line = _line(display)
        tail = self._tail(line, _rests(event, after))
        if tail is not None and (self._open is None or display.at > self._open.row):
            self._close(display, tail)
            self._open = _Open(display.at, line, event.time)
            self._end, self.command = None, ""

    def _tail(self, line: str, rests: bool) -> str | None:
        """What stands before the prompt in its line; `None`: it is no prompt."""
        if line in self._prompts:
            return ""
        behind = next((one for one in self._prompts if line.endswith(one)), None)
        if behind is None:
            return None
        if self._usual:
            return line.removesuffix(behind)
        if rests:
            raise DataError("a prompt may stand behind other text", remedy=_REMEDY)
        return None

    def _complete(self, display: Display, event: Event) -> None:
        """Read the line behind the prompt, until the cursor has left it."""
        assert self._open is not None
        rows = _rows(display, self._open.row)
        if not rows and self.command and _ENTERED.match(event.data):  # `clear`
            self._end = display.gone - len(display.scrolled)
            return
        if not rows:
            raise DataError("a command was erased before it could be read", remedy=_REMEDY)
        line = joined_text(rows)
        if not line.startswith(self._open.line):
            raise DataError("a prompt was written over", remedy=_REMEDY)
        self.command = line.removeprefix(self._open.line).strip()
        if display.at >= self._open.row + len(rows):
            self._end = self._open.row + len(rows)

    def _close(self, display: Display, tail: str) -> None:
        """The turn of the prompt before, now that another one waits."""
        if self._open is None or self._end is None or not self.command:
            return
        first = max(self._end, display.gone - len(display.scrolled))
        if first > self._end and self._erased():
            raise DataError("output was erased before the prompt came back", remedy=_REMEDY)
        rows = display.since(first)[: max(display.at - first, 0)]
        text = joined_text(rows) + ("\n" if rows and not rows[-1].wrapped else "") + tail
        command, seen = _told_apart(self.command, text)
        info = {"started_s": round(self._open.time, 3)}
        self.turns.append(Turn(action=command, observation=seen, info=info))

    def _erased(self) -> bool:
        """Whether anything was to be seen before the screen was erased."""
        printed = "".join(self._printed)
        before = printed[: max(printed.rfind(erase) for erase in _ERASE)]
        return bool(_CODES.sub("", before).strip())


def _line(display: Display) -> str:
    """The row of the cursor, up to the cursor, without blanks at its end."""
    row = display.shown()[display.cursor.y]
    return row.text[: display.cursor.x].rstrip()


def _rows(display: Display, start: int) -> list[Row]:
    """The rows of the line that begins in row number `start`; none if that is gone."""
    first = display.gone - len(display.scrolled)
    found: list[Row] = []
    for number in range(start, display.gone + display.lines):
        if number < first:
            return []
        old = number < display.gone
        row = display.scrolled[number - first] if old else display.shown()[number - display.gone]
        found.append(row)
        if not row.wrapped:
            break
    return found


def _told_apart(command: str, text: str) -> tuple[str, str]:
    """The command with the lines that continue it, and what came after."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines[0].startswith(">") and len(lines) > 1 and _unfinished(command):
        command += f"\n{lines.pop(0)[2:]}"
    return command, "\n".join(lines)


def _unfinished(command: str) -> bool:
    """Whether a shell would ask for more."""
    quotes = any(command.count(quote) % 2 for quote in "'\"`")
    return quotes or command.endswith("\\") or "<<" in command
