"""What a command leaves behind: processes, mounts, control groups, folders for temporary files.

The checking process becomes the *subreaper* of all it starts: a process whose parent died becomes
its child, so that nothing started here escapes from the tree that is looked through.
"""

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

PR_SET_CHILD_SUBREAPER = 36
SETTLE_S = 20.0
"""How long what is left may take to clean up and end."""
_CONTROL = """
import os, tempfile, time
tempfile.mkdtemp()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
"""


class Left(NamedTuple):
    """What is there now that was not there before, each with its name."""

    processes: tuple[str, ...]
    mounts: tuple[str, ...]
    groups: tuple[str, ...]
    folders: tuple[str, ...]

    @property
    def nothing(self) -> bool:
        """Whether all is as before."""
        return not any(self)


class Watch:
    """Sees what is left of everything started since it was made.

    Give `environment` to what you start: its temporary files go to a folder of their own.
    """

    def __init__(self, folder: Path) -> None:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.temporary = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, "TMPDIR": str(folder)}
        self._before = {*descendants()}
        self._mounts, self._groups = {*_mounts()}, {*_groups()}

    def left(self, settle_s: float | None = None) -> Left:
        """What is left once things have settled, or after `settle_s` (`SETTLE_S`)."""
        until = time.monotonic() + (SETTLE_S if settle_s is None else settle_s)
        while not (found := self._left()).nothing and time.monotonic() < until:
            time.sleep(0.1)
        return found

    def _left(self) -> Left:
        _reap()
        return Left(
            tuple(command(pid) for pid in descendants() if pid not in self._before),
            tuple(sorted({*_mounts()} - self._mounts)),
            tuple(sorted({*_groups()} - self._groups)),
            tuple(sorted(path.name for path in self.temporary.iterdir())),
        )

    def end(self) -> None:
        """Kill what is left, so that a failed check leaves nothing itself."""
        for pid in descendants():
            if pid not in self._before:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        _reap()


def kill_all(process: "subprocess.Popen[bytes]") -> int:
    """SIGKILL a process and everything below it; how many there were."""
    victims = [process.pid, *descendants(process.pid)]
    for pid in victims:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)  # so that nobody reacts to the death of another
    victims += [pid for pid in descendants(process.pid) if pid not in victims]
    for pid in victims:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    return len(victims)


@contextmanager
def control(folder: Path) -> Iterator[Left]:
    """A command that does leave things behind: what the watch finds of it."""
    watch = Watch(folder)
    subprocess.run([sys.executable, "-c", _CONTROL], env=watch.environment, check=True)
    mounted = Path(tempfile.mkdtemp())
    may = os.geteuid() == 0
    if may:
        subprocess.run(["mount", "-t", "tmpfs", "left", str(mounted)], check=True)
    try:
        yield watch.left(0.5)
    finally:
        if may:
            subprocess.run(["umount", str(mounted)], check=True)
        mounted.rmdir()
        watch.end()


def descendants(root: int | None = None) -> list[int]:
    """Every process below one (this one by default)."""
    children: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            fields = (place / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            if fields[0] not in "ZX":
                children.setdefault(int(fields[1]), []).append(int(place.name))
    found, todo = [], [root or os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def command(pid: int) -> str:
    """What a process runs."""
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return "(gone)"


def _reap() -> None:
    """Zombies that came to us by the death of their parents."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _mounts() -> Iterator[str]:
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        yield line.split()[4]


def _groups() -> Iterator[str]:
    """Control groups of sessions whose process is gone (their names hold its id)."""
    for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory"):
        for group in Path(path).glob("worldline-*"):
            owner = group.name.split("-")[1]
            if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                yield str(group)
