"""The exact scorecard of one observation: what is true, what is merely plausible."""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import msgspec

from worldline.domains.base import Domain, Ledger
from worldline.domains.parts import STATUS, Part
from worldline.domains.talk import Aside, set_aside, talk
from worldline.verify import runtime
from worldline.verify.compare import Against, Compared, Difference, claims, compare
from worldline.verify.knowable import unknown_words
from worldline.verify.plain import Plain, plain
from worldline.verify.scorecard import PERFECT, Dimensions, dimensions
from worldline.verify.seen import Seen

_SIGNS = ((re.compile(r"[^\W\d_]+"), "a"), (re.compile(r"\d+"), "0"), (re.compile(r"\s+"), " "))
_RUN = re.compile(r"a(?:[ -]a)+")


class Moment(NamedTuple):
    """A recorded session just before one of its turns, and what really came."""

    domain: Domain
    ledger: Ledger
    turn: int
    """From 1."""
    action: str
    truth: str
    before: str | None
    """The state that the action acts on, where states are trees."""
    seen: Seen


class Scorecard(msgspec.Struct, frozen=True, kw_only=True):
    """One observation against the truth."""

    true: Dimensions
    """What is verified equal; runtime metadata equal by pattern. The headline, and the reward."""
    plausible: Dimensions
    """Another value of the same shape counts as right."""
    unknown: tuple[str, ...]
    """Words of the truth that nothing before this turn determines."""
    plain: Plain
    differences: tuple[Difference, ...]
    claims: int
    """Parts of the observation that say something of the environment: its frame and runtime
    metadata apart. None where the dialect cannot read it."""
    lies: int
    """Of these, the ones that the truth contradicts: another value than the true one, one that is
    no longer true, or something that is not there."""

    @property
    def unknowable(self) -> bool:
        """Whether nobody could have known the truth from the context."""
        return bool(self.unknown)


def score(moment: Moment, given: str) -> Scorecard:
    """The scorecard of an observation at a moment of a recorded session."""
    domain, ledger, action, truth = moment.domain, moment.ledger, moment.action, moment.truth
    columns = plain(domain, ledger, action, truth, given, moment.before)
    parts = partial(domain.parts, ledger, action)
    true = parts(truth)
    unknown = tuple(unknown_words(moment, true))
    if given == truth:
        return Scorecard(
            true=PERFECT,
            plausible=PERFECT,
            unknown=unknown,
            plain=columns,
            differences=(),
            claims=sum(claims(part) for part in true or ()),
            lies=0,
        )
    found = _differences(moment, true, parts, given)
    return Scorecard(
        true=dimensions(found),
        plausible=dimensions(_forgiven(found)),
        unknown=unknown,
        plain=columns,
        differences=found.differences,
        claims=found.claims,
        lies=sum(_lies(one) for one in found.differences) if found.readable else 0,
    )


def _lies(one: Difference) -> bool:
    return one.given is not None and claims(one.given) and one.what != "talk"


def _differences(
    moment: Moment,
    true: list[Part] | None,
    parts: Callable[[str], list[Part] | None],
    given: str,
) -> Compared:
    """What an observation differs in from the truth, whose parts are known."""
    aside = set_aside(given, blanks=not moment.truth.startswith("\n"))
    if aside.said and set_aside(moment.truth).said:
        aside = Aside(given, ())  # the environment itself talks like that here
    shown = parts(aside.observation)
    if true is None or shown is None:
        # What cannot be read is compared word by word: form is lost, content need not be.
        found = compare(_words(moment.truth), _words(aside.observation), _against(moment))
        if true is not None:  # its own readers would get nothing out of it: it says nothing
            lost = Difference("format", "unreadable")
            differences = (lost, *found.differences)
            found = found._replace(differences=differences, readable=False, same=0, claims=0)
    else:
        found = compare(true, shown, _against(moment))
    told = tuple(Difference("realism", "talk", None, Part(line)) for line in aside.said)
    return found._replace(differences=(*found.differences, *told), talk=len(told))


def _against(moment: Moment) -> Against:
    patterns = moment.domain.runtime

    @cache
    def before() -> frozenset[str]:
        if moment.before is None:
            return frozenset()
        parts = moment.domain.parts(moment.ledger, moment.action, moment.before)
        return frozenset(part.text for part in parts or () if part.span)

    def stale(one: Part, other: Part) -> bool:
        # Nodes of a state are pieces that need not be lines, and may come back to what they were.
        if other.text in before() and one.text not in before():
            return True
        old = moment.seen.line(other.text, moment.turn)
        return old and not moment.seen.line(one.text, moment.turn)

    return Against(
        same=lambda one, other: runtime.same(one, other, patterns),
        possible=lambda text: runtime.possible(text, patterns),
        stale=stale,
        talk=lambda text: talk(text) is not None,
    )


_WORD = re.compile(r"\w+|[^\w\s]")


def _words(text: str) -> list[Part]:
    return [Part(found[0], "content", "", found.start()) for found in _WORD.finditer(text)]


def _forgiven(found: Compared) -> Compared:
    """The comparison, with other values of the same shape taken for right."""
    alike = [_alike(one) for one in found.differences]
    kept = tuple(one for one, gone in zip(found.differences, alike, strict=True) if not gone)
    forgiven = [one for one, gone in zip(found.differences, alike, strict=True) if gone]
    return found._replace(
        differences=kept,
        equal=found.equal + sum(one.dimension == "factuality" for one in forgiven),
        same=found.same + sum(bool(one.truth and one.truth.key != STATUS) for one in forgiven),
    )


def _alike(one: Difference) -> bool:
    if one.truth is None or one.given is None or one.what not in ("changed", "stale"):
        return False
    return one.dimension != "format" and shape(one.truth.text) == shape(one.given.text)


def shape(text: str) -> str:
    """A text with each word, number and gap as one sign: two lines of a listing are alike."""
    for pattern, sign in _SIGNS:
        text = pattern.sub(sign, text)
    return _RUN.sub("a", text)
