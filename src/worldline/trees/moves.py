"""Blocks of nodes that now stand elsewhere: ``> H..K <L``.

A window that is raised changes its place among the others with all that is in it. Said as a move it
is one line; said as a removal and an addition it is the whole window. Moves are carried out first
and in order; every other edit then finds the nodes where they stand, under the names they had.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import msgspec

from worldline.trees.align import Pairs, common
from worldline.trees.line import write
from worldline.trees.node import Node

LOOK = 8
"""Places of equal nodes that are tried."""
WORTH = 24
"""Characters that a block must save."""
MOVES = 200
"""Moves that a script may have: each looks at the whole state."""


class Block(NamedTuple):
    """Nodes `first` to `stop - 1` of the state before, to stand before node `before` of it."""

    first: int
    stop: int
    before: int


def find_blocks(
    old: Sequence[Node], new: Sequence[Node], pairs: Pairs, key: Callable[[Node], Hashable]
) -> list[Block]:
    """What has moved among the nodes that an alignment leaves over, in its new order."""
    return _Finder(old, new, pairs, key).blocks()[:MOVES]


class _Finder:
    """Pairs each stretch of new nodes with the stretch of left nodes most of them come from."""

    def __init__(
        self,
        old: Sequence[Node],
        new: Sequence[Node],
        pairs: Pairs,
        key: Callable[[Node], Hashable],
    ) -> None:
        self.old = old
        self.was: list[Hashable] = [(node.depth, key(node)) for node in old]
        self.now: list[Hashable] = [(node.depth, key(node)) for node in new]
        self.new_runs = _runs(len(new), {j for _, j in pairs})
        self.partner = {j: i for i, j in pairs}
        self.runs = _runs(len(old), {i for i, _ in pairs})
        self.run_of = [-1] * len(old)
        self.places: dict[Hashable, list[int]] = {}
        for number, (start, stop) in enumerate(self.runs):
            self.run_of[start:stop] = [number] * (stop - start)
            for i in range(start, stop):
                self.places.setdefault(self.was[i], []).append(i)

    def blocks(self) -> list[Block]:
        found = []
        for start, stop in self.new_runs:
            run = self._source(start, stop)
            span = self._span(self.runs[run], (start, stop)) if run >= 0 else None
            if span is not None:
                found.append(Block(*span, self.partner.get(stop, len(self.old))))
                self._take(run, span)
        return found

    def _source(self, start: int, stop: int) -> int:
        """The stretch of old nodes that holds most of these; -1 for none."""
        votes = Counter(
            self.run_of[i]
            for j in range(start, stop)
            for i in self.places.get(self.now[j], ())[:LOOK]
        )
        votes.pop(-1, None)
        return votes.most_common(1)[0][0] if votes else -1

    def _span(self, there: tuple[int, int], here: tuple[int, int]) -> tuple[int, int] | None:
        """The old nodes from the first to the last that come here, as whole subtrees.

        `None` if too little is won.
        """
        shared = common(self.was[slice(*there)], self.now[slice(*here)])
        if not shared:
            return None
        first, stop = there[0] + shared[0][0], there[0] + shared[-1][0] + 1
        top = self.old[first].depth
        stop = next((i for i in range(first, stop) if self.old[i].depth < top), stop)
        while stop > first and stop < len(self.old) and _below(self.old, stop):
            stop -= 1
        won = (self.old[there[0] + i] for i, _ in shared if there[0] + i < stop)
        return (first, stop) if sum(len(write(node, "")) for node in won) > WORTH else None

    def _take(self, run: int, span: tuple[int, int]) -> None:
        """These nodes are spoken for; what is left of their stretch is two."""
        start, stop = self.runs[run]
        self.run_of[slice(*span)] = [-1] * (span[1] - span[0])
        self.run_of[span[1] : stop] = [len(self.runs)] * (stop - span[1])
        self.runs[run] = start, span[0]
        self.runs.append((span[1], stop))


def _runs(length: int, kept: set[int]) -> list[tuple[int, int]]:
    """Stretches of numbers under `length` that are not kept."""
    runs, at = [], 0
    while at < length:
        start = at
        while at < length and at not in kept:
            at += 1
        if at > start:
            runs.append((start, at))
        at += 1
    return runs


def _below(nodes: Sequence[Node], i: int) -> bool:
    return nodes[i].depth > nodes[i - 1].depth


def move(order: list[int], nodes: list[Node], span: tuple[int, int], slot: int, depth: int) -> None:
    """Move what stands at ``span[0]`` to ``span[1] - 1`` before `slot`, its first node at `depth`.

    Args:
        order: numbers of the nodes, moved alike.
    """
    first, stop = span
    down = depth - nodes[first].depth
    numbers = order[first:stop]
    block = [msgspec.structs.replace(node, depth=node.depth + down) for node in nodes[first:stop]]
    at = slot if slot <= first else slot - (stop - first)
    for sequence, part in ((order, numbers), (nodes, block)):
        del sequence[first:stop]
        sequence[at:at] = part  # type: ignore[assignment]
