"""The dialect ``command``: one lasting bash, a command line at a time, its output exactly.

The shell is interactive without a prompt or line editor. A command reaches it as one quoted word,
so that whatever it holds (open quotes, here-documents, control characters) is the command's own
matter; ``PROMPT_COMMAND`` runs it and marks its end, with the exit code, on the terminal. Output
goes through a pipe (``stream``) or to the terminal (``screen``).
"""

import os
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from subprocess import Popen
from typing import Any

from worldline.environments.base import Observed, Status
from worldline.environments.sandbox import Sandbox
from worldline.environments.terminal.display import Display, screen_text
from worldline.environments.terminal.options import Options
from worldline.environments.terminal.text import HOLD, Capture, cut, decode, kept_raw
from worldline.environments.terminal.tty import TERM, Tty
from worldline.environments.terminal.waiting import activity, family

SHELL = ["bash", "--norc", "--noprofile", "--noediting", "-i"]
SETUP = (
    b"PS1= PS2= __s=0; unset HISTFILE; set +m +H +o history; history -c; PROMPT_COMMAND='"
    b"__r=$__c __c=; case $__s in 0|1) ((!__s));; *) (exit $__s);; esac;"
    b' eval "$__r"; { __s=$?; set +xv; printf "\\e_wl;%s\\e\\\\" $__s >/dev/tty; } 2>/dev/null'
    b"'\n"
)
_MARK = re.compile(rb"\x1b_wl;(\d{1,3})\x1b\\")
_PIECE = 700
"""Characters of a command a line: a terminal takes lines of up to 4,095 bytes."""
_SPECIAL = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\0": ""}
START_S = 20.0
QUIET_S = 0.05
"""Silence after which one looks whether somebody waits for keys."""
CALM = 3
"""Looks in a row that must find the same."""
KEYS = (b"\x03", b"\x04", b"q")
"""What is tried, in this order, to get back from a program that holds the terminal."""


def quoted(command: str) -> bytes:
    """The lines that hand a command to the shell."""
    words = "\\\n".join(f"$'{piece}'" for piece in _pieces(command))
    return b"LINENO=0 __c=" + words.encode("utf-8", "replace") + b"\n"


def _pieces(command: str) -> list[str]:
    """The command escaped, cut so that no escape is torn."""
    pieces, length = [[""]], 0
    for char in command:
        safe = _escaped(char)
        if length + len(safe) > _PIECE:
            pieces.append([])
            length = 0
        pieces[-1].append(safe)
        length += len(safe)
    return ["".join(piece) for piece in pieces]


def _escaped(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    return f"\\x{ord(char):02x}" if char < " " or char == "\x7f" else char


class PlainShell:
    """A session of the dialect ``command``."""

    def __init__(self, box: Sandbox, options: Options) -> None:
        self.box, self.options = box, options
        self.screen = options.observes == "screen"
        self.tty: Tty | None = None
        self._code = 0
        self._shown = b""

    # the shell

    def start(self) -> None:
        """A new shell, ready.

        Raises:
            RuntimeError: it did not come up.
        """
        self.tty = Tty(
            self._popen,
            self.options.width,
            self.options.height,
            owner=self.box.owner,
            echo=False,
            piped=not self.screen,
        )
        self.tty.write(SETUP)
        if not self._finished(time.monotonic() + START_S, lambda data: None):
            said = decode(self.tty.rest() + self.tty.read(0)[0])
            raise RuntimeError(f"the shell did not start: {said.strip()[-500:]}")

    def _popen(self, stdin: int, out: int) -> Popen[bytes]:
        env = {"TERM": TERM if self.screen else "dumb"}
        return self.box.popen(SHELL, env=env, stdin=stdin, stdout=out, stderr=out, tty=True)

    def restart(self) -> None:
        """Another shell in place of this one; nothing that it started stays."""
        self.close()
        self.start()

    def close(self) -> None:
        """End the shell and all that it started."""
        tty, self.tty = self.tty, None
        if tty is not None:
            if not tty.ended:
                _kill(family(tty.process.pid))
            tty.process.wait()
            tty.close()

    @property
    def leader(self) -> int:
        """Process id of the shell."""
        return self.tty.leader if self.tty else 0

    # a command

    def step(self, command: str, limit_s: float) -> Observed:
        """Run a command line."""
        tty = self.tty
        assert tty is not None
        until = time.monotonic() + limit_s
        display = Display(self.options.width, self.options.height) if self.screen else None
        capture = Capture()

        def take(data: bytes) -> None:
            capture.add(data)
            if display is not None:
                display.feed(data)
                tty.write(display.replies(), until)

        if not tty.write(quoted(command), until):
            return self._hung("timeout", display, capture)
        status = self._until_done(until, take)
        if status != "ok":
            return self._hung(status, display, capture)
        return self._observed("ok", display, capture, {"exit_code": self._code})

    def _hung(self, status: Status, display: Display | None, capture: Capture) -> Observed:
        seen = self._observed(status, display, capture, {}, over=False)
        seen.info["recovered"] = self.recover()
        return seen

    def _observed(
        self,
        status: Status,
        display: Display | None,
        capture: Capture,
        info: dict[str, Any],
        *,
        over: bool = True,
    ) -> Observed:
        if display is None:
            text = capture.text(self.options.max_bytes)
            if not over and "\x1b" in text:  # what a program that draws a screen has drawn
                text = cut(self._drawn(capture), self.options.max_bytes)
        else:
            text = cut(_displayed(display, over), self.options.max_bytes)
        tty = self.tty
        assert tty is not None
        if over and tty.ended:  # `exit`, `exec`, or a shell that was killed
            info = {"exit_code": tty.process.returncode, "recovered": "restarted"}
            self.restart()
        return Observed(
            observation=text, status=status, info={**info, **kept_raw(capture.raw, text)}
        )

    def _drawn(self, capture: Capture) -> str:
        display = Display(self.options.width, self.options.height)
        display.feed((capture.raw or capture.text(HOLD).encode()).replace(b"\n", b"\r\n"))
        return screen_text(display.since(display.gone)) + "\n"

    def hidden(self, command: str, limit_s: float = 5.0) -> bytes | None:
        """What a command of ours prints; `None` if it does not end."""
        tty, capture = self.tty, Capture()
        assert tty is not None
        before = self._code
        tty.write(quoted(command))
        done = self._finished(time.monotonic() + limit_s, capture.add)
        if done and before:
            tty.write(quoted(f"(exit {before})"))
            self._finished(time.monotonic() + limit_s, lambda data: None)
        return capture.raw if done else None

    # waiting

    def _until_done(self, until: float, take: Callable[[bytes], None]) -> Status:
        """Until the command is over, somebody waits for keys, or time is up."""
        calm, tty = 0, self.tty
        assert tty is not None
        while True:
            wait = min(QUIET_S, until - time.monotonic())
            moved, done = self._listen(wait, take)
            if done:
                return "ok"
            calm = 0 if moved or not self._awaits_keys() else calm + 1
            if calm >= CALM:
                return "awaiting_input"
            if time.monotonic() >= until:
                return "timeout"

    def _finished(self, until: float, take: Callable[[bytes], None]) -> bool:
        while time.monotonic() < until:
            if self._listen(min(QUIET_S, max(until - time.monotonic(), 0)), take)[1]:
                return not (self.tty is None or self.tty.ended)
        return False

    def _listen(self, wait_s: float, take: Callable[[bytes], None]) -> tuple[bool, bool]:
        """Take in what comes; whether anything did, and whether the command is over."""
        tty = self.tty
        assert tty is not None
        shown, said = tty.read(wait_s)
        take(said)
        data = self._shown + shown
        mark = _MARK.search(data)
        if mark is None:
            if tty.ended and not shown and not said:
                take(data)
                self._shown = b""
                return False, True
            begun = data.rfind(b"\x1b")
            held = len(data) - begun if begun >= 0 and len(data) - begun < 12 else 0
            take(data[: len(data) - held])
            self._shown = data[len(data) - held :]
            return bool(shown or said), False
        self._shown, self._code = data[mark.end() :], int(mark[1])
        take(data[: mark.start()])
        take(tty.rest())
        return True, True

    def _awaits_keys(self) -> bool:
        tty = self.tty
        assert tty is not None
        return not tty.queued() and any(
            activity(pid, tty.device) == "keys" for pid in family(tty.leader)
        )

    # getting back

    def recover(self) -> str:
        """Make the session usable again: ``interrupted`` (keys or signals ended what ran; the
        shell is the same) or ``restarted``."""
        tty = self.tty
        assert tty is not None
        for key in KEYS:
            tty.forget()
            tty.write(key, time.monotonic() + 0.2)
            if self._back(0.3):
                return "interrupted"
        for _ in range(3):
            tty.forget()
            _kill(family(tty.leader)[1:] if tty.leader else [])
            if self._back(0.3):
                return "interrupted"
        self.restart()
        return "restarted"

    def _back(self, within_s: float) -> bool:
        tty = self.tty
        assert tty is not None
        if not self._finished(time.monotonic() + within_s, lambda data: None):
            return False
        tty.settle()
        time.sleep(0.01)
        tty.read(0.0)
        self._shown = b""
        return True


def _displayed(display: Display, over: bool) -> str:
    """What a command's output looks like on the screen: as lines when it is over; while a program
    holds it, the screen."""
    if display.alternate is not None or not over:
        return screen_text(display.since(display.gone)) + "\n"
    return display.written()


def _kill(pids: list[int]) -> None:
    for pid in reversed(pids):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
