"""The dialect ``terminus2``: keystrokes typed into an interactive bash, and what is new on screen.

An entry of a batch is waited for as long as it says, and no longer than it takes: when the shell is
back at its prompt, or a program waits for keys, nothing more can come. A program that computes is
given a little longer, so that what a session shows does not hang on how busy the machine is.
"""

import base64
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from subprocess import Popen
from typing import Any, Literal

from worldline.domains.base import ActionError
from worldline.domains.terminal.dialects.terminus2 import PROMPT, TITLES, Strokes, TerminusForm
from worldline.environments.base import Observed, Status
from worldline.environments.sandbox import Sandbox
from worldline.environments.terminal.display import Display, Row, joined_text, screen_text
from worldline.environments.terminal.keys import keystrokes
from worldline.environments.terminal.options import Options
from worldline.environments.terminal.text import RAW_LIMIT, cut
from worldline.environments.terminal.tty import TERM, Tty
from worldline.environments.terminal.waiting import Activity, activity, edits, family

START_S = 20.0
GRACE_S = 2.0
"""How long a program that computes is waited for at least, whatever the entry says."""
TICK_S = 0.001
CALM = 3
"""Looks in a row, nothing coming between, that must find the same."""
IDLE = 20
"""The same for programs that compute nothing and wait for no keys."""
BATCH = 1 << 18
"""Bytes shown at a time, while they come without a pause."""
ECHO_S = 0.05
"""How long typed keys may take to show an effect."""
ASK = "Is the task done? Send an empty list once more to say so; anything else goes on."
DONE = "The session is over."

ORDER: tuple[Literal["keys", "busy", "clock"], ...] = ("keys", "busy", "clock")
"""What counts most in a group of processes."""
State = Literal["prompt", "keys", "clock", "busy", "idle", "ended"]


class TypedShell:
    """A session of the dialect ``terminus2``."""

    def __init__(self, box: Sandbox, options: Options) -> None:
        self.box, self.options = box, options
        self.form = TerminusForm()
        self.tty: Tty | None = None
        self.display = Display(options.width, options.height)
        self._raw = bytearray()
        self._pending = bytearray()
        self._before: list[Row] = []
        self._base = 0
        self._asked = False

    def start(self) -> None:
        """A new shell at its prompt.

        Raises:
            RuntimeError: it did not come up.
        """
        self.display = Display(self.options.width, self.options.height)
        size = self.options.width, self.options.height
        self.tty = Tty(self._popen, *size, owner=self.box.owner)
        until = time.monotonic() + START_S
        while not self._row().strip() or self._wait(0.1, until) != "prompt":
            self._take(TICK_S)
            if time.monotonic() > until or self.tty.ended:
                raise RuntimeError(f"the shell did not start: {screen_text(self._shown())[-500:]}")
        self._captured()

    def _popen(self, stdin: int, out: int) -> Popen[bytes]:
        env = {"TERM": TERM}
        return self.box.popen(["bash"], env=env, stdin=stdin, stdout=out, stderr=out, tty=True)

    def close(self) -> None:
        """End the shell and all that it started."""
        tty, self.tty = self.tty, None
        if tty is not None:
            if not tty.ended:
                for pid in reversed(family(tty.process.pid)):
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
            tty.process.wait()
            tty.close()

    @property
    def leader(self) -> int:
        """Process id of the shell."""
        return self.tty.leader if self.tty else 0

    def first(self) -> str:
        """What the agent sees before its first action."""
        return f"{TITLES[1]}\n{screen_text(self._shown())}\n"

    # a batch

    def step(self, action: str, limit_s: float) -> Observed:
        """Type a batch."""
        until = time.monotonic() + limit_s
        try:
            strokes = self.form.parse_action(action).strokes
        except ActionError as error:
            return Observed(observation=f"Not an action: {error}.")
        if not strokes:
            return self._finish()
        self._asked = False
        state = self._typed(strokes, until)
        text = cut(self._new(), self.options.max_bytes)
        info = self._kept()
        self._captured()
        if state == "ended":
            assert self.tty is not None
            info["exit_code"] = self.tty.process.returncode
            return Observed(observation=text, info=info, terminated=True)
        return Observed(observation=text, status=self._status(state), info=info)

    def _typed(self, strokes: Sequence[Strokes], until: float) -> State:
        state: State = "idle"
        for one in strokes:
            tty = self.tty
            assert tty is not None
            application = (1 << 5) in self.display.mode
            data = keystrokes(one.keystrokes, application=application)
            typed = tty.write(data, until)
            state = self._wait(one.duration, until, typed=bool(data))
            if state == "ended" or not typed:
                break
        return state

    def _finish(self) -> Observed:
        """The agent says that it is done: asked once whether it is sure."""
        while self._take(0.0):
            pass
        screen = f"{TITLES[1]}\n{screen_text(self._shown())}\n\n"
        over, self._asked = self._asked, True
        self._captured()
        text = cut(screen, self.options.max_bytes - 200) + (DONE if over else ASK)
        return Observed(observation=text, terminated=over)

    # waiting

    def _wait(self, duration_s: float, until: float, *, typed: bool = False) -> State:
        """Until nothing more can come, or the time of the entry is over."""
        begun = time.monotonic()
        end = min(begun + max(duration_s, 0.0), until)
        last = min(max(end, begun + GRACE_S), until)
        calm = idle = 0
        moved = not typed
        while True:
            if self._take(TICK_S) and time.monotonic() < last:
                moved, calm, idle = True, 0, 0
                continue
            moved = moved or time.monotonic() - begun > ECHO_S
            state = self._state() if moved else "busy"
            calm = calm + 1 if state in ("prompt", "keys") else 0
            idle = idle + 1 if state in ("clock", "idle") else 0
            sure = calm and state == "prompt" and PROMPT.fullmatch(self._row().rstrip())
            if state == "ended" or calm >= (1 if sure else CALM):
                return state
            now = time.monotonic()
            if now >= last or (now >= end and idle >= IDLE):
                return state

    def _take(self, wait_s: float) -> bool:
        """Take in what comes; whether anything did. Shown once it pauses."""
        assert self.tty is not None
        shown = self.tty.read(wait_s)[0]
        self._pending += shown
        if self._pending and (not shown or len(self._pending) > BATCH):
            self.display.feed(bytes(self._pending))
            self.tty.write(self.display.replies(), time.monotonic() + ECHO_S)
            if len(self._raw) <= RAW_LIMIT:
                self._raw += self._pending
            self._pending.clear()
        return bool(shown)

    def _state(self) -> State:
        tty = self.tty
        assert tty is not None
        if tty.ended:
            return "ended"
        if tty.queued():
            return "busy"
        front = tty.foreground()
        if front == tty.leader:
            at = activity(tty.leader, tty.device)
            return "prompt" if at == "keys" else at or "idle"
        found = self._activities(front)
        for one in ORDER:
            if one in found:
                return one
        return "idle"

    def _activities(self, group: int) -> set[Activity | None]:
        """What the processes of the foreground are at."""
        assert self.tty is not None
        found: set[Activity | None] = set()
        for pid in family(self.tty.leader)[1:]:
            with suppress(OSError):
                if os.getpgid(pid) == group:
                    found.add(activity(pid, self.tty.device))
        return found or {"busy"}

    def _status(self, state: State) -> Status:
        if state not in ("prompt", "keys"):
            return "timeout"
        row, tty = self._row(), self.tty
        assert tty is not None
        if PROMPT.match(row):
            return "ok"
        ready = state == "prompt" and edits(tty.leader) and not row.startswith(">")
        return "ok" if ready else "awaiting_input"

    # what is seen

    def _row(self) -> str:
        """The row of the cursor."""
        return self.display.row(self.display.cursor.y).text

    def _shown(self) -> list[Row]:
        return self.display.since(self.display.gone)

    def _captured(self) -> None:
        """Remember what is on the screen as seen."""
        self._raw.clear()
        self._base = self.display.gone
        self._before = self.display.since(self._base)

    def _new(self) -> str:
        """What came since, from the line on that was the last one; the whole screen where what was
        there before is not there any more."""
        now, before = self.display.since(self._base), self._before
        start = max(len(before) - 1, 0)
        here = self.display.gone - len(self.display.scrolled) <= self._base
        tail = now[start].text if len(now) > start else ""
        kept = now[:start] == before[:start] and (
            not before or tail.startswith(before[-1].text.rstrip(" "))
        )
        text = screen_text if self.options.observes == "screen" else joined_text
        if not here or not kept or self.display.alternate is not None:
            return f"{TITLES[1]}\n{text(self._shown())}\n"
        return f"{TITLES[0]}\n\n{text(now[start:])}\n"

    def _kept(self) -> dict[str, Any]:
        if len(self._raw) > RAW_LIMIT:
            return {"raw_omitted": True}
        return {"raw": base64.b64encode(bytes(self._raw)).decode("ascii")}
