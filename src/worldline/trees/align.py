"""Which node of one state is which of the next.

Two passes over the nodes in document order. First the longest common sequence by (depth, the
dialect's key): those are the same nodes. Then, between two of those, what is left over on both
sides is paired by (depth, kind): the same place holding another text is a change, not a removal
and an addition.
"""

from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise

from worldline.trees.line import pair, write
from worldline.trees.node import Node

CUT = 8
"""Characters that a line of its own costs: a mark, a handle, a line end."""

Pairs = list[tuple[int, int]]
"""(index before, index after), growing in both."""


def align(before: Sequence[Node], after: Sequence[Node], key: Callable[[Node], Hashable]) -> Pairs:
    """The nodes that are the same, in order."""
    same = common(
        [(node.depth, key(node)) for node in before], [(node.depth, key(node)) for node in after]
    )
    same = _without_chance(before, after, same)
    pairs: Pairs = []
    for (i, j), (k, m) in pairwise([(-1, -1), *same, (len(before), len(after))]):
        if i >= 0:
            pairs.append((i, j))
        gap = common(
            [(node.depth, node.kind) for node in before[i + 1 : k]],
            [(node.depth, node.kind) for node in after[j + 1 : m]],
        )
        pairs += _worth(before, after, [(i + 1 + a, j + 1 + b) for a, b in gap])
    return _without_chance(before, after, pairs)


def _without_chance(before: Sequence[Node], after: Sequence[Node], pairs: Pairs) -> Pairs:
    """Without pairs that stand alone among what goes and comes, and are no shorter to keep.

    Empty lines of two texts, unnamed labels of two pages: they only cut a removal and an addition.
    """
    kept: Pairs = []
    edges: Pairs = [(-1, -1), *pairs, (len(before), len(after))]
    for (h, k), (i, j), (m, n) in zip(edges, pairs, edges[2:], strict=False):
        cuts = (h < i - 1 and m > i + 1) + (k < j - 1 and n > j + 1)
        if not cuts or _change(before[i], after[j]) + cuts * CUT <= len(write(after[j], "")):
            kept.append((i, j))
    return kept


def _change(old: Node, new: Node) -> int:
    """About how many characters it takes to say what is different."""
    had = set(old.attrs)
    words = [pair(name, value) for name, value in new.attrs if (name, value) not in had]
    return len(" ".join(words)) + CUT if words or len(old.attrs) > len(new.attrs) else 0


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


def common(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
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
        from rapidfuzz.distance import LCSseq  # only where states are compared

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
