"""How far the making of an index is, in lines for who waits for it."""

import time
from collections.abc import Callable, Sequence

from worldline.environments.search.recipe import Package

EVERY_S = 10.0


class Progress:
    """Told of packages and documents; tells at each package, and every few seconds in between.

    The time left follows from the packages' `effort` and how long those before took.

    Args:
        packages: that are read, in their order; none for a folder.
        tell: gets the lines.
        clock: seconds.
    """

    def __init__(
        self,
        packages: Sequence[Package],
        tell: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._packages, self._tell, self._clock = packages, tell, clock
        self._at, self._documents = -1, 0
        self._start = self._began = self._said = clock()

    def package(self) -> None:
        """The next package begins."""
        self._at, self._began = self._at + 1, self._clock()
        self._say()

    def document(self) -> None:
        """One more document is in the index."""
        self._documents += 1
        if self._clock() - self._said >= EVERY_S:
            self._say()

    def _say(self) -> None:
        self._said = self._clock()
        count = f"{self._documents:,} documents"
        if self._at < 0:
            self._tell(f"indexing: {count}")
            return
        done = f"{self._at} of {len(self._packages)} packages done"
        self._tell(f"reading {self._packages[self._at].name}: {done}, {count}{self._left()}")

    def _left(self) -> str:
        efforts = [one.effort for one in self._packages]
        before = sum(efforts[: self._at])
        if not before:
            return ""
        rate = (self._began - self._start) / before
        later = sum(efforts[self._at + 1 :]) * rate
        this = efforts[self._at] * rate - (self._clock() - self._began)
        left = later + max(this, 0)
        return f", about {left:,.0f} s left" if left else ""
