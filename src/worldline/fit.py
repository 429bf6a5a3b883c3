"""Making a request fit a context.

Oldest turns go first, and in chunks of half a window: once the history overflows, the window is cut
to half, and then grows again at its end. So between two cuts every request extends the last one and
the prefix cache keeps working. The cut is a pure function of the sizes, so that a row predicted
alone and the same row predicted in its session send the same text.
"""

from collections.abc import Sequence

CHARS_PER_TOKEN = 3
"""A careful guess where a model brings no tokenizer of its own."""


def estimate(text: str) -> int:
    """Tokens in `text`, guessed high."""
    return len(text.encode("utf-8", "surrogatepass")) // CHARS_PER_TOKEN + 1


def first_kept(sizes: Sequence[int], budget: int) -> int:
    """Index of the oldest turn that stays.

    Args:
        sizes: tokens of each turn, oldest first; the last one is the turn being predicted, which
            always stays.
        budget: tokens that the turns may take together.
    """
    start, total = 0, 0
    for end, size in enumerate(sizes):
        total += size
        if total > budget:
            while start < end and total > budget // 2:
                total -= sizes[start]
                start += 1
    return start
