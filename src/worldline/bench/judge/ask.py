"""What a judge is asked, in our own words.

Each piece of foreign text stands between two lines that carry a mark. The mark is made of the
session's name and is tried against every piece: no text holds it, in any spelling, so none can
close its own block. Rows of one session have one mark, so that a server finds the history of each
in its cache.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from typing import NamedTuple, Protocol

from worldline.bench.judge.diagnostics import diagnostics
from worldline.bench.judge.given import Given
from worldline.bench.judge.verdict import Verdict, verdict_of
from worldline.messages import Message
from worldline.reply import Reply

VERSION = "worldline/1"
_PLACE = re.compile(r"\{(domain|history|action|truth|prediction|diagnostics)\}")


class Asked(NamedTuple):
    """A question, and what had to go for it to fit."""

    messages: tuple[Message, ...]
    dropped_turns: int = 0


class Room(NamedTuple):
    """How much a judge reads at once."""

    tokens: int | None
    """Of the whole question; `None` when nothing limits it."""
    size: Callable[[str], int]
    """Tokens of a text."""


class Prompts(Protocol):
    """A set of judge prompts, and how the replies to them are read."""

    name: str
    compat: str | None

    def given(self, given: Given) -> Given:
        """The row as these prompts see it: what its observation is."""
        ...

    def asked(self, given: Given, room: Room) -> Asked:
        """The question about one row."""
        ...

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain."""
        ...

    def read(self, reply: Reply) -> Verdict:
        """The verdict of a reply."""
        ...


class Ours:
    """Our own prompts."""

    name = VERSION
    compat: str | None = None

    def given(self, given: Given) -> Given:
        """Unchanged."""
        return given

    def asked(self, given: Given, room: Room) -> Asked:
        """System prompt of the domain, then the row in marked blocks.

        Where the whole session does not fit, its oldest turns go.
        """
        system = Message("system", system_prompt(given.row.domain))
        history = [f"{sent}\n{seen}" for sent, seen in given.row.history]
        rest = (given.action, given.truth, given.observation or "")
        mark = unused_mark(given.session, [*history, *rest])
        bare = room.size(system.content) + room.size(_user(given, mark, []))
        first = 0 if room.tokens is None else _first_kept(history, room.tokens - bare, room.size)
        return Asked((system, Message("user", _user(given, mark, history[first:]))), first)

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain."""
        return _sha(domain)

    def read(self, reply: Reply) -> Verdict:
        """The verdict of a reply."""
        return verdict_of(reply)


OURS = Ours()


def unused_mark(session: str, texts: Iterable[str]) -> str:
    """A mark that none of the texts holds, whatever its case and blanks."""
    squeezed = ["".join(text.split()).lower() for text in texts]
    for number in range(1_000):
        key = f"{session}|{number}".encode("utf-8", "surrogatepass")
        mark = hashlib.blake2b(key, digest_size=6).hexdigest()
        if not any(mark in text for text in squeezed):
            return mark
    raise ValueError("every mark stands in the text")  # 2**48 of them


def block(name: str, mark: str, text: str) -> str:
    """Foreign text between its two lines."""
    return f"<<<{name} {mark}>>>\n{text}\n<<<END {name} {mark}>>>"


@cache
def system_prompt(domain: str) -> str:
    """The system prompt of a domain; one without notes of its own gets the common part alone."""
    folder = resources.files("worldline.bench.judge").joinpath("prompts")
    own = folder.joinpath(f"{domain}.txt")
    notes = own.read_text("utf-8") if own.is_file() else ""
    return _filled(_text("system.txt"), domain=notes.strip()).strip()


@cache
def _sha(domain: str) -> str:
    text = system_prompt(domain) + "\0" + _text("user.txt")
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _text(name: str) -> str:
    return resources.files("worldline.bench.judge").joinpath("prompts", name).read_text("utf-8")


def _filled(text: str, **parts: str) -> str:
    """In one pass: what a part says names no place."""
    return _PLACE.sub(lambda found: parts.get(found[1], found[0]), text)


def _user(given: Given, mark: str, history: list[str]) -> str:
    return _filled(
        _text("user.txt"),
        history=block("HISTORY", mark, "\n\n".join(history)) if history else "(none)",
        action=block("ACTION", mark, given.action),
        truth=block("TRUTH", mark, given.truth),
        prediction=block("PREDICTION", mark, given.observation or ""),
        diagnostics=_diagnosed(given),
    )


def _first_kept(history: list[str], left: int, size: Callable[[str], int]) -> int:
    first = len(history)
    while first and (left := left - size(f"{history[first - 1]}\n\n")) >= 0:
        first -= 1
    return first


def _diagnosed(given: Given) -> str:
    told = diagnostics(given)
    lines = "\n".join(f"- {name}: {value}" for name, value in told.items())
    return f"\nOf the whole reply that the prediction was taken from:\n{lines}\n"
