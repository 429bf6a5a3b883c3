"""Whether a process waits for keys: read from /proc, so that nothing is guessed from silence.

Linux says which system call a process is blocked in and with what arguments. A read of the
terminal, or a wait (select, poll, epoll) whose set holds the terminal, is a program that waits for
keys. Where the kernel does not tell, the answer is `None`.
"""

import os
import platform
import struct
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple

TTY = os.makedev(5, 0)
"""``/dev/tty``: whatever terminal the process has."""
MAX_FDS = 4096

Activity = Literal["keys", "clock", "busy", "idle"]
"""What a process is at: waiting for keys; for a time that it set itself; computing, or blocked
on the disk; waiting for anything else (another process, a pipe)."""


class _Calls(NamedTuple):
    read: tuple[int, ...]
    poll: tuple[int, ...]
    select: tuple[int, ...]
    epoll: tuple[int, ...]
    sleep: tuple[int, ...]


_CALLS = {
    "x86_64": _Calls((0, 19), (7, 271), (23, 270), (232, 281, 441), (35, 230)),
    "aarch64": _Calls((63, 65), (73,), (72,), (22, 441), (101, 115)),
}
"""Numbers of system calls by machine."""


def activity(pid: int, terminal: int) -> Activity | None:
    """What a process is at; `None` if it is gone or the kernel does not say.

    Args:
        terminal: device number of its terminal.
    """
    calls = _CALLS.get(platform.machine())
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
        words = Path(f"/proc/{pid}/syscall").read_text("ascii").split()
    except OSError:
        return None
    if state in b"RD" or words[0] == "running":
        return "busy"
    if calls is None:
        return None
    number, arguments = int(words[0]), [int(word, 16) for word in words[1:7]]
    if number in calls.sleep:
        return "clock"
    with suppress(OSError, ValueError, struct.error):
        if any(_is(pid, fd, terminal) for fd in _awaited(pid, calls, number, arguments)):
            return "keys"
    return "idle"


def edits(pid: int) -> bool:
    """Whether a shell that waits for keys does so in its line editor (and not in ``read``)."""
    calls = _CALLS.get(platform.machine())
    with suppress(OSError, ValueError):
        number = int(Path(f"/proc/{pid}/syscall").read_text("ascii").split()[0])
        return calls is None or number in calls.select
    return False


def _awaited(pid: int, calls: _Calls, number: int, arguments: list[int]) -> list[int]:
    """Descriptors that a blocked call waits to read from."""
    if number in calls.read:
        return arguments[:1]
    if number in calls.poll:
        size = min(arguments[1], MAX_FDS) * 8
        sets = struct.iter_unpack("ihh", _memory(pid, arguments[0], size))
        return [fd for fd, events, _ in sets if fd >= 0 and events & 1]
    if number in calls.select and arguments[1]:
        data = _memory(pid, arguments[1], (min(arguments[0], MAX_FDS) + 7) // 8)
        return [fd for fd in range(len(data) * 8) if data[fd // 8] >> (fd % 8) & 1]
    if number in calls.epoll:
        lines = Path(f"/proc/{pid}/fdinfo/{arguments[0]}").read_text("ascii").split("\n")
        return [int(line.split()[1]) for line in lines if line.startswith("tfd:")]
    return []


def _memory(pid: int, address: int, size: int) -> bytes:
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as file:
        file.seek(address)
        return file.read(size)


def _is(pid: int, fd: int, terminal: int) -> bool:
    try:
        device = Path(f"/proc/{pid}/fd/{fd}").stat().st_rdev
    except OSError:
        return False
    return device in (terminal, TTY)


def family(pid: int) -> list[int]:
    """A process and all that it started, directly or not, parents first."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text("ascii").split())
    return found
