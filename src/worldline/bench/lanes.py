"""Which job is done next, when many are done at once.

Jobs of one session share a prefix, so they are asked one after the other, and the server finds the
prefix of each in its cache. Only when every session in view is being asked already does a second
job of one start: a slot is never left idle. What is read ahead is bounded in jobs and characters.
"""

import heapq
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from worldline.bench.work import Job


class Numbered(NamedTuple):
    """A job and its place in the input, from 0."""

    number: int
    job: "Job"


class Lanes:
    """Hands out jobs, in input order where sessions allow.

    Args:
        jobs: all that is to be done, in order; read as needed.
        ahead: how many jobs may wait here.
        weight: how many characters they may hold together.
    """

    def __init__(self, jobs: Iterator[Numbered], *, ahead: int, weight: int = 32 << 20) -> None:
        self._jobs = jobs
        self._most, self._most_weight = ahead, weight
        self._waiting: dict[str, deque[Numbered]] = {}
        self._count = self._weight = 0
        self._idle: list[tuple[int, str]] = []
        self._running: dict[str, int] = {}

    def next(self) -> Numbered | None:
        """The next job, or `None` when there is none left."""
        self._read()
        if self._idle:
            _, session = heapq.heappop(self._idle)
        elif self._waiting:
            session = min(self._waiting, key=lambda name: self._waiting[name][0].number)
        else:
            return None
        queue = self._waiting[session]
        found = queue.popleft()
        if not queue:
            del self._waiting[session]
        self._count -= 1
        self._weight -= found.job.weight
        self._running[session] = self._running.get(session, 0) + 1
        return found

    def finished(self, found: Numbered) -> None:
        """The job is done; its session may go on."""
        session = found.job.session
        self._running[session] -= 1
        if not self._running[session]:
            del self._running[session]
            if session in self._waiting:
                heapq.heappush(self._idle, (self._waiting[session][0].number, session))

    def _read(self) -> None:
        while self._count < self._most and self._weight < self._most_weight:
            found = next(self._jobs, None)
            if found is None:
                return
            session = found.job.session
            if session not in self._waiting:
                self._waiting[session] = deque()
                if session not in self._running:
                    heapq.heappush(self._idle, (found.number, session))
            self._waiting[session].append(found)
            self._count += 1
            self._weight += found.job.weight
