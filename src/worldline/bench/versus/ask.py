"""The question: a session, an action and two answers, in blocks that no answer can close."""

import hashlib
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from worldline.bench.judge.ask import Asked, Room, block, composed, exchanges, unused_mark
from worldline.bench.judge.texts import Texts, filled
from worldline.bench.versus.pairs import Mode, Pair

VERSION = "worldline/1"


class Question(NamedTuple):
    """How a choice is asked for."""

    mode: Mode
    texts: Texts = Texts()
    """Where the notes on each domain come from."""

    def asked(self, pair: Pair, swapped: bool, room: Room) -> Asked:
        """The question about one row.

        Args:
            swapped: the second answer stands as A, the first as B. All else is the same.
        """
        given = pair.given
        history = exchanges(given)
        answers = (pair.second, pair.first) if swapped else (pair.first, pair.second)
        shown = [given.action, given.truth, *sorted(answers)]
        mark = unused_mark(given.session, [*history, *shown])
        name = "ANSWER" if self.mode == "turing" else "PREDICTION"
        parts = {
            "action": block("ACTION", mark, given.action),
            "truth": block("TRUTH", mark, given.truth),
            "first": block(f"{name} A", mark, answers[0]),
            "second": block(f"{name} B", mark, answers[1]),
        }
        user = _prompt(f"{self.mode}_user.txt")
        return composed(self.system(given.row.domain), user, parts, mark, history, room)

    def system(self, domain: str) -> str:
        """The system prompt of a domain."""
        return _system(self, domain)

    def sha(self, domain: str) -> str:
        """SHA-256 of the prompts of a domain."""
        return _sha(self, domain)


# Asked for by every row of a run.


@lru_cache(maxsize=64)
def _system(question: Question, domain: str) -> str:
    notes = question.texts.notes(domain)
    return filled(_prompt(f"{question.mode}.txt"), domain=notes).strip()


@lru_cache(maxsize=64)
def _sha(question: Question, domain: str) -> str:
    text = question.system(domain) + "\0" + _prompt(f"{question.mode}_user.txt")
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _prompt(name: str) -> str:
    return resources.files("worldline.bench.versus").joinpath("prompts", name).read_text("utf-8")
