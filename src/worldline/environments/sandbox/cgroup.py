"""A memory limit for everything a session runs, where this process may make control groups.

Without one (no root, no writable hierarchy) each process is limited by itself (RLIMIT_DATA).
"""

import atexit
import errno
import itertools
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

_PREFIX = "worldline-"
_count = itertools.count()


@cache
def _hierarchy() -> tuple[Path, str] | None:
    """Where memory groups are made, and the file that holds the limit (version 1 or 2)."""
    first = Path("/sys/fs/cgroup/memory")
    if (first / "memory.limit_in_bytes").exists() and os.access(first, os.W_OK):
        return first, "memory.limit_in_bytes"
    second = Path("/sys/fs/cgroup")
    with suppress(OSError):
        if "memory" in (second / "cgroup.subtree_control").read_text().split() and os.access(
            second, os.W_OK
        ):
            return second, "memory.max"
    return None


def make(limit: int) -> Path | None:
    """A group of `limit` bytes for a session of this process, or `None` if there can be none."""
    found = _hierarchy()
    if found is None:
        return None
    folder, name = found
    _again()
    sweep()
    group = folder / f"{_PREFIX}{os.getpid()}-{next(_count)}"
    try:
        group.mkdir()
        (group / name).write_text(str(limit))
    except OSError:
        remove(group)
        return None
    return group


def join(group: Path) -> None:
    """Put the calling process, and all that it starts, into the group."""
    file = os.open(group / "cgroup.procs", os.O_WRONLY)
    os.write(file, b"0")
    os.close(file)


def remove(group: Path | None) -> None:
    """Take the group away once its last process is gone.

    The kernel takes its time with killed processes: what is still busy is tried again with the next
    group, and when this process ends.
    """
    if group is not None:
        _busy.add(group)
        _again()


_busy: set[Path] = set()
"""Groups to take away whose processes were not gone yet."""
END_S = 2.0
"""How long the end of this process waits for them."""


def _again() -> None:
    for group in tuple(_busy):
        try:
            group.rmdir()
        except OSError as error:
            if error.errno == errno.EBUSY:
                continue
        _busy.discard(group)


@atexit.register
def _end() -> None:
    until = time.monotonic() + END_S
    _again()
    while _busy and time.monotonic() < until:
        time.sleep(0.01)
        _again()


def sweep() -> None:
    """Take away the groups of processes that were killed before they could do it."""
    found = _hierarchy()
    if found is None:
        return
    with suppress(OSError):
        for group in found[0].glob(f"{_PREFIX}*"):
            owner = group.name.removeprefix(_PREFIX).partition("-")[0]
            if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                remove(group)
