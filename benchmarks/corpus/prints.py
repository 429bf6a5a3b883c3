"""Fingerprints of episodes: enough to tell whether playing one again gave the same.

An observation counts without its runtime metadata (`worldline.collect.masks`).
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from benchmarks.show.known import claims
from worldline import jsonl
from worldline.collect.masks import masked
from worldline.columns import escape
from worldline.domains import domain as find_domain
from worldline.trajectory import Trajectory


class Print(msgspec.Struct, frozen=True, kw_only=True):
    """One episode's: hashes of its actions and of its masked observations, and what the ledger
    claimed over it, protocol answers apart, and how many of these claims were wrong."""

    id: str
    number: int
    domain: str
    dialect: str
    family: str
    turns: int
    characters: int
    masked: int
    actions: str
    observations: str
    known: int
    wrong: int
    protocol: int
    refused: int


def fingerprint(one: Trajectory) -> Print:
    """The fingerprint of an episode."""
    actions, observations = hashlib.sha256(), hashlib.sha256()
    characters = taken = 0
    for turn in one.turns:
        actions.update(escape(turn.action).encode("utf-8", "surrogatepass") + b"\0")
        seen = masked(one.domain, turn.observation)
        observations.update(seen.text.encode("utf-8", "surrogatepass") + b"\0")
        characters, taken = characters + len(turn.observation), taken + seen.characters
    made = claims(find_domain(one.domain), one)
    known = [claim for claim in made if claim.known.origin == "known"]
    protocol = [claim for claim in made if claim.known.origin == "protocol"]
    return Print(
        id=one.id,
        number=one.meta["episode"],
        domain=one.domain,
        dialect=one.dialect,
        family=one.meta["family"],
        turns=len(one.turns),
        characters=characters,
        masked=taken,
        actions=actions.hexdigest()[:16],
        observations=observations.hexdigest()[:16],
        known=len(known),
        wrong=sum(not claim.right for claim in known),
        protocol=len(protocol),
        refused=sum(not claim.right for claim in protocol),
    )


def read(path: Path) -> Iterator[Print]:
    """Those that were kept."""
    for line in jsonl.read(path):
        yield jsonl.convert(line.value, Print)
