"""What the checks count."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.verify.sessions import drawn, sessions
from worldline.prediction import Violation
from worldline.verify.compare import DIMENSIONS
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments


def errors(moment: Moment, observation: str) -> list[Violation]:
    """What the guard holds to be impossible in an observation."""
    found = moment.domain.checks(moment.ledger, moment.action, observation)
    return [one for one in found if one.severity == "error"]


class Alarm(NamedTuple):
    """Recorded truth that draws an error: the guard is wrong."""

    trajectory: str
    dialect: str
    turn: int
    violation: Violation
    truth: str


def truth(data: Path, domain: str) -> tuple[Counter[str], list[Alarm]]:
    """Dialect -> turns, and every false alarm of the guard on recorded truth."""
    turns: Counter[str] = Counter()
    alarms: list[Alarm] = []
    for one in sessions(data, domain):
        for moment in moments(one):
            turns[one.dialect] += 1
            alarms += [
                Alarm(one.id, one.dialect, moment.turn, error, moment.truth)
                for error in errors(moment, moment.truth)
            ]
    return turns, alarms


class Broken(NamedTuple):
    """One corruption of one row, scored."""

    dialect: str
    name: str
    drops: bool
    """Its declared dimension of ``true`` is below the truth's."""
    still: bool
    """Each other dimension moved by at most 0.1."""
    above: bool
    """It scores no less than the truth."""
    heavier_better: bool
    """The same corruption at full strength scores more."""
    caught: bool
    """The guard, without the truth, holds it to be impossible."""
    row: int
    talk: bool
    """What was added is words about the answer, which any text shows."""


def broken(data: Path, domain: str, each: int, seed: int = 0) -> Iterator[Broken]:
    """Every corruption on moments drawn at random."""
    for row, (dialect, moment) in enumerate(drawn(data, domain, each, seed)):
        whole = score(moment, moment.truth).true
        for one in corruptions(domain):
            texts = [
                one.make(moment, random.Random(f"{seed}|{row}|{one.name}"), heaviness)
                for heaviness in (0.0, 1.0)
            ]
            light, heavy = texts
            if light is None or heavy is None or light.rstrip() == moment.truth.rstrip():
                continue
            card = score(moment, light).true
            moved = {name: getattr(whole, name) - getattr(card, name) for name in DIMENSIONS}
            yield Broken(
                dialect=dialect,
                name=one.name,
                drops=moved[one.dimension] > 0,
                still=all(abs(v) <= 0.1 for k, v in moved.items() if k != one.dimension),
                above=card.score >= whole.score,
                heavier_better=score(moment, heavy).true.score > card.score + 1e-9,
                caught=bool(errors(moment, light)),
                row=row,
                talk=one.dimension == "realism",
            )


def benign(data: Path, domain: str, each: int, seed: int = 0) -> Iterator[tuple[str, float]]:
    """Every benign variant on moments drawn at random: its name and its score."""
    for row, (_, moment) in enumerate(drawn(data, domain, each, seed)):
        for one in variants(domain):
            text = one.make(moment, random.Random(f"{seed}|{row}|{one.name}"))
            if text is not None and text != moment.truth:
                yield one.name, score(moment, text).true.score
