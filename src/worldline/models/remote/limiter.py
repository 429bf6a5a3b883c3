"""How many requests may be in flight: the server says so by pushing back.

Additive increase, multiplicative decrease: a push-back (429, 5xx) halves the limit, each round of
successes adds one. Requests that were already under way when the limit was cut do not cut it again.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal


class Slot:
    """One request's place. `outcome` is what its holder learned; `None` changes nothing."""

    def __init__(self) -> None:
        self.outcome: Literal["ok", "pushed_back"] | None = None


class Limiter:
    """An adaptive limit on concurrent work; bound to no event loop, but not thread-safe."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        """How many may run now (its whole part)."""
        self.active = 0
        self._cuts = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """Wait for a place, hold it, and learn from how it went."""
        await self._enter()
        cuts, slot = self._cuts, Slot()
        try:
            yield slot
        finally:
            self.active -= 1
            self._learn(slot, cuts)
            self._wake()

    async def _enter(self) -> None:
        while self.active >= int(self.limit):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake()
                raise
        self.active += 1

    def _learn(self, slot: Slot, cuts: int) -> None:
        if slot.outcome == "ok":
            self.limit = min(float(self.most), self.limit + 1 / self.limit)
        elif slot.outcome == "pushed_back" and cuts == self._cuts:
            self.limit = max(1.0, self.limit / 2)
            self._cuts += 1

    def _wake(self) -> None:
        free = int(self.limit) - self.active
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
