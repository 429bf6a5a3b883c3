"""Which case is asked next, when many are asked at once.

Cases of one session share a prefix, so they are asked one after the other, and the server finds the
prefix of each in its cache. Only when every session in view is being asked already does a second
case of one start: a slot is never left idle. What is read ahead is bounded in cases and characters.
"""

import heapq
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from worldline.bench.cases import Case


class Numbered(NamedTuple):
    """A case and its place in the input, from 0."""

    number: int
    case: Case


class Lanes:
    """Hands out cases, in input order where sessions allow.

    Args:
        cases: all that is to be asked, in order; read as needed.
        ahead: how many cases may wait here.
        weight: how many characters they may hold together.
    """

    def __init__(self, cases: Iterator[Numbered], *, ahead: int, weight: int = 32 << 20) -> None:
        self._cases = cases
        self._most, self._most_weight = ahead, weight
        self._waiting: dict[str, deque[Numbered]] = {}
        self._count = self._weight = 0
        self._idle: list[tuple[int, str]] = []
        self._running: dict[str, int] = {}

    def next(self) -> Numbered | None:
        """The next case to ask, or `None` when there is none left."""
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
        self._weight -= found.case.weight
        self._running[session] = self._running.get(session, 0) + 1
        return found

    def finished(self, found: Numbered) -> None:
        """The case has been answered; its session may be asked on."""
        session = found.case.session
        self._running[session] -= 1
        if not self._running[session]:
            del self._running[session]
            if session in self._waiting:
                heapq.heappush(self._idle, (self._waiting[session][0].number, session))

    def _read(self) -> None:
        while self._count < self._most and self._weight < self._most_weight:
            found = next(self._cases, None)
            if found is None:
                return
            session = found.case.session
            if session not in self._waiting:
                self._waiting[session] = deque()
                if session not in self._running:
                    heapq.heappush(self._idle, (found.number, session))
            self._waiting[session].append(found)
            self._count += 1
            self._weight += found.case.weight
