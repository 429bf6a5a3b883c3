"""Two sequences set against each other in their order.

With the fewest changes, as long as that can be afforded: it takes time by the product of the
lengths. Beyond, what stands once in both is set against itself first, as far as it is in the same
order (patience), and the gaps between are aligned by themselves.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

CELLS = 1 << 26
"""Product of two lengths up to which the fewest changes are found."""
DEPTH = 8
"""How often gaps are aligned by what stands once in them; beyond, they are set side by side."""


class Span(NamedTuple):
    """``[start, end)`` of one sequence against ``[to, to_end)`` of the other."""

    start: int
    end: int
    to: int
    to_end: int
    paired: bool
    """Item by item (the lengths are equal); else nothing of it has a counterpart."""


def aligned(one: Sequence[int], other: Sequence[int]) -> Iterator[Span]:
    """Spans in order that cover both sequences.

    Args:
        one: a number each item; equal items have equal numbers.
        other: likewise.
    """
    yield from _gap(one, other, (0, 0), DEPTH)


def _gap(
    one: Sequence[int], other: Sequence[int], at: tuple[int, int], depth: int
) -> Iterator[Span]:
    """Spans of two pieces that begin at these places."""
    if len(one) * len(other) <= CELLS:
        yield from _fewest(one, other, at)
        return
    fixed = _anchors(one, other) if depth else []
    if not fixed:
        yield from _side_by_side(len(one), len(other), at)
        return
    start = to = 0
    for end, to_end in (*fixed, (len(one), len(other))):
        place = at[0] + start, at[1] + to
        yield from _gap(one[start:end], other[to:to_end], place, depth - 1)
        if end < len(one):
            yield Span(at[0] + end, at[0] + end + 1, at[1] + to_end, at[1] + to_end + 1, True)
        start, to = end + 1, to_end + 1


def _fewest(one: Sequence[int], other: Sequence[int], at: tuple[int, int]) -> Iterator[Span]:
    for code in Levenshtein.opcodes(one, other):
        start, to = at[0] + code.src_start, at[1] + code.dest_start
        end, to_end = at[0] + code.src_end, at[1] + code.dest_end
        yield Span(start, end, to, to_end, code.tag in ("equal", "replace"))


def _side_by_side(length: int, other: int, at: tuple[int, int]) -> Iterator[Span]:
    both = min(length, other)
    start, to = at
    yield Span(start, start + both, to, to + both, True)
    yield Span(start + both, start + length, to + both, to + other, False)


def _anchors(one: Sequence[int], other: Sequence[int]) -> list[tuple[int, int]]:
    """Places of what stands once in both, the longest run of them that ascends in both."""
    there = _once(other)
    pairs = [(i, there[item]) for item, i in _once(one).items() if item in there]
    ends: list[int] = []  # the least place in `other` that a run of each length ends in
    last: list[int] = []  # the pair that it ends with
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1], last[length : length + 1] = [place], [number]
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _once(items: Sequence[int]) -> dict[int, int]:
    """What stands once, in order, and where."""
    counts = Counter(items)
    return {item: i for i, item in enumerate(items) if counts[item] == 1}
