"""A part of a source that stands for all of it: spread evenly over domains and sessions, by a seed.

Domains take turns, and within each its sessions do, both in an order drawn by the seed, until
enough turns are chosen. What is chosen keeps the order of the input.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain, islice, zip_longest

from worldline.bench.rows import BenchRow, session_of
from worldline.bench.source import Item, Source
from worldline.bench.suite import Evaluated
from worldline.trajectory import Trajectory

Place = tuple[int, int]
"""Number of an item of the source, from 0, and the turn of it."""


def sampled(
    source: Source,
    count: int,
    seed: int,
    *,
    domains: Collection[str] | None = None,
    max_turns: int | None = None,
) -> Source:
    """`count` turns of a source, or all where it has no more.

    Args:
        domains: only of these.
        max_turns: only turns up to this one.
    """
    sessions: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for number, item in enumerate(source.items()):
        domain, session, turns = _of(item)
        if domains and domain not in domains:
            continue
        kept = [turn for turn in turns if max_turns is None or turn <= max_turns]
        sessions[domain][session].extend((number, turn) for turn in kept)
    orders = [_in_turn(seed, sessions[name]) for name in _drawn(seed, sessions)]
    chosen: dict[int, list[int]] = defaultdict(list)
    for number, turn in islice(_alternately(orders), count):
        chosen[number].append(turn)
    total = sum(map(len, chosen.values()))
    return source._replace(items=lambda: _chosen(source, chosen), total=lambda: total)


def _of(item: Item) -> tuple[str, str, Collection[int]]:
    """Domain, session and turns of an item."""
    if isinstance(item, BenchRow):
        return item.domain, session_of(item), [item.turn]
    whole = item.trajectory if isinstance(item, Evaluated) else item
    turns = item.turns if isinstance(item, Evaluated) else range(1, len(item.turns) + 1)
    return whole.domain, f"{whole.id}/{whole.cluster}", turns


def _in_turn(seed: int, sessions: dict[str, list[Place]]) -> list[Place]:
    """The places of a domain, one of each session before a second of any."""
    orders = [
        sorted(sessions[name], key=lambda place: _hash(seed, f"{name}|{place[1]}|{place[0]}"))
        for name in _drawn(seed, sessions)
    ]
    return list(_alternately(orders))


def _alternately(orders: list[list[Place]]) -> Iterator[Place]:
    rounds = chain.from_iterable(zip_longest(*orders))
    return (place for place in rounds if place is not None)


def _drawn(seed: int, names: Collection[str]) -> list[str]:
    return sorted(names, key=lambda name: _hash(seed, name))


def _hash(seed: int, what: str) -> bytes:
    key = f"{seed}|{what}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(key, digest_size=8).digest()


def _chosen(source: Source, chosen: dict[int, list[int]]) -> Iterator[Item]:
    for number, item in enumerate(source.items()):
        if number not in chosen:
            continue
        if isinstance(item, BenchRow):
            yield item
            continue
        whole: Trajectory = item.trajectory if isinstance(item, Evaluated) else item
        yield Evaluated(whole, tuple(sorted(chosen[number])))
