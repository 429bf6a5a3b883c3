"""Measures and rules on whatever a model may say: no crash, spans in the text, shares that are."""

from collections.abc import Callable, Iterator
from functools import cache, partial

from benchmarks.fuzz.seeds import of_dialect, trajectories
from benchmarks.fuzz.targets import Broken, Target
from benchmarks.verify.sessions import DOMAINS, lies
from worldline.bench.sides import sides
from worldline.bench.verified import Sides, Verified
from worldline.domains import domain as find_domain
from worldline.domains.talk import set_aside, talks
from worldline.verify.compare import DIMENSIONS
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

MOMENTS = 6
"""Moments of a dialect that a text is measured at."""


def targets() -> Iterator[Target]:
    """One a dialect, and what is shared."""
    for name in DOMAINS:
        for dialect in find_domain(name).dialects:
            if _moments(name, dialect):
                seeds = partial(of_dialect, name, dialect, "observation")
                yield Target(f"verify.{name}.{dialect}", _measured(name, dialect), seeds)
    yield Target("domains.talk", said, lambda: of_dialect("terminal", "command", "observation"))
    yield Target("bench.verify_page", shown, lambda: of_dialect("web", "labelled", "observation"))


@cache
def _moments(domain: str, dialect: str) -> tuple[Moment, ...]:
    found = [one.trajectory for one in lies(domain) if one.trajectory.dialect == dialect]
    found += [one for one in trajectories(domain) if one.dialect == dialect]
    return tuple(list(moments(one))[-1] for one in found[:MOMENTS] if one.turns)


def _measured(domain: str, dialect: str) -> Callable[[str], None]:
    def run(text: str) -> None:
        for moment in _moments(domain, dialect):
            measure(moment, text)

    return run


def measure(moment: Moment, text: str) -> None:
    """Score a text and run the rules on it."""
    card = score(moment, text)
    for column in (card.true, card.plausible):
        for name in DIMENSIONS:
            if not 0 <= getattr(column, name) <= 1:
                raise Broken(f"{name} is {getattr(column, name)}")
    if not 0 <= card.lies <= card.claims:
        raise Broken(f"{card.lies} lies among {card.claims} claims")
    if text.rstrip() != moment.truth.rstrip() and card.true.score > 1:
        raise Broken("scores more than the truth")
    for one in card.differences:
        for part, whole in ((one.truth, moment.truth), (one.given, text)):
            if part is not None and part.span is not None and part.span[1] > len(whole):
                raise Broken(f"a difference at {part.span} of {len(whole)} characters")
    for rule in moment.domain.checks(moment.ledger, moment.action, text):
        if rule.span is not None and not 0 <= rule.span[0] <= rule.span[1] <= len(text):
            raise Broken(f"{rule.rule} at {rule.span} of {len(text)} characters")


def said(text: str) -> None:
    """Talk is found where it is, and nothing else is taken away."""
    for one in talks(text):
        if not 0 <= one.span[0] < one.span[1] <= len(text):
            raise Broken(f"talk at {one.span} of {len(text)} characters")
    found = set_aside(text)
    if found.observation not in text:
        raise Broken("what is left was not there")


def shown(text: str) -> None:
    """A row on a page: hostile text stays text."""
    row = Verified(
        line=1,
        id=text,
        session="s",
        domain="web",
        dialect="labelled",
        turn=1,
        model=text,
        origin="model",
        status="scored",
        true={"score": 0.5},
        differences=({"given": (1, 9), "truth": None},),
    )
    drawn = sides(Sides(row, text, text, text))
    for tag in ("<script", "<img", "<iframe", "<svg"):
        if tag in drawn.lower():
            raise Broken(f"{tag} reaches the page")
