"""Many nodes that moved by the same distance: ``~ H..K at+=0,-40``.

A page that scrolls, or a bar that appears above it, changes one number in every line below. Said
once for a stretch of nodes it is one edit, not one a node.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from worldline.trees.align import Pairs
from worldline.trees.node import Node, Value

_WORDS = re.compile(
    r"[A-Za-z_][\w.:/$@#*-]*\+=-?\d{1,9}(?:,-?\d{1,9})*"
    r"(?: [A-Za-z_][\w.:/$@#*-]*\+=-?\d{1,9}(?:,-?\d{1,9})*)*"
)
_LEAST = 2
"""Nodes that a shift must move to be shorter than naming each."""
SHIFTS = 200
"""Shifts that a script may have: each may look at the whole state."""

By = dict[str, tuple[int, ...]]
"""What is added to the numbers of each attribute."""


class Run(NamedTuple):
    """The nodes from index `first` to `last`, in order; those without such numbers stay."""

    first: int
    last: int
    by: By


def read_by(text: str) -> By | None:
    """The words ``name+=numbers``; `None` if the text is anything else."""
    if not _WORDS.fullmatch(text):
        return None
    pairs = (word.split("+=") for word in text.split(" "))
    return {name: tuple(map(int, numbers.split(","))) for name, numbers in pairs}


def write_by(by: By) -> str:
    """The words of a shift."""
    return " ".join(f"{name}+={','.join(map(str, numbers))}" for name, numbers in by.items())


def shifted(node: Node, by: By) -> Node:
    """The node with the numbers added to attributes that hold as many."""
    if not any(name in by for name, _ in node.attrs):
        return node
    attrs = tuple((name, _added(value, by.get(name))) for name, value in node.attrs)
    return msgspec.structs.replace(node, attrs=attrs)


def _added(value: Value, by: tuple[int, ...] | None) -> Value:
    if by is None or not isinstance(value, tuple) or len(value) != len(by):
        return value
    return tuple(a + b for a, b in zip(value, by, strict=True))


def find_runs(before: Sequence[Node], after: Sequence[Node], pairs: Pairs) -> list[Run]:
    """Stretches whose nodes differ by the same numbers, worth an edit of their own."""
    steps: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
    for i, j in pairs:
        there = dict(after[j].attrs)
        for name, old in before[i].attrs:
            new = there.get(name)
            if isinstance(old, tuple) and isinstance(new, tuple) and len(old) == len(new):
                by = tuple(b - a for a, b in zip(old, new, strict=True))
                steps.setdefault(name, []).append((i, by))
    found: dict[tuple[int, int], By] = {}
    for name, moves in steps.items():
        for first, last, by in _runs(moves):
            found.setdefault((first, last), {})[name] = by
    return [Run(first, last, by) for (first, last), by in sorted(found.items())][:SHIFTS]


def _runs(moves: Sequence[tuple[int, tuple[int, ...]]]) -> list[tuple[int, int, tuple[int, ...]]]:
    """(first, last, by) of stretches that move alike; one node in between may move otherwise."""
    runs: list[tuple[int, int, tuple[int, ...]]] = []
    at = 0
    while at < len(moves):
        by, end, count, look = moves[at][1], at, 1, at + 1
        while any(by) and look < len(moves) and look - end <= 2:
            if moves[look][1] == by:
                end, count = look, count + 1
            look += 1
        if count >= _LEAST:
            runs.append((moves[at][0], moves[end][0], by))
        at = end + 1
    return runs
