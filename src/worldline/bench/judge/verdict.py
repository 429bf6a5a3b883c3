"""The verdict in a judge's reply: five whole scores from 1 to 5, or the reason why there is none.

"Could not be read" is never "bad": no dimension becomes 0, none leaves the mean, nothing is clamped
or rounded. A score is a whole number from 1 to 5, or a text that holds one, with an optional `/5`.
Two verdicts that differ are no verdict. What had to be mended to be read is marked `repaired`.

Reading is linear in the length of the reply.
"""

import ast
import json
import re
import warnings
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from worldline.reply import Reply, refuses
from worldline.verify.compare import DIMENSIONS

TAG = "final_evaluation"
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

_CUT = frozenset({"length", "max_tokens", "model_length"})
_TAGGED = re.compile(rf"<\s*+(/?)\s*+{TAG}\s*+>", re.IGNORECASE)
_ENDED = re.compile(rf"<\s*+/\s*+{TAG}\s*+>[\s`]{{0,20}}$", re.IGNORECASE)
_THOUGHT = re.compile(r"<\s*+(/?)\s*+think(?:ing)?\s*+>", re.IGNORECASE)
_SCORE = re.compile(r"\s*([1-5])\s*(?:/\s*5\s*)?")
_FENCED = re.compile(r"\s*```[a-zA-Z]*+\s*+(.*?)\s*```\s*", re.DOTALL)
_INVISIBLE = dict.fromkeys(
    [0xAD, 0x61C, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
)
_ODD = str.maketrans(
    {**dict.fromkeys("\u201c\u201d\u201e\u201f", '"'), **dict.fromkeys("\xa0\u202f\u3000", " ")}
)
_FORM = {"strengths": ["..."], "weaknesses": ["..."], "scores": dict.fromkeys(DIMENSIONS, 1)}
"""What our prompts show as the form of a verdict: said back, it is none."""
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)
MOST = 64
"""Objects of a reply that are looked at."""
_LITERAL_MOST = 20_000
"""Characters of a text that is read as a Python literal, where it is no JSON."""


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
    if reply.choices == 0:
        return Verdict(reason="empty_choices")
    if reply.finish_reason == "content_filter":
        return Verdict(reason="filtered")
    if reply.refusal or reply.finish_reason == "refusal":
        return Verdict(reason="refusal")
    cut = (reply.finish_reason or "") in _CUT
    text = reply.content or ""
    if not text.strip():
        return Verdict(reason="truncated" if cut else "empty")
    if cut and not _ENDED.search(text):  # what stands there may be quoted, or not the last word
        return Verdict(reason="truncated")
    found = read(text)
    if found.scores is not None or found.reason == "multiple_verdicts":
        return found
    return Verdict(reason="refusal") if refuses(text) else found


def read(text: str) -> Verdict:
    """The verdict in a text.

    Tagged ones alone count where there are any; without tags any object that has `scores` does.
    """
    answer = _answer(text.translate(_INVISIBLE))
    blocks = list(_blocks(answer))
    held = [list(_objects(block)) for block in blocks]
    if any(block.strip() and not some for block, some in zip(blocks, held, strict=True)):
        return Verdict(reason="unreadable")  # one of them may say something else
    found = [one for some in held for one in some] if blocks else list(_objects(answer))
    said = [one for one in found if one[0] != _FORM]
    if not said:
        return Verdict(reason="unreadable" if blocks and not found else "no_verdict")
    read = [_verdict(value, repaired) for value, repaired in said]
    told = {json.dumps(one.scores, sort_keys=True) for one in read if one.scores is not None}
    if len(told) > 1:
        return Verdict(reason="multiple_verdicts")
    return next((one for one in read if one.scores is None), read[0])


def _answer(text: str) -> str:
    """The reply without thoughts: drafts in them are no verdicts."""
    kept, at, depth = [], 0, 0
    for tag in _THOUGHT.finditer(text):
        if tag[1]:
            kept = kept if depth else []  # its opening tag was in the prompt
            depth = max(0, depth - 1)
            at = tag.end()
        else:
            kept += [] if depth else [text[at : tag.start()]]
            depth += 1
    return "".join(kept) if depth else "".join([*kept, text[at:]])


def _blocks(text: str) -> Iterator[str]:
    """What stands in verdict tags; one that is never closed reaches to the end."""
    start: int | None = None
    for tag in _TAGGED.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            yield text[start : tag.start()]
            start = None
    if start is not None:
        yield text[start:]


def _objects(text: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Objects with `scores` in a text, and whether they had to be mended."""
    fenced = _FENCED.fullmatch(text)
    whole = _loaded((fenced[1] if fenced else text).strip())
    if whole is not None and _has_scores(whole[0]):
        yield whole
        return
    ends = -1
    for start, end in _spans(text):
        if start < ends:  # inside one that was read already
            continue
        loaded = _loaded(text[start:end])
        if loaded is not None and _has_scores(loaded[0]):
            ends = end
            yield loaded


def _spans(text: str) -> list[tuple[int, int]]:
    """Balanced braces that hold the word, the outer before the inner; quotes hide braces."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    quoted, at = False, 0
    while at < len(text):
        sign = text[at]
        if quoted:
            at += sign == "\\"
            quoted = sign != '"'
        elif sign == '"':
            quoted = bool(opened)
        elif sign == "{":
            opened.append(at)
        elif sign == "}" and opened:
            spans.append((opened.pop(), at + 1))
        at += 1
    words = [found.start() for found in re.finditer("scores", text, re.IGNORECASE)]
    holding = [span for span in spans if bisect_left(words, span[0]) < bisect_left(words, span[1])]
    return sorted(holding, key=lambda span: (span[0], -span[1]))[:MOST]


def _loaded(text: str) -> tuple[dict[str, Any], bool] | None:
    """An object, and whether the text had to be mended to be one."""
    for mended, repaired in _readings(text):
        try:
            value = json.loads(
                mended,
                strict=False,
                object_pairs_hook=_pairs,
                parse_constant=lambda name: None,
            )
        except (ValueError, RecursionError):
            continue
        return (value, repaired) if isinstance(value, dict) else None
    if len(text) <= _LITERAL_MOST:
        try:
            with warnings.catch_warnings(action="ignore"):
                value = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return None
        return (value, True) if isinstance(value, dict) else None
    return None


def _readings(text: str) -> Iterator[tuple[str, bool]]:
    yield text, False
    yield _COMMA.sub(lambda found: found[1] or "", text), False
    straight = text.translate(_ODD)
    if straight != text:
        yield _COMMA.sub(lambda found: found[1] or "", straight), True


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that comes twice with different values has none."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        found[name] = value if found.get(name, value) == value else None
    return found


def _has_scores(value: dict[str, Any]) -> bool:
    return any(isinstance(name, str) and name.lower() == "scores" for name in value)


def _verdict(value: dict[str, Any], repaired: bool) -> Verdict:
    named = {name.lower(): one for name, one in value.items() if isinstance(name, str)}
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
