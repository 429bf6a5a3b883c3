"""Parsers with a fault each that fuzzing must find: else it finds nothing in good ones either.

The faults are of the kinds that the targets promise not to have.
"""

import json
import re
from collections.abc import Iterator
from itertools import takewhile

from benchmarks.fuzz.chunks import cuts, raw
from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Target, same
from worldline import jsonl

_SECRET = re.compile(r"(?:password|api-key)\W{1,4}\S{8,}")
_TAG = re.compile(r"<[^>]*>\Z")
_NUMBER = re.compile(r"[^\W_a-zA-Z]{1,9}")


def targets() -> Iterator[Target]:
    """One of each kind."""
    screens, rows = ours("screens"), ours("secrets")
    yield Target("broken: pieces", pieces, lambda: screens, linear=False)
    yield Target("broken: numbers", numbers, lambda: screens, linear=False)
    yield Target("broken: damage ends reading", reading, lambda: ours("wire"), linear=False)
    yield Target("broken: shapes", shapes, lambda: ours("results"), linear=False)
    yield Target("broken: JSON is torn", torn, lambda: rows, linear=False)
    yield Target("broken: quadratic", quadratic, lambda: ours("pages"))
    yield Target("broken: endless", endless, lambda: screens, linear=False, limit_s=1.0)


def pieces(text: str) -> None:
    """Decodes each piece by itself, so that a character across two of them is lost."""
    for data in raw(text):
        seen = ["".join(one.decode("utf-8", "replace") for one in parts) for parts in cuts(data)]
        for other in seen[1:]:
            same(seen[0], other, "pieces")


def numbers(text: str) -> None:
    """Takes for numbers what only looks like some."""
    for found in _NUMBER.finditer(text):
        if found[0].isdigit():
            int(found[0])


def reading(text: str) -> None:
    """Stops at the first line that is damaged, and loses the good ones behind it."""
    lines = [*text.split("\n"), '{"id": 1}']
    if len(list(takewhile(_whole, lines))) < sum(map(_whole, lines)):
        raise Broken("good lines are lost")


def _whole(line: str) -> bool:
    try:
        return isinstance(jsonl.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def shapes(text: str) -> None:
    """Believes that what is called content is a list of objects."""
    try:
        value = jsonl.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        [block.get("type") for block in value.get("content", [])]


def torn(text: str) -> None:
    """Replaces a secret with the quote behind it."""
    row = json.dumps({"log": text})
    try:
        jsonl.loads(_SECRET.sub("[REDACTED]", row))
    except ValueError as error:
        raise Broken("JSON is torn") from error


def quadratic(text: str) -> None:
    """Looks from each ``<`` to the end."""
    _TAG.search(text)


def endless(text: str) -> None:
    """Waits for the end of a code that does not come."""
    at = text.find("\x1b[")
    while at >= 0 and not text[at:].strip("\x1b[;?0123456789"):
        at = text.find("\x1b[", at)
