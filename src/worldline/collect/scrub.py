"""Secrets and personal data out of whole records, consistently, before they are written.

    clean, counts = redact_trajectory(trajectory, salt="a secret of this run")
    row, counts = redact_value({"log": "..."}, salt="a secret of this run", scope=trajectory.id)

Every text anywhere in a value is read as it is decoded, keys of objects too, and ``raw`` of a
turn's `info` (bytes in base64) inside. Secrets become typed marks, persons and hosts pseudonyms
(see `worldline.redact`). A secret that gives itself away in one place is replaced in all of them.
Doing it twice is doing it once.
"""

import base64
import binascii
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.redact.people import Finder, Known, meet
from worldline.redact.pseudonyms import Pseudonyms
from worldline.redact.secrets import Told, mark, redact, secrets
from worldline.redact.spans import Finding, replaced
from worldline.trajectory import Trajectory, trajectory

RAW = "raw"
"""The field that holds bytes in base64; what is no base64 there is read as text."""


class Change(NamedTuple):
    """What would change at one place: where, what it is, how it reads now and would read then.

    `before` shows the first four characters of a secret alone.
    """

    where: str
    kind: str
    before: str
    after: str


class Scrubber:
    """Redacts all values of one trajectory alike.

    Args:
        values: every value that belongs together; who and what they give away is learnt first.
        salt: decides the pseudonyms; keep it to yourself.
        scope: the trajectory's id.
        people: also persons and hosts, not only secrets.
    """

    def __init__(self, *values: Any, salt: str, scope: str = "", people: bool = True) -> None:
        texts = [text for value in values for _, text in _texts(value)]
        self._told = Told(texts)
        known = meet(redact(text)[0] for text in texts) if people else Known()
        self._find = Finder(known) if people else None
        self._name = Pseudonyms(salt, scope, known)

    def text(self, text: str) -> tuple[str, Counter[str]]:
        """A text without secrets and persons, and how many of each kind there were."""
        clean, found = redact(text)
        clean, again = self._told.redact(clean)
        found += again
        if self._find is None:
            return clean, found
        hits = self._find(clean)
        found.update(hit.kind for hit in hits)
        if not hits:
            return clean, found
        new, late = redact(self._named(clean, hits))  # with a pseudonym in it, a word may be one
        return new, found + late

    def _named(self, text: str, hits: list[Finding]) -> str:
        return replaced(text, hits, lambda hit: self._name(hit.kind, text[hit.start : hit.end]))

    def value(self, value: Any) -> tuple[Any, Counter[str]]:
        """A JSON value without them."""
        found: Counter[str] = Counter()

        def one(text: str) -> str:
            clean, counts = self.text(text)
            found.update(counts)
            return clean

        return _mapped(value, one), found

    def changes(self, value: Any) -> Iterator[Change]:
        """What `value` would change, place by place."""
        for where, text in _texts(value):
            yield from self._changes(self.text(where)[0], text)

    def _changes(self, where: str, text: str) -> Iterator[Change]:
        clean = text
        for hit in secrets(text):
            yield Change(where, hit.kind, _hint(text[hit.start : hit.end]), mark(hit.kind))
        clean = redact(text)[0]
        for hit in self._told.find(clean):
            yield Change(where, hit.kind, _hint(clean[hit.start : hit.end]), mark(hit.kind))
        clean = self._told.redact(clean)[0]
        hits = self._find(clean) if self._find else []
        for hit in hits:
            word = clean[hit.start : hit.end]
            yield Change(where, hit.kind, word, self._name(hit.kind, word))
        named = self._named(clean, hits)
        for hit in secrets(named) if hits else ():
            yield Change(where, hit.kind, _hint(named[hit.start : hit.end]), mark(hit.kind))


def redact_value(
    value: Any, *, salt: str, scope: str = "", people: bool = True
) -> tuple[Any, Counter[str]]:
    """A JSON value without secrets and persons, and how many of each kind were replaced.

    The same `salt` and `scope` give the same pseudonyms; a person is only known alone where the
    same value introduces them. For several values of one trajectory make one `Scrubber`.
    """
    return Scrubber(value, salt=salt, scope=scope, people=people).value(value)


def redact_trajectory(
    given: Trajectory, *, salt: str | None = None, people: bool = True
) -> tuple[Trajectory, Counter[str]]:
    """A trajectory without secrets and persons, in any of its parts, and counts by kind.

    Args:
        salt: decides the pseudonyms; without one they follow from the trajectory's content, which
            nobody can guess who does not have it.
    """
    row = given.record()
    clean, found = _scrubber(given, row, salt, people).value(row)
    return trajectory(clean), found


def preview(given: Trajectory, *, salt: str | None = None, people: bool = True) -> list[Change]:
    """What `redact_trajectory` would change, in order; secrets are hinted at, not shown."""
    row = given.record()
    return list(_scrubber(given, row, salt, people).changes(row))


def _scrubber(given: Trajectory, row: Any, salt: str | None, people: bool) -> Scrubber:
    salt = jsonl.sha(row) if salt is None else salt
    return Scrubber(row, salt=salt, scope=given.id, people=people)


def _hint(secret: str) -> str:
    return f"{secret[:4]}... ({len(secret)} characters)"


def _texts(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value with its place, keys too, bytes in base64 as the text they hold."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{where}.{key} (its name)".lstrip("."), key
            place = f"{where}.{key}".lstrip(".")
            raw = _bytes(item) if key == RAW else None
            yield from _texts(item, place) if raw is None else [(place, raw)]
    elif isinstance(value, list | tuple):
        for at, item in enumerate(value):
            yield from _texts(item, f"{where}[{at}]")


def _mapped(value: Any, one: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return one(value)
    if isinstance(value, list | tuple):
        return [_mapped(item, one) for item in value]
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for key, item in value.items():
        raw = _bytes(item) if key == RAW else None
        name = _free(one(key), made)
        made[name] = _mapped(item, one) if raw is None else _packed(item, raw, one(raw))
    return made


def _free(name: str, taken: dict[str, Any]) -> str:
    """A name that is not taken: two keys may become one."""
    if name not in taken:
        return name
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    return f"{name}#{number}"


def _bytes(value: Any) -> str | None:
    """The text that base64 holds; bytes that are no UTF-8 as halves of characters."""
    if not isinstance(value, str):
        return None
    try:
        return base64.b64decode(value, validate=True).decode("utf-8", "surrogateescape")
    except (ValueError, binascii.Error):
        return None


def _packed(before: str, text: str, clean: str) -> str:
    if clean == text:
        return before
    return base64.b64encode(clean.encode("utf-8", "surrogateescape")).decode("ascii")
