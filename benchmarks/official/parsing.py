"""The official parsers and ours on the same generated texts.

In compatibility all of them are read alike. Our own readers agree with the script wherever a reply
has the form that was asked for; what they make of others is listed in docs/official.md.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks.official import replies as made
from worldline.bench.judge.verdict import TAG
from worldline.bench.judge.verdict import read as read_ours
from worldline.bench.official import replies
from worldline.domains.common import ANSWER_TAG
from worldline.extract import HEADING, extract

EACH = 6_000
"""Generated texts of each kind."""
Scores = dict[str, int] | None


class Compared(NamedTuple):
    """How many of some texts are read differently."""

    what: str
    differ: int
    n: int


def compared(official: Any) -> Iterator[Compared]:
    """All comparisons.

    Args:
        official: the script's package of parsers.
    """
    draw = random.Random(5)
    said, told = texts(draw, made.generation), texts(draw, made.verdict)

    def generation(text: str) -> str:
        return official.parse_model_output(text, ANSWER_TAG)

    def bare(text: str) -> str:
        return official.clean_response_marker(text, "os")

    def whole(text: str) -> object:
        return told_by(official.parse_judge_output(text, TAG))

    def scores(text: str) -> Scores:
        found = official.parse_judge_output(text, TAG)
        return found["scores"] if found["success"] else None

    yield _compared("generations read", said, generation, _generation)
    yield _compared(
        "headings taken off", said, bare, lambda one: replies.without_marker(one, HEADING)
    )
    yield _compared("verdicts read", told, whole, _whole)
    plain = [made.plain_generation(draw) for _ in range(EACH)]
    yield _compared(
        "well-formed generations, our own reading",
        plain,
        lambda text: bare(generation(text)),
        lambda text: bare(extract(text).observation or ""),
    )
    plain = [made.plain_verdict(draw) for _ in range(EACH)]
    yield _compared(
        "well-formed verdicts, our own reading", plain, scores, lambda text: read_ours(text).scores
    )


def scored(official: Any) -> tuple[int, int]:
    """(generated verdicts in which the script finds scores, all of them)."""
    told = texts(random.Random(5), made.verdict)
    return sum(official.parse_judge_output(one, TAG)["success"] for one in told), len(told)


def texts(draw: random.Random, kind: Callable[[random.Random], str]) -> list[str]:
    """Generated texts of a kind, and as many in no order at all."""
    return [*(kind(draw) for _ in range(EACH)), *(made.signs(draw) for _ in range(EACH))]


def told_by(found: dict[str, Any]) -> object:
    """All that a verdict of the script says; `None` if it has none."""
    names = ("scores", "total_score", "strengths", "weaknesses")
    return [found[name] for name in names] if found["success"] else None


def _generation(text: str) -> str:
    return replies.observation(text, ANSWER_TAG)


def _whole(text: str) -> object:
    found = replies.verdict(text, TAG)
    if found.scores is None:
        return None
    total = replies.total(found.scores)
    return [found.scores, total, list(found.strengths), list(found.weaknesses)]


def _compared(
    what: str,
    texts: list[str],
    theirs: Callable[[str], object],
    ours: Callable[[str], object],
) -> Compared:
    differ = [text for text in texts if theirs(text) != ours(text)]
    for text in differ[:3]:
        print(f"  {text!r:.300}: {theirs(text)!r:.200} | {ours(text)!r:.200}")
    return Compared(what, len(differ), len(texts))
