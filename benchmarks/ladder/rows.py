"""The turns: of the test split, whole sessions in a seeded order, their turns in order."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from worldline import jsonl
from worldline.collect.importers.common import read_common
from worldline.trajectory import Trajectory

DOMAINS = ("terminal", "mcp", "swe", "search", "web", "os", "android")
TURNS = {"android": 12}
USUAL_TURNS = 6
"""Turns of a session at most, so that more sessions take part (Android has two in the split)."""
SEED = 0


def sessions(folder: Path, domain: str, split: str = "test") -> list[Trajectory]:
    """The sessions of a split, cut to `TURNS`, in the order that every run takes them.

    Sources take turns, so that a collection with many sessions does not crowd out the others.
    """
    splits = jsonl.loads((folder / "splits.json").read_bytes())
    found = [one for one in read_common(folder / f"{domain}.jsonl") if splits[one.id] == split]
    groups: dict[str, list[Trajectory]] = {}
    for one in sorted(found, key=_order):
        groups.setdefault(one.dialect, []).append(one)
    most = TURNS.get(domain, USUAL_TURNS)
    return [
        msgspec.structs.replace(one, turns=one.turns[:most])
        for one in _in_turn(list(groups.values()))
    ]


def _in_turn(groups: list[list[Trajectory]]) -> Iterator[Trajectory]:
    for place in range(max(map(len, groups), default=0)):
        for group in groups:
            if place < len(group):
                yield group[place]


def _order(one: Trajectory) -> bytes:
    return hashlib.blake2b(f"{SEED}|{one.id}".encode(), digest_size=8).digest()
