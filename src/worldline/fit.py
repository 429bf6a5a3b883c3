"""Making a request fit a context.

Oldest turns go first, and in chunks of half a window: once the history overflows, the window is cut
to half, and then grows again at its end. So between two cuts every request extends the last one and
the prefix cache keeps working. The cut is a pure function of the sizes, so that a row predicted
alone and the same row predicted in its session send the same text.
"""

from collections.abc import Callable, Sequence

import msgspec

CHARS_PER_TOKEN = 3
"""A careful guess where a model brings no tokenizer of its own."""
OVERHEAD = 8
"""Tokens of a chat template's role marks, a message."""


def estimate(text: str) -> int:
    """Tokens in `text`, guessed high."""
    return len(text.encode("utf-8", "surrogatepass")) // CHARS_PER_TOKEN + 1


def first_kept(sizes: Sequence[int], budget: int) -> int:
    """Index of the oldest turn that stays.

    Args:
        sizes: tokens of each turn, oldest first; the last one is the turn being predicted, which
            always stays. The one before it holds the newest state: it stays wherever both fit.
        budget: tokens that the turns may take together.
    """
    start, total = 0, 0
    for end, size in enumerate(sizes):
        total += size
        if total > budget:
            while start < end and total > budget // 2:
                if start == end - 1 and total <= budget:
                    break
                total -= sizes[start]
                start += 1
    return start


class Window(msgspec.Struct, frozen=True):
    """What a request may take."""

    context: int | None = None
    """Tokens of request and reply together; `None`: no limit."""
    reserve: int = 0
    """Tokens of these kept for the reply."""
    count: Callable[[str], int] = estimate

    def room(self, system: str) -> int | None:
        """Tokens for the turns under this system text."""
        if self.context is None:
            return None
        return self.context - self.reserve - self.count(system) - 2 * OVERHEAD


UNLIMITED = Window()
