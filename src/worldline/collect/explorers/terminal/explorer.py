"""The terminal's explorer: one episode of purposeful shell work, in either dialect."""

import random
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from worldline.collect.explorers.base import Explorer, Family, Move
from worldline.collect.explorers.terminal import talk
from worldline.collect.explorers.terminal.acts import (
    Act,
    Script,
    Seen,
    batch,
    seen_on_screen,
    written,
)
from worldline.collect.explorers.terminal.desk import Desk
from worldline.collect.explorers.terminal.families import KINDS, play
from worldline.collect.explorers.terminal.phrases import goal
from worldline.environments.base import Opening
from worldline.prediction import StepResult

SIZES = ((160, 40), (160, 40), (160, 40), (120, 40), (100, 30), (80, 24))
SCREENS = 0.44
"""Share of keystrokes among families that can do both; with the others, half of all turns."""
HOLD = 0.65
"""How often a plain command that prints nothing goes together with the next one."""
_SILENT = re.compile(
    r"(?:cat >>? ?\S+ <<|(?:mkdir|cp|mv) (?!-v)|export |cd |sed -i|sort -o|\w+=\S*$|chmod )"
    r"|(?:echo|printf) [^|&]{1,400}>>? ?\S+$"
)


class TerminalExplorer(Explorer):
    """Does shell work of a family: reads first, acts on what it saw, checks, meets errors."""

    domain: ClassVar[str] = "terminal"
    families: ClassVar[Mapping[str, Family]] = {
        name: Family(kind.weight, kind.held_out) for name, kind in KINDS.items()
    }

    def __init__(self, family: str, rng: random.Random) -> None:
        super().__init__(family, rng)
        kind = KINDS[family]
        self.dialect = "terminus2" if kind.screen or rng.random() < SCREENS else "command"
        self.fixture = rng.choice(kind.fixtures)
        self.screen = dict(zip(("width", "height"), rng.choice(SIZES), strict=True))
        self.talks = self.dialect == "terminus2" and rng.random() < 0.5
        self.desk = Desk(rng, screen=self.dialect == "terminus2")
        self.task = self._goal = ""
        self._script: Script | None = None
        self._act: Act | None = None
        self._lines: list[str] = []
        self._outputs: list[str] = []
        self._held: str | None = None
        self._last: Seen | None = None
        self._over = False

    def options(self) -> dict[str, Any]:
        """The dialect, what the home holds and the size of the screen."""
        return {"dialect": self.dialect, "fixture": self.fixture, **self.screen}

    def begin(self, opening: Opening) -> None:
        """The episode starts; a goal is set from what is known, which is nothing but the family."""
        self._goal = goal(self.desk, KINDS[self.family].phrases)
        self.task = self._goal[0].upper() + self._goal[1:] + "."
        self._script = play(self.desk, self.family)

    def act(self, last: StepResult | None) -> Move | None:
        """The next move."""
        if self._script is None or self._over or (last is not None and last.observation is None):
            return None
        if last is not None and self._act is not None:
            self._look(last)
        while not self._lines:
            act = self._next()
            if act is None:
                return self._end()
            self._act, self._lines, self._outputs = act, list(self._split(act)), []
            if not self._lines:  # it goes with the next one
                self._last = Seen(("",), "")
        assert self._act is not None
        return self._move(self._act)

    def _next(self) -> Act | None:
        assert self._script is not None
        try:
            if self._act is None:
                return next(self._script)
            assert self._last is not None
            return self._script.send(self._last)
        except StopIteration:
            return None

    def _split(self, act: Act) -> tuple[str, ...]:
        """What is sent one by one: on a screen the whole batch, else each line (or some joined)."""
        if self.desk.screen:
            return ("",)
        lines, held = [], self._held
        for line in act.lines:
            joined = held is not None
            if held is not None:
                mark = "\n" if "\n" in held else self.rng.choice((" && ", " && ", "; ", "\n"))
                line, held = f"{held}{mark}{line}", None
            if not joined and _SILENT.match(line) and ";" not in line and self.rng.random() < HOLD:
                held = line
            else:
                lines.append(line)
        self._held = held
        return tuple(lines)

    def _move(self, act: Act) -> Move:
        line = self._lines.pop(0)
        intent = act.intent or self.desk.memo.get("move", self.family)
        if not self.desk.screen:
            return Move(line, intent, act.limit)
        entries = batch(act)
        said = talk.said(self.desk, self._goal, act, self._last) if self.talks else None
        pauses = sum(entry["duration"] for entry in entries)
        return Move(written(entries, said), intent, act.limit + pauses)

    def _look(self, last: StepResult) -> None:
        assert self._act is not None and last.observation is not None
        if self.desk.screen:
            self._last = seen_on_screen(self._act, last.observation, last.outcome)
        else:
            self._outputs.append(last.observation)
            ready = last.outcome == "ok"
            self._last = Seen(tuple(self._outputs), last.observation, last.outcome, ready)
        self.desk.last = self._last

    def _end(self) -> Move | None:
        self._over = True
        if self._held is not None:
            return Move(self._held, self.family, 4.0)
        if not self.desk.screen or self.rng.random() < 0.4:
            return None
        said = {**talk.finished(self.desk, self._goal), "task_complete": True}
        return Move(written([], said if self.talks else None), "finish", 4.0)
