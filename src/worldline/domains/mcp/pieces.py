"""Pieces of a short text, and what an answer may repeat of its call."""

import json
import re
from functools import lru_cache
from typing import Any

from worldline.domains.mcp.actions import CallError, parse_call

MOST_SAID = 2_000
"""Characters of an argument in which names are looked for."""
PIECE = re.compile(
    r"(?P<runtime>\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d\d:?\d\d)?"
    r"|\b\d{1,9}(?:\.\d{1,9})? ?(?:ms|µs|ns|seconds|secs|sec|s)\b|\b(?i:pid)(?: |: ?|=)\d{1,7}\b)"
    r"""|'[^'\n]{1,200}'|"[^"\n]{1,200}"|[\w./~-]{1,300}"""
)
"""What may be a piece of its own: metadata, something in quotes, a name, a number."""
TELLS = re.compile(r"[\d/]|\.\w")
_BARE = frozenset("-0123456789")
_WORDS = frozenset(("true", "false", "null"))


@lru_cache(maxsize=64)
def said_in(action: str) -> dict[str, str]:
    """The plain arguments of a call as texts, innermost ones of a gateway's call included."""
    try:
        arguments = parse_call(action).arguments
    except CallError:
        return {}
    found: dict[str, str] = {}
    for name, value in arguments.items():
        inner = value if isinstance(value, dict) else {name: value}
        found |= {k: shown(v) for k, v in inner.items() if not isinstance(v, dict | list)}
    return found


@lru_cache(maxsize=64)
def names_in(said: tuple[str, ...]) -> frozenset[str]:
    """What a call may be repeated by: its arguments, and names and numbers within them."""
    found = set(said)
    for one in said:
        pieces = PIECE.finditer(one[:MOST_SAID])
        found.update(piece[0].strip("'\"").removesuffix(".") for piece in pieces)
    return frozenset(found - {""})


def shown(value: Any) -> str:
    """A plain JSON value as the text of a part; a text that reads as another value is quoted."""
    if isinstance(value, str):
        bare = value[:1] in _BARE if value else True
        return json.dumps(value) if bare or value in _WORDS else value
    return json.dumps(value)
