"""What a judge is asked, in our own words.

Each piece of foreign text stands between two lines that carry a mark. The mark is made of the
session's name and is tried against every piece: no text holds it, in any spelling, so none can
close its own block. Rows of one session have one mark, so that a server finds the history of each
in its cache.
"""

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from worldline.bench.judge.diagnostics import diagnostics
from worldline.bench.judge.given import Given
from worldline.bench.judge.judged import Judgement, usual_keys
from worldline.bench.judge.texts import Texts, filled
from worldline.bench.judge.verdict import Verdict, verdict_of
from worldline.messages import Message
from worldline.reply import Reply

VERSION = "worldline/1"
FORESEEN = 20
"""Marks that are tried before one is made of the texts themselves."""
_BETWEEN = bytes(sorted(set(range(128)) - set(b"0123456789abcdef")))


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

    def keys(self, given: Given, verdict: Verdict, known: Judgement) -> dict[str, Any]:
        """The benchmark's own keys of a judged line."""
        ...


class Ours:
    """Our own prompts, or those of a folder in the same form.

    Args:
        folder: its texts are used in place of ours of the same name.

    Raises:
        DataError: the folder's prompts cannot be used; see `worldline.bench.judge.texts`.
    """

    compat: str | None = None

    def __init__(self, folder: Path | None = None) -> None:
        self.texts = Texts(folder)
        self.name = VERSION if folder is None else f"folder:{folder.resolve().name}"

    def given(self, given: Given) -> Given:
        """Unchanged."""
        return given

    def asked(self, given: Given, room: Room) -> Asked:
        """System prompt of the domain, then the row in marked blocks.

        Where the whole session does not fit, its oldest turns go.
        """
        system = self.texts.system(given.row.domain)
        history = exchanges(given)
        rest = [given.action, given.truth, given.observation or ""]
        # Who predicts never sees the truth, so nobody can know the second one beforehand.
        seeds = (given.session, f"{given.session}|{given.truth}")
        mark, own = unused_marks(seeds, [*history, *rest])
        parts = {
            "action": block("ACTION", own, rest[0]),
            "truth": block("TRUTH", own, rest[1]),
            "prediction": block("PREDICTION", own, rest[2]),
            "diagnostics": _diagnosed(given),
        }
        return composed(system, self.texts.text("user.txt"), parts, mark, history, room)

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain."""
        return self.texts.sha(domain)

    def read(self, reply: Reply) -> Verdict:
        """The verdict of a reply."""
        return verdict_of(reply)

    def keys(self, given: Given, verdict: Verdict, known: Judgement) -> dict[str, Any]:
        """The benchmark's own keys of a judged line."""
        return usual_keys(given.observation, verdict, known)


OURS = Ours()


def unused_mark(seed: str, texts: Iterable[str]) -> str:
    """A mark that none of the texts holds, however it is spelt: case, blanks, signs in between.

    A text that names many marks in advance gets one made of the text itself, which it cannot know.
    """
    return unused_marks((seed,), texts)[0]


def unused_marks(seeds: Iterable[str], texts: Iterable[str]) -> list[str]:
    """A mark for each seed, as `unused_mark`; the texts, which may be long, are read once."""
    spelt = [_hex_digits(text) for text in texts]
    return [_unused(seed, spelt) for seed in seeds]


def _unused(seed: str, spelt: list[bytes]) -> str:
    for number in count():
        key = f"{seed}|{number}".encode("utf-8", "surrogatepass")
        if number >= FORESEEN:
            key += b"".join(spelt)
        mark = hashlib.blake2b(key, digest_size=6).hexdigest()
        if not any(mark.encode() in text for text in spelt):
            return mark
    raise AssertionError  # counting never ends


def _hex_digits(text: str) -> bytes:
    """The digits that marks are made of, wide and accented ones too, and nothing between them."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return text.lower().encode("ascii", "ignore").translate(None, _BETWEEN)


def block(name: str, mark: str, text: str) -> str:
    """Foreign text between its two lines."""
    return f"<<<{name} {mark}>>>\n{text}\n<<<END {name} {mark}>>>"


def history_block(mark: str, history: Sequence[str], first: int) -> str:
    """The turns before the action, from one on; says so where there are none."""
    return block("HISTORY", mark, "\n\n".join(history[first:])) if history else "(none)"


def exchanges(given: Given) -> list[str]:
    """The turns before the evaluated one, each its action and what came."""
    return [f"{action}\n{seen}" for action, seen in given.row.history]


def composed(
    system: str, user: str, parts: dict[str, str], mark: str, history: Sequence[str], room: Room
) -> Asked:
    """A question: the texts with their places filled, and as many turns as fit beside them.

    Args:
        user: has a place ``{history}``, and one for each of the parts.
        history: the turns before the action, oldest first.
    """
    bare = filled(user, history=history_block(mark, history, len(history)), **parts)
    first = first_kept(history, [system, bare], room)
    told = history_block(mark, history, first)
    asked = filled(user, history=told, **parts) if first < len(history) else bare
    return Asked((Message("system", system), Message("user", asked)), first)


def first_kept(history: Sequence[str], rest: Sequence[str], room: Room) -> int:
    """The first turn of a history that fits beside the rest; older ones have to go."""
    if room.tokens is None:
        return 0
    left = room.tokens - sum(map(room.size, rest))
    first = len(history)
    while first and (left := left - room.size(f"{history[first - 1]}\n\n")) >= 0:
        first -= 1
    return first


def _diagnosed(given: Given) -> str:
    told = diagnostics(given)
    lines = "\n".join(f"- {name}: {value}" for name, value in told.items())
    return f"\nOf the whole reply that the prediction was taken from:\n{lines}\n"
