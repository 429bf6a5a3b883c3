"""A pseudo-terminal with a program on it, and perhaps a pipe for what the program prints."""

import fcntl
import os
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

Start = Callable[[int, int], subprocess.Popen[bytes]]
"""Starts the program with these descriptors as its stdin and as its stdout and stderr."""

TERM = "screen-256color"
"""What programs take the terminal for: one whose codes `Display` carries out."""
_CHUNK = 1 << 16
_TIOCGSID = 0x5429


class Tty:
    """A terminal of `columns` x `rows`. The caller reads and types; see `Start`.

    Args:
        start: starts the program that owns the terminal.
        owner: user id of the program, which may open its terminal again by name.
        echo: typed text is shown, as a terminal does by itself.
        piped: output of the program goes through a pipe instead, byte by byte as written.
    """

    def __init__(
        self,
        start: Start,
        columns: int,
        rows: int,
        *,
        owner: int,
        echo: bool = True,
        piped: bool = False,
    ) -> None:
        self.master, self.slave = os.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        modes: Any = termios.tcgetattr(self.slave)
        if not echo:
            modes[3] &= ~termios.ECHO
        if piped:
            modes[1] &= ~termios.OPOST
        termios.tcsetattr(self.slave, termios.TCSANOW, modes)
        self.modes = modes
        self.device = os.fstat(self.slave).st_rdev
        self.pipe: int | None = None
        out = self.slave
        if piped:
            self.pipe, out = os.pipe()
            os.set_blocking(self.pipe, False)
            os.fchown(out, owner, -1)
        os.fchown(self.slave, owner, -1)
        os.set_blocking(self.master, False)
        try:
            self.process = start(self.slave, out)
        finally:
            if piped:
                os.close(out)
        self._end = os.pidfd_open(self.process.pid)
        self._late = b""
        self._leader: int | None = None

    # reading

    def read(self, timeout_s: float) -> tuple[bytes, bytes]:
        """What came on the terminal and through the pipe, waiting at most that long for some."""
        late, self._late = self._late, b""
        watched = [self.master, self._end] + ([] if self.pipe is None else [self.pipe])
        ready = select.select(watched, [], [], 0.0 if late else max(timeout_s, 0.0))[0]
        shown = late + (_drain(self.master) if self.master in ready else b"")
        said = b"" if self.pipe is None or self.pipe not in ready else _drain(self.pipe)
        return shown, said

    def rest(self) -> bytes:
        """What is in the pipe now."""
        return b"" if self.pipe is None else _drain(self.pipe)

    @property
    def ended(self) -> bool:
        """The program is gone."""
        return self.process.poll() is not None

    # typing

    def write(self, data: bytes, until: float = float("inf")) -> bool:
        """Type; what comes meanwhile is kept for `read`. `False`: not all was taken in time."""
        while data:
            try:
                data = data[os.write(self.master, data) :]
            except BlockingIOError:
                if self.ended or time.monotonic() > until:
                    return False
                if select.select([self.master], [], [], 0.01)[0]:
                    self._late += _drain(self.master)
        return True

    def queued(self) -> int:
        """Bytes (in cooked mode: bytes of whole lines) typed that nobody has read yet."""
        buffer = fcntl.ioctl(self.slave, termios.FIONREAD, b"\0\0\0\0")
        return int.from_bytes(buffer, "little")

    def forget(self) -> None:
        """Forget what was typed and not read."""
        termios.tcflush(self.slave, termios.TCIFLUSH)

    def settle(self) -> None:
        """Forget what was typed and not read; terminal modes as at the start."""
        self.forget()
        termios.tcsetattr(self.slave, termios.TCSANOW, self.modes)

    # who is there

    @property
    def leader(self) -> int:
        """Process id of the program that owns the terminal, as this process sees it; 0: none."""
        if not self._leader:
            with suppress(OSError):
                buffer = fcntl.ioctl(self.master, _TIOCGSID, b"\0\0\0\0")
                self._leader = int.from_bytes(buffer, "little")
        return self._leader or 0

    def foreground(self) -> int:
        """The process group that gets the keys; 0: none."""
        try:
            return max(os.tcgetpgrp(self.master), 0)
        except OSError:
            return 0

    def close(self) -> None:
        """Give the descriptors back (the program is the caller's to end)."""
        for fd in (self.master, self.slave, self._end, self.pipe):
            if fd is not None:
                with suppress(OSError):
                    os.close(fd)


def _drain(fd: int) -> bytes:
    """What can be read at once, at most about a megabyte."""
    parts: list[bytes] = []
    while len(parts) < 16:
        try:
            data = os.read(fd, _CHUNK)
        except OSError:  # nothing more now, or the other end is gone
            break
        if not data:
            break
        parts.append(data)
    return b"".join(parts)
