"""Damage to a text: splices, flips, repeats, deep nesting, odd characters.

All of it is drawn from one `random.Random`, so that a run can be repeated.
"""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

ODD = (
    "\x00", "\r", "\r\n", "\n", "\t", "\x0b", "\x0c", "\x1b[31m", "\x85", "\u2028", "\u2029",
    "\ufeff", "\u200b", "\u202e", "\ud800", "\udfff", "\ud83d\ude00", "😀", "e\u0301", "ﬁ", "İ",
    "١", "²", "\x7f", "\xa0",
)  # fmt: skip
MARKS = (
    '"', "'", "\\", '\\"', "\\u", "\\ud800", "{", "}", "[", "]", "(", ")", "<", ">", "</", "/>",
    "`", "```", "|", "||", "~ ", "+ ", "- ", "= keep\n", "= none\n", "..", ",", ":", ";", "=",
    "==", "$(", "${", "<<EOF\n", "&&", "#", "%", "@", "*", "**", "0", "-1", "1e999", "NaN",
    "null", "true", "9" * 5000, "<think>", "</think>", "<predicted_observation>",
    "</predicted_observation>", "<facts>", "</facts>", "<state>", "</state>", "<|im_end|>",
)  # fmt: skip
LONGEST = 20_000
"""Characters of a mutated text."""

Mutation = Callable[[random.Random, str, Sequence[str]], str]


def mutated(draw: random.Random, seeds: Sequence[str]) -> str:
    """A seed, damaged one to five times."""
    text = draw.choice(seeds)
    if draw.random() < 0.02:
        return text
    inside = text.lstrip().startswith(("{", "[")) and draw.random() < 0.4
    for _ in range(draw.randint(1, 5)):
        text = draw.choice((_value,) if inside else MUTATIONS)(draw, text, seeds)[:LONGEST]
    return text


def _cut(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    first, last = _stretch(draw, text)
    return text[:first] + text[last:]


def _end(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    return text[: draw.randint(0, len(text))]


def _twice(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    first, last = _stretch(draw, text)
    return text[:last] + text[first:last] * draw.choice((1, 2, 30)) + text[last:]


def _splice(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    other = draw.choice(seeds)
    first, last = _stretch(draw, other)
    at = draw.randint(0, len(text))
    return text[:at] + other[first:last] + text[at + draw.choice((0, last - first)) :]


def _swap(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    lines = text.split("\n")
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return "\n".join(lines)


def _flip(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    if not text:
        return chr(draw.randrange(128))
    at = draw.randrange(len(text))
    code = ord(text[at]) ^ (1 << draw.randrange(8))
    return text[:at] + chr(code) + text[at + 1 :]


def _insert(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    at = draw.randint(0, len(text))
    return text[:at] + draw.choice(draw.choice((ODD, MARKS))) + text[at:]


def _many(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    at = draw.randint(0, len(text))
    return text[:at] + draw.choice(draw.choice((ODD, MARKS))) * draw.choice((2, 9, 300)) + text[at:]


def _nest(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    opens, closes = draw.choice(
        (("[", "]"), ("{", "}"), ("(", ")"), ('{"a":', "}"), ("<b>", "</b>"))
    )
    deep = draw.choice((3, 200, 1500))
    first, last = _stretch(draw, text)
    return text[:first] + opens * deep + text[first:last] + closes * deep + text[last:]


def _number(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    places = [i for i, char in enumerate(text) if char.isdigit()]
    if not places:
        return text
    at = draw.choice(places)
    return text[:at] + draw.choice(("", "-", "00", "007", "9" * 30, ".5", "1e5")) + text[at + 1 :]


def _value(draw: random.Random, text: str, seeds: Sequence[str]) -> str:
    """Another value somewhere inside a line of JSON, which stays JSON."""
    lines = text.split("\n")
    at = draw.randrange(len(lines))
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return _flip(draw, text, seeds)
    lines[at] = json.dumps(_changed(draw, value), ensure_ascii=draw.random() < 0.5)
    return "\n".join(lines)


def _changed(draw: random.Random, value: Any) -> Any:
    """A JSON value, changed at one place."""
    if not isinstance(value, dict | list) or not value or draw.random() < 0.15:
        return _other(draw, value)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key, how = draw.choice(keys), draw.random()
    if how < 0.1:
        del value[key]
    elif how > 0.2:
        value[key] = _changed(draw, value[key])
    elif isinstance(value, list):
        value.insert(key, value[key])
    else:
        value[draw.choice(ODD + MARKS)] = value[key]
    return value


def _other(draw: random.Random, value: Any) -> Any:
    """Something else than a JSON value, often of its own type."""
    if isinstance(value, str) and draw.random() < 0.6:
        at = draw.randint(0, len(value))
        return value[:at] + draw.choice(draw.choice((ODD, MARKS))) + value[at:]
    plain = (None, True, False, 0, -1, 1, 7.5, 10**30, 1e308, "", "a", "\ud800", [], {}, [None])
    return draw.choice((*plain, [value], {"a": value}, {"": ""}, str(value)[:50], [value, value]))


def _stretch(draw: random.Random, text: str) -> tuple[int, int]:
    """Bounds inside the text, often short, often at line ends."""
    if draw.random() < 0.4 and "\n" in text:
        ends = [i for i, char in enumerate(text) if char == "\n"]
        first = draw.choice(ends)
        return first, min(len(text), draw.choice(ends) + 1) if draw.random() < 0.5 else first + 1
    first = draw.randint(0, len(text))
    return first, min(len(text), first + draw.choice((1, 4, 40, 400)))


MUTATIONS: tuple[Mutation, ...] = (
    _cut, _end, _twice, _splice, _splice, _swap, _flip, _flip, _insert, _insert, _many, _nest,
    _number,
)  # fmt: skip
