"""Where an observation differs from the truth, part by part, and what each difference costs.

A difference costs exactly one dimension, so that a table of dimensions says what kind of mistake a
model makes:

* ``format``: a part of the frame is missing, surplus or another one; text that the dialect cannot
  read although the truth can be read.
* ``consistency``: a part of the session's state is another one, or the answer is an old one: it
  stood in this session before, and it is no longer true.
* ``realism``: words about the answer, runtime metadata in no possible form.
* ``quality``: a part is missing or surplus.
* ``factuality``: any other value that is not the true one.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
from rapidfuzz.distance import Indel

from worldline.domains.parts import STATUS, Part
from worldline.verify.aligned import aligned

Dimension = Literal["format", "factuality", "consistency", "realism", "quality"]
DIMENSIONS: tuple[Dimension, ...] = (
    "format",
    "factuality",
    "consistency",
    "realism",
    "quality",
)
NEAR = 0.5
"""Share of two values that is the same, from which on one is the other's counterpart."""
LOOKED_AT = 500
"""Characters of a value that this is decided by."""
What = Literal["changed", "stale", "missing", "extra", "unreadable", "talk", "form"]
"""What is the matter: another value, one that was true before, a part too few or too many, text the
dialect cannot read, words about the answer, runtime metadata in no possible form."""


class Difference(msgspec.Struct, frozen=True, gc=False):
    """One place where the observation is not the truth."""

    dimension: Dimension
    what: What
    truth: Part | None = None
    given: Part | None = None


class Compared(NamedTuple):
    """All differences, and how much there was to compare."""

    differences: tuple[Difference, ...]
    readable: bool
    """Whether the dialect reads the observation (or does not read the truth either)."""
    truth: int
    """Parts of the truth beside its frame."""
    given: int
    """Parts of the observation beside its frame."""
    claims: int
    """Parts of the observation that claim something (`claims`)."""
    frame: int
    """Parts of both frames, the larger number."""
    pairs: int
    """Parts of both that were set against each other, frames aside."""
    equal: int
    """Of these, parts of content that are equal."""
    state: int
    """Pairs of the session's state."""
    same: int
    """Pairs without a difference, frame and bare status aside."""
    told_truth: int
    """Parts of the truth, frame and bare status aside."""
    told_given: int
    """Parts of the observation, frame and bare status aside."""
    strange: bool = False
    """The truth says more than how it went, and nothing of that has a counterpart."""
    talk: int = 0
    """Lines of talk that were set aside before the parts were set against each other."""


class Against(NamedTuple):
    """What the comparison needs to know beside the two texts."""

    same: Callable[[str, str], bool]
    """Whether two texts are equal but for runtime metadata."""
    possible: Callable[[str], bool]
    """Whether a text could be a piece of runtime metadata."""
    stale: Callable[[Part, Part], bool]
    """Whether the given part (second) stood in the session before and the true one is newer."""
    talk: Callable[[str], bool]
    """Whether a text speaks about the answer."""


def compare(truth: list[Part] | None, given: list[Part] | None, against: Against) -> Compared:
    """Set an observation against the truth.

    Args:
        truth: parts of the truth; `None` where the dialect cannot read it.
        given: parts of the observation, in the same way.
        against: what else decides.
    """
    found: list[Difference] = []
    readable = truth is None or given is not None
    if truth is None or given is None:
        found += [] if readable else [Difference("format", "unreadable")]
    true, shown = truth or [], given or []
    equal = state = matched = same = 0
    near = False
    for one, other in _pairs(true, shown):
        if one is None or other is None:
            found.append(_alone(one, other, against))
            continue
        difference = None if one.text == other.text else _pair(one, other, against)
        if difference is not None:
            found.append(difference)
        kind = one.kind
        if kind != "frame":
            matched += 1
            equal += difference is None and kind == "content"
            state += kind == "state"
            if one.key != STATUS:
                same += difference is None
                near = near or difference is None or _near(one.text, other.text)
    kinds, others = Counter(p.kind for p in true), Counter(p.kind for p in shown)
    return Compared(
        differences=tuple(found),
        readable=readable,
        truth=len(true) - kinds["frame"],
        given=len(shown) - others["frame"],
        claims=sum(map(claims, shown)),
        frame=max(kinds["frame"], others["frame"]),
        pairs=matched,
        equal=equal,
        state=state,
        same=same,
        told_truth=_told(true),
        told_given=_told(shown),
        strange=not near and _told(true) > 0,
    )


def _told(parts: Iterable[Part]) -> int:
    return sum(part.kind != "frame" and part.key != STATUS for part in parts)


def _near(one: str, other: str) -> bool:
    """Whether two values are two tellings of one thing: most of it stands in both."""
    return Indel.normalized_similarity(one[:LOOKED_AT], other[:LOOKED_AT]) >= NEAR


def claims(part: Part) -> bool:
    """Whether a part says something of the environment: no frame, no time, no blank, no null."""
    return part.kind in ("content", "state") and part.text.strip() not in ("", "null", "None")


Pair = tuple[Part | None, Part | None]


def _pairs(true: Sequence[Part], shown: Sequence[Part]) -> Iterator[Pair]:
    """Which part of the truth belongs to which of the observation; `None`: to none."""
    keyed, rest = _by_key(true)
    others, remaining = _by_key(shown)
    for key, part in keyed.items():
        yield part, others.pop(key, None)
    yield from ((None, part) for part in others.values())
    yield from _in_order(rest, remaining)


def _by_key(parts: Iterable[Part]) -> tuple[dict[str, Part], list[Part]]:
    """Parts that have a key of their own, and the others (a key's second part is one of these)."""
    keyed: dict[str, Part] = {}
    rest: list[Part] = []
    for part in parts:
        if part.key and part.key not in keyed:
            keyed[part.key] = part
        else:
            rest.append(part)
    return keyed, rest


def _in_order(true: Sequence[Part], shown: Sequence[Part]) -> Iterator[Pair]:
    """Parts set against each other in their order, with the fewest changes (see `aligned`).

    Two parts are one only if both are of the frame or both are not.
    """
    start, end = _alike(true, shown)
    yield from zip(true[:start], shown[:start], strict=True)
    tail = zip(true[len(true) - end :], shown[len(shown) - end :], strict=True)
    true, shown = true[start : len(true) - end], shown[start : len(shown) - end]
    numbers: dict[Hashable, int] = {}  # rapidfuzz looks at hashes, which may collide
    one = [numbers.setdefault(_what(part), len(numbers)) for part in true]
    other = [numbers.setdefault(_what(part), len(numbers)) for part in shown]
    for span in aligned(one, other):
        olds, news = true[span.start : span.end], shown[span.to : span.to_end]
        if span.paired:
            for old, new in zip(olds, news, strict=True):
                if (old.kind == "frame") == (new.kind == "frame"):
                    yield old, new
                else:
                    yield old, None
                    yield None, new
        else:
            yield from ((old, None) for old in olds)
            yield from ((None, new) for new in news)
    yield from tail


def _alike(true: Sequence[Part], shown: Sequence[Part]) -> tuple[int, int]:
    """How many parts are the same at the start, and of the others at the end."""
    most, start, end = min(len(true), len(shown)), 0, 0
    while start < most and _what(true[start]) == _what(shown[start]):
        start += 1
    while end < most - start and _what(true[-1 - end]) == _what(shown[-1 - end]):
        end += 1
    return start, end


def _what(part: Part) -> Hashable:
    return part.kind == "frame", part.key, part.text


def _alone(one: Part | None, other: Part | None, against: Against) -> Difference:
    part = one or other
    if part is None:
        raise ValueError("a pair of nothing")
    what: What = "missing" if other is None else "extra"
    if part.kind == "frame":
        return Difference("format", what, one, other)
    if what == "extra" and against.talk(part.text):
        return Difference("realism", "talk", one, other)
    return Difference("quality", what, one, other)


def _pair(one: Part, other: Part, against: Against) -> Difference | None:
    """What two parts of other texts differ in, if it is more than runtime metadata."""
    if one.kind == "frame":
        return Difference("format", "changed", one, other)
    if one.kind == "runtime":
        possible = against.possible(other.text)
        return None if possible else Difference("realism", "form", one, other)
    if against.same(one.text, other.text):
        return None
    if one.kind == "state":
        return Difference("consistency", "changed", one, other)
    if against.talk(other.text):
        return Difference("realism", "talk", one, other)
    if against.stale(one, other):
        return Difference("consistency", "stale", one, other)
    return Difference("factuality", "changed", one, other)
