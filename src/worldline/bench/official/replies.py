"""How the official script reads what models say: same results, our own way there, linear time.

Nothing here is how we would read: drafts in thoughts may win, a score that cannot be read becomes 0
and is left out of the mean, what is above 5 becomes 5, numbers are rounded, of several verdicts the
last one counts. Our own readers are `worldline.extract` and `worldline.bench.judge.verdict`.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from typing import Any

from worldline.bench.judge.verdict import Verdict
from worldline.verify.compare import DIMENSIONS

NOTHING = "No output"
"""What a generation without an answer is taken to say."""

_THINK = re.compile(r"<(/?)think>", re.IGNORECASE)
_SIGNS = re.compile(r'[{}"\\]')
_SCORES = re.compile(r'"scores"\s*:\s*\{')
_MENDS = (
    (re.compile(r",(?=\s*[}\]])"), ""),  # a comma before a closing bracket
    (re.compile(r"'(\w+)'(?=\s*:)"), r'"\1"'),  # a name in single quotes
    (re.compile(r"(?<=[{,])\s*(\w+)\s*:"), r'"\1":'),  # a bare name, in texts too
)


def observation(generation: str, tag: str) -> str:
    """What a generation predicts: the last block of the tag, or all that is no thought."""
    if not generation:
        return NOTHING
    answer = without_thoughts(generation, tag)
    found = last_block(answer, tag)
    return answer.strip() or NOTHING if found is None else found


def without_marker(text: str, marker: str) -> str:
    """A text without the heading it starts with, or without the heading wherever it stands."""
    if not marker:
        return text.strip()
    if text.startswith(marker):
        return text[len(marker) :].strip()
    return text.replace(marker, "").strip()


def without_thoughts(text: str, tag: str) -> str:
    """A text without its thoughts, stripped if there were any.

    An opening tag takes the first closing tag after it that none before has taken, so that
    thoughts may overlap. A closing tag without an opening one ends thoughts that began with the
    text. An opening tag without a closing one reaches to the next `tag`, or to the end.
    """
    opened, closed = [], []
    for found in _THINK.finditer(text):
        (closed if found[1] else opened).append(found)
    if not opened and not closed:
        return text
    spans = _thoughts(text, [one.start() for one in opened], [one.end() for one in closed], tag)
    kept, at = [], 0
    for start, end in sorted(spans):
        if start > at:
            kept.append(text[at:start])
        at = max(at, end)
    return "".join([*kept, text[at:]]).strip()


def _thoughts(
    text: str, opened: list[int], closed: list[int], tag: str
) -> Iterator[tuple[int, int]]:
    """Spans of thoughts, from where tags open and where closing ones end."""
    free = lost = pairs = 0
    for start in opened:
        while free < len(closed) and closed[free] <= start:
            lost, free = closed[free], free + 1
        if free == len(closed):
            break
        yield start, closed[free]
        free, pairs = free + 1, pairs + 1
    yield 0, closed[-1] if free < len(closed) else lost
    if pairs < len(opened):
        answers = [found.start() for found in _opening(tag).finditer(text)] if tag else []
        for start in opened[pairs:]:
            at = bisect_left(answers, start)
            yield start, answers[at] if at < len(answers) else len(text)


def last_block(text: str, tag: str) -> str | None:
    """What the last opening tag begins, stripped; to the end where nothing closes it."""
    start = -1
    for found in _opening(tag).finditer(text):
        start = found.end()
    if start < 0:
        return None
    end = _closing(tag).search(text, start)
    return text[start : end.start() if end else len(text)].strip()


@cache
def _opening(tag: str) -> re.Pattern[str]:
    return re.compile(f"<{re.escape(tag)}>", re.IGNORECASE)


@cache
def _closing(tag: str) -> re.Pattern[str]:
    return re.compile(f"</{re.escape(tag)}>", re.IGNORECASE)


# verdicts


def verdict(reply: str, tag: str) -> Verdict:
    """The verdict of a judge's reply. A score of 0 or less stands for one that cannot be read."""
    text = reply.strip()
    if not text:
        return Verdict(reason="empty")
    text = without_thoughts(text, tag)
    text = last_block(text, tag) or text
    told = _fenced(text) or _object(text) or _last_object(text)
    if not told:
        return Verdict(reason="no_verdict")
    try:
        value = _loaded(told)
        return Verdict(
            scores=_scores(value),
            strengths=_texts(value.get("strengths")),
            weaknesses=_texts(value.get("weaknesses")),
        )
    except (ValueError, OverflowError, RecursionError, LookupError):
        return Verdict(reason="unreadable")


def total(scores: dict[str, int]) -> float:
    """The mean of the scores above 0; 0 where there are none."""
    counted = [score for score in scores.values() if score > 0]
    return sum(counted) / len(counted) if counted else 0


def _fenced(text: str) -> str | None:
    """Of the objects that are alone in a fence: the last that has scores, else the last."""
    found, at = [], text.find("```")
    while at >= 0:
        start = at + 3 + 4 * text.startswith("json", at + 3)
        end = text.find("```", start)
        if end < 0:
            break
        found.append(text[start:end].strip())
        at = text.find("```", end + 3)
    return _preferred([one for one in found if one[:1] == "{" and one[-1:] == "}"])


def _object(text: str) -> str | None:
    """Of the balanced objects one after the other: the last that has scores, else the last."""
    found, signs = [], [(sign.start(), sign[0]) for sign in _SIGNS.finditer(text)]
    closing, number = _closings(signs), 0
    while number < len(signs):
        end = closing[number]
        if end is None:
            number += 1
            continue
        found.append(text[signs[number][0] : signs[end][0] + 1])
        number = end + 1
    return _preferred(found)


def _preferred(objects: list[str]) -> str | None:
    rated = [one for one in objects if '"scores"' in one]
    return (rated or objects or [None])[-1]


def _closings(signs: list[tuple[int, str]]) -> list[int | None]:
    """For each opening brace, as number of the sign: the brace that closes it, if one does.

    Each brace is read as if no text were open before it; inside texts braces do not count, and a
    backslash hides the sign after it. From the last sign to the first, `bare` and `quoted` say
    which brace would close an object that is open there, outside and inside of a text.
    """
    closing: list[int | None] = [None] * len(signs)
    bare: list[int | None] = [None] * (len(signs) + 2)
    quoted = bare.copy()
    for number in range(len(signs) - 1, -1, -1):
        at, sign = signs[number]
        bare[number], quoted[number] = bare[number + 1], quoted[number + 1]
        if sign == "}":
            bare[number] = number
        elif sign == '"':
            bare[number], quoted[number] = quoted[number + 1], bare[number + 1]
        elif sign == "\\":
            hides = number + 1 < len(signs) and signs[number + 1][0] == at + 1
            quoted[number] = quoted[number + 1 + hides]
        else:
            end = closing[number] = bare[number + 1]
            bare[number] = None if end is None else bare[end + 1]
    return closing


def _last_object(text: str) -> str | None:
    """From the last closing brace back to the one that opens it, texts read backwards."""
    depth, quoted, end = 0, False, text.rfind("}")
    for at in range(end, -1, -1):
        sign = text[at]
        if sign == '"' and text[at - 1 : at] != "\\":
            quoted = not quoted
        elif quoted or sign not in "{}":
            continue
        else:
            depth += 1 if sign == "}" else -1
            if not depth:
                return text[at : end + 1]
    return None


def _loaded(text: str) -> dict[str, Any]:
    for wrong, right in _MENDS:
        text = wrong.sub(right, text)
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        alone = _scores_alone(text)
        if alone is None:
            raise
        return json.loads(f"{{{alone}}}")


def _scores_alone(text: str) -> str | None:
    """The first scores that hold anything, up to the next closing brace."""
    for found in _SCORES.finditer(text):
        end = text.find("}", found.end())
        if end != found.end():
            return text[found.start() : end + 1] if end >= 0 else None
    return None


def _scores(value: dict[str, Any]) -> dict[str, int]:
    told = value["scores"]
    if not isinstance(told, dict):
        raise ValueError("scores are no object")
    return {name: _score(told.get(name)) for name in DIMENSIONS}


def _score(value: Any) -> int:
    """5 at most, 0 where it cannot be read; what is below 0 stays. NaN is an error."""
    if isinstance(value, float):
        value = round(value)
    elif isinstance(value, str):
        try:
            value = int(value.split("/", 1)[0].strip())
        except ValueError:
            value = 0
    return min(5, int(value)) if isinstance(value, int) else 0


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(str, value)) if isinstance(value, list) else ()
