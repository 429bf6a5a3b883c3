"""Which node of one state is which of the next.

Two passes over the nodes in document order. First the longest common sequence by (depth, the
dialect's key): those are the same nodes. Then, between two of those, what is left over on both
sides is paired by (depth, kind): the same place holding another text is a change, not a removal
and an addition.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from rapidfuzz.distance import LCSseq

from worldline.trees.node import Node

Pairs = list[tuple[int, int]]
"""(index before, index after), growing in both."""


def align(before: Sequence[Node], after: Sequence[Node], key: Callable[[Node], Hashable]) -> Pairs:
    """The nodes that are the same, in order."""
    same = _common(
        [(node.depth, key(node)) for node in before], [(node.depth, key(node)) for node in after]
    )
    pairs: Pairs = []
    for (i, j), (k, m) in pairwise([(-1, -1), *same, (len(before), len(after))]):
        if i >= 0:
            pairs.append((i, j))
        gap = _common(
            [(node.depth, node.kind) for node in before[i + 1 : k]],
            [(node.depth, node.kind) for node in after[j + 1 : m]],
        )
        pairs += [(i + 1 + a, j + 1 + b) for a, b in gap]
    return pairs


def _common(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """A longest common subsequence; what begins and ends alike is not searched."""
    if not before or not after:
        return []
    head, shorter = 0, min(len(before), len(after))
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    pairs = [(i, i) for i in range(head)]
    left, right = before[head : len(before) - tail], after[head : len(after) - tail]
    if left and right:
        # Small numbers: rapidfuzz looks at hashes, which may collide.
        numbers: dict[Hashable, int] = {}
        a = [numbers.setdefault(one, len(numbers)) for one in left]
        b = [numbers.setdefault(one, len(numbers)) for one in right]
        for op in LCSseq.opcodes(a, b):
            if op.tag == "equal":
                pairs += [
                    (head + i, head + j)
                    for i, j in zip(
                        range(op.src_start, op.src_end),
                        range(op.dest_start, op.dest_end),
                        strict=True,
                    )
                ]
    end = len(before) - tail, len(after) - tail
    return pairs + [(end[0] + i, end[1] + i) for i in range(tail)]
