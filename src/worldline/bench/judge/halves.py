"""Rows on which a judge tells truth from invention, in two halves: to choose on, to report on."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple

from worldline import jsonl
from worldline.bench.calibrate.sample import able, drawn
from worldline.bench.judge.given import given
from worldline.bench.source import Source
from worldline.bench.versus.pairs import Pair, bare, turing
from worldline.bench.versus.truths import as_predicted
from worldline.errors import UsageError
from worldline.verify.corrupt import corruptions
from worldline.verify.measure import Moment

ROWS = 40
HEAVINESS = 0.3
"""Of corruptions, where no predictions are given."""


class Halves(NamedTuple):
    """Rows to choose on, and rows to report on; no session is in both."""

    choose: list[Pair]
    report: list[Pair]
    sha: str


def from_predictions(path: Path, domain: str, rows: int = ROWS, seed: int = 0) -> Halves:
    """Truth against what a model predicted.

    Raises:
        DataError: a row is broken.
        UsageError: too few rows of the domain can be asked about.
    """
    found = turing(path)
    usable = (
        pair
        for pair in found.rows
        if pair.given.row.domain == domain and pair.reason is None and not pair.equal
    )
    return _halves(_sampled(usable, rows, seed), seed, domain, str(path))


def from_recordings(source: Source, domain: str, rows: int = ROWS, seed: int = 0) -> Halves:
    """Truth against the same made wrong on purpose.

    Words about the answer are no part of it: everybody sees them.

    Raises:
        UsageError: too few turns of the domain can be made wrong.
    """
    if not able(domain):
        raise UsageError(
            f"has no ways of making an observation of {domain} wrong",
            field="domain",
            remedy="Give predictions of it: --predictions FILE.",
        )
    found: list[Pair] = []
    for _, turns in drawn(source, rows, seed, [domain]):
        for number, one in enumerate(turns):
            text = _wrong(one.moment, Random(f"{seed}|{domain}|{number}"))
            if text is not None:
                made = given(as_predicted(one.row, text, "corrupted"))
                found.append(Pair(made, bare(one.moment.truth), bare(text), made.of))
    return _halves(found[:rows], seed, domain, source.name)


def _wrong(moment: Moment, rng: Random) -> str | None:
    ways = [one for one in corruptions(moment.domain.id) if one.dimension != "realism"]
    for way in rng.sample(ways, len(ways)):
        text = way.make(moment, rng, HEAVINESS)
        if text is not None and bare(text) != bare(moment.truth):
            return text
    return None


def _sampled(pairs: Iterable[Pair], rows: int, seed: int) -> list[Pair]:
    """At most so many, each as likely as any other."""
    rng, kept = Random(seed), list[Pair]()
    for number, pair in enumerate(pairs):
        if number < rows:
            kept.append(pair)
        elif (place := rng.randrange(number + 1)) < rows:
            kept[place] = pair
    return kept


def _halves(pairs: list[Pair], seed: int, domain: str, name: str) -> Halves:
    sessions: dict[str, list[Pair]] = {}
    for pair in pairs:
        sessions.setdefault(pair.given.session, []).append(pair)
    order = sorted(sessions)
    Random(seed).shuffle(order)
    choose: list[Pair] = []
    report: list[Pair] = []
    for session in order:
        (choose if len(choose) <= len(report) else report).extend(sessions[session])
    if not report:
        raise UsageError(
            f"has rows of {domain} from {len(order)} sessions; there must be two at least",
            file=name,
            remedy="Give more rows of this domain that differ from their truth.",
        )
    return Halves(
        choose, report, jsonl.sha([[one.of for one in half] for half in (choose, report)])
    )
