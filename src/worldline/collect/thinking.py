"""How long an explorer may think about a move: an endless loop in one must not stop a corpus."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

THINKING_S = 30.0
"""Processor seconds for one move, many times what any needs; the clock does not count."""


class Undecided(Exception):
    """An explorer did not come to a decision."""


@contextmanager
def thinking(seconds: float = THINKING_S) -> Iterator[None]:
    """Raise `Undecided` in the block once it has taken so many processor seconds.

    Only in a process's main thread, where signals arrive; elsewhere the block runs as it is.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _undecided)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _undecided(_signal: int, _frame: FrameType | None) -> None:
    raise Undecided("no move after long thinking")
