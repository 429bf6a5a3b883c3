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
    same = _without_chance(before, after, same)
    pairs: Pairs = []
    for (i, j), (k, m) in pairwise([(-1, -1), *same, (len(before), len(after))]):
        if i >= 0:
            pairs.append((i, j))
        gap = _common(
            [(node.depth, node.kind) for node in before[i + 1 : k]],
            [(node.depth, node.kind) for node in after[j + 1 : m]],
        )
        pairs += _worth(before, after, [(i + 1 + a, j + 1 + b) for a, b in gap])
    return pairs


def _without_chance(before: Sequence[Node], after: Sequence[Node], pairs: Pairs) -> Pairs:
    """Without nodes that say nothing and stand alone among others: empty lines of two texts."""
    edges: Pairs = [(-1, -1), *pairs, (len(before), len(after))]
    return [
        (i, j)
        for (h, k), (i, j), (m, n) in zip(edges, pairs, edges[2:], strict=False)
        if before[i].attrs or h == i - 1 or k == j - 1 or m == i + 1 or n == j + 1
    ]


def _worth(before: Sequence[Node], after: Sequence[Node], pairs: Pairs) -> Pairs:
    """Without runs of leaves that share no attribute: those are other nodes, not changed ones."""
    kept: Pairs = []
    run: Pairs = []
    for i, j in pairs:
        other = _leaf(before, i) and _leaf(after, j) and not _share(before[i], after[j])
        if not other or (run and run[-1] != (i - 1, j - 1)):
            kept += run if len(run) == 1 else []
            run = []
        if other:
            run.append((i, j))
        else:
            kept.append((i, j))
    return kept + (run if len(run) == 1 else [])


def _leaf(nodes: Sequence[Node], i: int) -> bool:
    return i + 1 == len(nodes) or nodes[i + 1].depth <= nodes[i].depth


def _share(one: Node, other: Node) -> bool:
    return one.attrs == other.attrs or not set(one.attrs).isdisjoint(other.attrs)


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
