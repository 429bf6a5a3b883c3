"""One process at a time: a lock on a file, given back by the system however its holder ends.

`locked` waits for its turn (something is built or fetched once); `alone` refuses (a file is written
by one process, and a second one is a mistake).
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from worldline.errors import UsageError


@contextmanager
def locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock while the block runs. `waiting` is called once if another process has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        told = False
        while not _take(descriptor):
            if not told:
                waiting()
                told = True
            time.sleep(0.2)
        yield
    finally:
        os.close(descriptor)


def alone(descriptor: int, file: Path, message: str, remedy: str) -> None:
    """Lock an open file until it is closed.

    Raises:
        UsageError: another process holds it; says so in the words given.
    """
    try:
        free = _take(descriptor)
    except OSError:
        free = False
    if not free:
        raise UsageError(message, file=file, remedy=remedy)


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
