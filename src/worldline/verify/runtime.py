"""Runtime metadata: times, process numbers, durations. Equal by pattern, for nobody can know them.

Patterns are RE2 (linear time). What every domain shows is listed here, what one alone shows by its
own `Domain.runtime`.
"""

from functools import cache
from typing import Any

import re2

from worldline.columns import escape

COMMON: tuple[tuple[str, str], ...] = (
    (
        "time",
        r"\b\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?"
        r"(?:Z|\s?[+-][01]\d:?[0-5]\d)?",
    ),
    ("duration", r"\b\d+(?:\.\d+)?\s?(?:ms|µs|ns|seconds|secs|sec|s)\b"),
    ("address", r"\b0x[0-9a-f]{8,16}\b"),
)
"""(name, pattern) of what any program may print."""

MARK = "\ue0fe"
"""Stands before a name: a text that says ``<time>`` itself tells no time."""

Patterns = tuple[tuple[str, str], ...]


def masked(text: str, more: Patterns = ()) -> str:
    """The text with each piece of runtime metadata replaced by its marked ``<name>``."""
    text = escape(text).replace(MARK, MARK * 2)
    if _any(more).search(text) is None:  # most text holds none of it
        return text
    for name, pattern in _compiled(more):
        text = pattern.sub(f"{MARK}<{name}>", text)
    return text


def same(one: str, other: str, more: Patterns = ()) -> bool:
    """Whether two texts are equal but for runtime metadata."""
    return one == other or masked(one, more) == masked(other, more)


def possible(text: str, more: Patterns = ()) -> bool:
    """Whether the whole text is a piece of runtime metadata."""
    text = escape(text).strip()
    return any(pattern.fullmatch(text) for _, pattern in _compiled(more))


@cache
def _compiled(more: Patterns) -> tuple[tuple[str, Any], ...]:
    return tuple((name, re2.compile(pattern)) for name, pattern in (*more, *COMMON))


@cache
def _any(more: Patterns) -> Any:
    return re2.compile("|".join(f"(?:{pattern})" for _, pattern in (*more, *COMMON)))
