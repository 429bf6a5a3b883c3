"""The verdict in a judge's reply: five whole scores from 1 to 5, or the reason why there is none.

"Could not be read" is never "bad": no dimension becomes 0, none leaves the mean, nothing is clamped
or rounded. A score is a whole number from 1 to 5, or a text that holds one, with an optional `/5`.
Two verdicts that differ are no verdict. What had to be mended to be read is marked `repaired`.

Reading is linear in the length of the reply.
"""

import json
import re
from typing import Any, Literal

import msgspec

from worldline.bench.judge.objects import TAG, Walk
from worldline.reply import CUT, Reply, refuses
from worldline.verify.compare import DIMENSIONS

Reason = Literal[
    "empty_choices",
    "filtered",
    "refusal",
    "empty",
    "truncated",
    "no_verdict",
    "unreadable",
    "multiple_verdicts",
]
FINAL: frozenset[str] = frozenset({"filtered", "refusal"})
"""Reasons that asking once more does not mend."""

_ENDED = re.compile(rf"<\s*+/\s*+{TAG}\s*+>[\s`]{{0,20}}$", re.IGNORECASE)
_SCORE = re.compile(r"\s*([1-5])\s*(?:/\s*5\s*)?")
_INVISIBLE = dict.fromkeys(
    [0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
)
_FORM = {"strengths": ["..."], "weaknesses": ["..."], "scores": dict.fromkeys(DIMENSIONS, 1)}
"""What our prompts show as the form of a verdict: said back, it is none."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply says; `scores` are there exactly when `reason` is not."""

    scores: dict[str, int] | None = None
    """Dimension -> 1 to 5, all five."""
    reason: Reason | None = None
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    repaired: bool = False


def verdict_of(reply: Reply) -> Verdict:
    """The verdict of a reply that came; a call that failed has `Reply.error` and is none."""
    nothing = unsaid(reply, _ENDED)
    if nothing is not None:
        return Verdict(reason=nothing)
    text = reply.content or ""
    found = read(text)
    if found.scores is not None or found.reason == "multiple_verdicts":
        return found
    return Verdict(reason="refusal") if refuses(text) else found


def unsaid(reply: Reply, ended: re.Pattern[str]) -> Reason | None:
    """Why a reply has no last word; `None` where it has text that may hold one.

    Args:
        ended: how a text ends that says all it had to, although it was cut off there: what stands
            further up may be quoted, or not the last word.
    """
    if reply.choices == 0:
        return "empty_choices"
    if reply.finish_reason == "content_filter":
        return "filtered"
    if reply.refusal or reply.finish_reason == "refusal":
        return "refusal"
    cut = (reply.finish_reason or "") in CUT
    text = reply.content or ""
    if not text.strip():
        return "truncated" if cut else "empty"
    return "truncated" if cut and not ended.search(text) else None


def read(text: str) -> Verdict:
    """The verdict in a text.

    Tagged ones alone count where there are any; without tags any object that has `scores` does.
    """
    walk = Walk(text.translate(_INVISIBLE))
    if not all(walk.blocks):
        return Verdict(reason="unreadable")  # one of them may say something else
    found = [one for held in walk.blocks for one in held] or walk.loose
    said = [one for one in found if one.value != _FORM]
    if not said:
        return Verdict(reason="no_verdict")
    read = [_verdict(*one) for one in said]
    told = {json.dumps(one.scores, sort_keys=True) for one in read if one.scores is not None}
    if len(told) > 1:
        return Verdict(reason="multiple_verdicts")
    return next((one for one in read if one.scores is None), read[0])


def _verdict(value: dict[str, Any], repaired: bool) -> Verdict:
    named = {name.strip().lower(): one for name, one in value.items() if isinstance(name, str)}
    told = named.get("scores")
    scores: dict[str, int] = {}
    if isinstance(told, dict):
        lower = [(str(name).strip().lower(), one) for name, one in told.items()]
        for name, one in lower:
            score = _score(one)
            if name in DIMENSIONS and score is not None and scores.get(name, score) == score:
                scores[name] = score
            elif name in DIMENSIONS:
                return Verdict(reason="unreadable")
    if set(scores) != set(DIMENSIONS):
        return Verdict(reason="unreadable")
    return Verdict(
        scores={name: scores[name] for name in DIMENSIONS},
        strengths=_texts(named.get("strengths")),
        weaknesses=_texts(named.get("weaknesses")),
        repaired=repaired,
    )


def _score(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if value in (1, 2, 3, 4, 5) else None
    found = _SCORE.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
