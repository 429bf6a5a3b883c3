"""Shells of a session: a fresh one for each command, or one that lasts. Neither has a terminal.

Output and errors come together, as through one pipe. A command that runs past its limit is killed
with all it started; a lasting shell begins anew then, and after ``exit``.
"""

import os
import secrets
import select
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import resources
from typing import NamedTuple

from worldline.environments.swe.workspace import Workspace
from worldline.environments.terminal.text import Capture, decode

KEPT = 1 << 21
"""Bytes kept of either end of an output that never stops."""
LATE_S = 0.2
"""How long output is read on after a command ended, while something it left running holds it."""


class Printed(NamedTuple):
    """What a command printed.

    Args:
        code: exit code; `None` where it was killed.
        raw: the bytes; `None` where some in the middle were not kept.
        over: the lasting shell ended with it.
    """

    output: str
    code: int | None
    raw: bytes | None
    over: bool = False


class FreshShell:
    """A shell for every command; each begins in the repository."""

    def __init__(self, space: Workspace) -> None:
        self.space = space

    def run(self, command: str, limit_s: float) -> Printed:
        """Run a command line to its end or its limit."""
        until = time.monotonic() + limit_s
        capture = Capture(KEPT)
        process = self.space.popen(["bash", "-c", encoded(sendable(command)).decode()])
        try:
            _read(process, capture, until, lambda: process.poll() is not None)
            code = process.poll()
        finally:
            end(process)
        return Printed(capture.text(4 * KEPT), code, capture.raw)

    def close(self) -> None:
        """There is nothing to end."""


class LastingShell:
    """One shell for all commands: directory, variables and functions last."""

    def __init__(self, space: Workspace) -> None:
        self.space = space
        self.cwd = space.home
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, command: str, limit_s: float) -> Printed:
        """Run a command line to its end or its limit."""
        until = time.monotonic() + limit_s
        process = self._started()
        mark = secrets.token_hex(16)
        assert process.stdin is not None
        process.stdin.write(mark.encode() + b"\0" + encoded(sendable(command)) + b"\0")
        process.stdin.flush()
        capture = _Marked(mark.encode())
        _read(process, capture, until, lambda: capture.done or process.poll() is not None)
        if capture.done:
            self.cwd = capture.cwd
            return Printed(capture.text(4 * KEPT), capture.code, capture.raw)
        code = process.poll()
        self.close()
        return Printed(capture.text(4 * KEPT), code, capture.raw, over=True)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            loop = (
                resources.files("worldline.environments.swe")
                .joinpath("shell_loop.sh")
                .read_text("utf-8")
            )
            argv = ["bash", "--norc", "--noprofile", "-c", loop, "bash"]
            self._process = self.space.popen(argv, stdin=subprocess.PIPE)
        return self._process

    def close(self) -> None:
        """End the shell and all it started; the next command begins in the repository."""
        process, self._process = self._process, None
        self.cwd = self.space.home
        if process is not None:
            end(process)


class _Marked(Capture):
    """Output up to a mark, which is followed by the exit code and the directory."""

    def __init__(self, mark: bytes) -> None:
        super().__init__(KEPT)
        self._mark = mark
        self._held = b""
        self.done, self.code, self.cwd = False, 0, ""

    def add(self, data: bytes) -> None:
        """Take in more; what may be the beginning of the mark is held back."""
        data = self._held + data
        at = data.find(self._mark)
        if at < 0:
            keep = min(len(self._mark), len(data))
            self._held = data[len(data) - keep :]
            super().add(data[: len(data) - keep])
            return
        super().add(data[:at])
        self._held = data[at:]
        if self._held.endswith(b"\0") and not self.done:
            code, _, cwd = self._held[len(self._mark) : -1].strip(b" ").partition(b" ")
            self.done, self.code, self.cwd = True, int(code), decode(cwd)

    def text(self, limit: int) -> str:
        """The output; what was held back belongs to it if no mark came."""
        if not self.done and self._held and not self._held.startswith(self._mark):
            super().add(self._held)
            self._held = b""
        return super().text(limit)


def _read(
    process: subprocess.Popen[bytes], capture: Capture, until: float, over: Callable[[], bool]
) -> None:
    """Read a program's output until it is over (and its output with it) or time is up."""
    assert process.stdout is not None
    out = process.stdout.fileno()
    late = until
    while True:
        if over():
            late = min(late, time.monotonic() + LATE_S) if late == until else late
            if isinstance(capture, _Marked) and capture.done:
                return
        wait = min(0.05, max(late - time.monotonic(), 0.0))
        if select.select([out], [], [], wait)[0]:
            data = os.read(out, 1 << 16)
            if not data:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(max(until - time.monotonic(), 0.0))
                return
            capture.add(data)
        if time.monotonic() >= late:
            return


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program of the sandbox; what it started goes with its namespace."""
    if process.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def sendable(text: str) -> str:
    """A command line without what no program can be given."""
    return text.replace("\0", "")


def encoded(text: str) -> bytes:
    """As bytes; a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace")
