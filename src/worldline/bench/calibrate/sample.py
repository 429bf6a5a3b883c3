"""Recorded turns to calibrate on: of each domain as many, of as many sessions, drawn by a seed."""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from worldline.bench.rows import BenchRow, rows_of, session_of, trajectory_of
from worldline.bench.source import Item, Source
from worldline.bench.suite import Evaluated
from worldline.errors import UsageError
from worldline.trajectory import Trajectory
from worldline.verify.corrupt import corruptions
from worldline.verify.measure import Moment
from worldline.verify.moments import moments

SPARE = 4
"""Turns that are kept for each that is wanted: not all can be made wrong."""


class Drawn(NamedTuple):
    """A recorded turn, as a row and as the moment that it is measured at."""

    row: BenchRow
    moment: Moment

    @property
    def domain(self) -> str:
        """The row's domain."""
        return self.row.domain


class _Place(NamedTuple):
    """Where a turn is to be found again."""

    key: str
    item: BenchRow | Trajectory
    turn: int


def drawn(
    source: Source, each: int, seed: int = 0, domains: Iterable[str] | None = None
) -> Iterator[tuple[str, Iterator[Drawn]]]:
    """For each domain turns in a drawn order, one of a session, at most `SPARE * each`.

    Args:
        domains: only these.

    Raises:
        UsageError: there is no turn of a domain that observations can be made wrong for.
        DataError: a row is broken.
    """
    wanted = None if domains is None else set(domains)
    kept: dict[str, dict[str, _Place]] = {}
    order: dict[str, str] = {}
    seen: set[str] = set()
    for session, domain, place in _places(source.items(), seed):
        seen.add(domain)
        if not able(domain) or (wanted is not None and domain not in wanted):
            continue
        some = kept.setdefault(domain, {})
        if session not in some or place.key < some[session].key:
            some[session] = place
            order[session] = _hash(seed, session)
        if len(some) > SPARE * each:
            del some[max(some, key=lambda one: order[one])]
    if not kept:
        raise _nothing(source.name, seen, wanted)
    for domain in sorted(kept):
        places = [kept[domain][one] for one in sorted(kept[domain], key=lambda one: order[one])]
        yield domain, map(_drawn, places)


def _nothing(name: str, seen: set[str], wanted: set[str] | None) -> UsageError:
    missing = wanted - seen if wanted is not None else set()
    if wanted is not None and missing == wanted and any(map(able, wanted)):
        asked, has = ", ".join(sorted(wanted)), ", ".join(sorted(seen)) or "nothing"
        return UsageError(
            f"has no turn of {asked}: it has {has}",
            file=name,
            field="domain",
            remedy=f"Give recordings of {asked}: worldline bench calibrate FILE --domain ...",
        )
    return UsageError(
        "has no turn whose observation can be made wrong on purpose",
        file=name,
        remedy="Give turns of terminal, swe, mcp, search, web, os or android.",
    )


def able(domain: str) -> bool:
    """Whether there are ways of making an observation of the domain wrong."""
    try:
        return bool(corruptions(domain))
    except (ImportError, AttributeError):
        return False


def _places(items: Iterable[Item], seed: int) -> Iterator[tuple[str, str, _Place]]:
    for item in items:
        if isinstance(item, BenchRow):
            session = session_of(item)
            key = _hash(seed, f"{session}|{item.turn}")
            yield session, item.domain, _Place(key, item, item.turn)
            continue
        whole = item.trajectory if isinstance(item, Evaluated) else item
        turns = item.turns if isinstance(item, Evaluated) else range(1, len(item.turns) + 1)
        session = f"{whole.id}/{whole.cluster}"
        found = [_Place(_hash(seed, f"{session}|{turn}"), whole, turn) for turn in turns]
        if found:
            yield session, whole.domain, min(found, key=lambda one: one.key)


def _drawn(place: _Place) -> Drawn:
    if isinstance(place.item, BenchRow):
        *_, last = moments(trajectory_of(place.item))
        return Drawn(place.item, last)
    row = next(rows_of(place.item, [place.turn]))
    return Drawn(row, next(islice(moments(place.item), place.turn - 1, None)))


def _hash(seed: int, what: str) -> str:
    key = f"{seed}|{what}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(key, digest_size=8).hexdigest()
