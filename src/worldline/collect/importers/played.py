"""A recording of a terminal with its keys, played into an emulator: keys and screens as turns."""

import json
import re

from worldline.collect.importers.asciinema import Session, packed
from worldline.collect.importers.casts import Cast, Event
from worldline.domains.terminal.dialects.terminus2 import TITLES
from worldline.environments.terminal.display import Display, screen_text
from worldline.trajectory import Turn

PAUSE_S = 1.0
"""Keys after a pause in which something was shown are a new action."""
_ALTERNATE = re.compile(r"\x1b\[\?(?:[0-9;]*;)?(?:47|1047|1049)(?:;[0-9;]*)?h")
_ENDS = "\r\n\x03\x04\x1a\x1c"
_REPORT = re.compile(
    r"(?:\x1b\[[0-9;>?]*[Rcnuy]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\)+"
)
"""What a terminal answers by itself, when a program asks."""


class Player:
    """The emulator, and which row it was at."""

    def __init__(self, recorded: Cast) -> None:
        self.display = Display(*recorded.size)
        self.whole_screen = False

    def play(self, event: Event) -> None:
        """Carry out one event."""
        if event.code == "o":
            self.display.feed(event.data.encode("utf-8", "surrogatepass"))
            whole = self.display.alternate is not None or _ALTERNATE.search(event.data)
            self.whole_screen = self.whole_screen or bool(whole)
        elif event.code == "r" and (size := event.size):
            self.display.resize(size.lines, size.columns)

    def screen(self) -> str:
        """The screen as it stands, blank rows at its end left out."""
        rows = self.display.shown()
        while rows and not rows[-1].text.strip():
            rows.pop()
        return f"{TITLES[1]}\n{screen_text(rows)}\n"


def typed(recorded: Cast) -> Session:
    """Turns of a recording with keys."""
    player, batch = Player(recorded), _Batch()
    turns: list[Turn] = []
    first: str | None = None
    for event in recorded.events:
        if event.code == "i" and not _REPORT.fullmatch(event.data):
            if not batch.keys:
                first = player.screen() if first is None else first
                batch.begin(player)
            elif batch.over(event, player):
                turns.append(batch.turn(event.time, player))
                batch = _Batch()
                batch.begin(player)
            batch.keys.append(event)
        else:
            player.play(event)
            batch.shown.append(event)
    end = recorded.events[-1].time if recorded.events else 0.0
    left = []
    if batch.keys and any(event.code == "o" for event in batch.since_last()):
        turns.append(batch.turn(end, player))
    elif batch.keys:
        left.append({"action": batch.action(end)})
    return Session(dialect="terminus2", turns=turns, first=first, left=left)


class _Batch:
    """Keys typed one after the other, and what was shown meanwhile and after."""

    def __init__(self) -> None:
        self.keys: list[Event] = []
        self.shown: list[Event] = []
        self.start, self.alternate = 0, False

    def begin(self, player: Player) -> None:
        """From here on."""
        self.start = player.display.at
        self.alternate = player.display.alternate is not None
        self.shown = []

    def since_last(self) -> list[Event]:
        """What was shown after the last key."""
        return [event for event in self.shown if event.time >= self.keys[-1].time]

    def over(self, key: Event, player: Player) -> bool:
        """Whether `key` begins a new action."""
        last = self.keys[-1]
        if last.data[-1:] in _ENDS:
            return True
        output = "".join(event.data for event in self.since_last() if event.code == "o")
        more = "\n" in output or player.display.alternate is not None
        return more and key.time - last.time >= PAUSE_S

    def action(self, end: float) -> str:
        """The keys as a batch of one entry."""
        keys = "".join(event.data for event in self.keys).replace("\r", "\n")
        wait = round(max(end - self.keys[-1].time, 0.0), 3)
        return json.dumps([{"keystrokes": keys, "duration": wait}], ensure_ascii=False)

    def turn(self, end: float, player: Player) -> Turn:
        """The turn, as it ended at `end`."""
        whole = self.alternate or player.display.alternate is not None
        new = screen_text(player.display.since(self.start))
        seen = player.screen() if whole else f"{TITLES[0]}\n\n{new}\n"
        info = {
            "raw": packed(self.shown),
            "started_s": round(self.keys[0].time, 3),
            "duration_s": round(max(end - self.keys[0].time, 0.0), 3),
        }
        marks = [event.data for event in self.shown if event.code == "m"]
        return Turn(
            action=self.action(end),
            observation=seen,
            info=info | ({"markers": marks} if marks else {}),
        )
