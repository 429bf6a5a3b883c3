"""What is decoded with and without drafts: two engines in one process, in turns.

A case is a conversation whose last answer is to be decoded. *Forced*: a grammar allows nothing but
the true answer, token by token, so both engines write the same text and what is measured is a
model that is right. *Free*: greedy, as the model happens to go on. Both engines decode a short
piece, one after the other, then the next piece: a machine that others use is slow by the second,
and a ratio of neighbours holds where the numbers do not. Never do both compute at once.
"""

import random
import statistics
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldline.messages import Message
from worldline.models.embedded import OWN_ADAPTER
from worldline.models.llama.engine import Completion, Engine
from worldline.models.llama.prompt import Ids
from worldline.models.llama.setup import Setup, cores
from worldline.models.weights import fast

CONTEXT = 4096
PIECE = 60
"""Tokens that one engine decodes before it is the other one's turn."""
LONGEST = 3 * PIECE
"""Tokens of an answer that are decoded."""
DRAWS = 2_000


@dataclass(frozen=True)
class Case:
    """One answer to decode."""

    kind: str
    cluster: str
    """What it is one of: a recorded run, or itself."""
    messages: tuple[Message, ...]
    begun: str = ""
    """How the answer begins: read, not decoded."""
    truth: str = ""
    """How it goes on where it is forced; empty: it is not."""


@dataclass
class Timed:
    """One case, decoded by both."""

    case: Case
    plain_ms: float = 0.0
    drafted_ms: float = 0.0
    plain_cpu: float = 0.0
    drafted_cpu: float = 0.0
    tokens: int = 0
    equal: int = 0
    pieces: int = 0
    drafted: int = 0
    accepted: int = 0

    @property
    def ratio(self) -> float:
        """How many times as fast the drafting engine was."""
        return self.plain_ms / self.drafted_ms

    @property
    def cpu_ratio(self) -> float:
        """How many times less processor time it took: hardly moved by what else runs."""
        return self.plain_cpu / self.drafted_cpu

    def add(self, plain: Completion, drafting: Completion, equal: bool) -> None:
        """Take in one piece; a free one may differ in length, so times are for each token."""
        ms, n = plain.timings["predicted_ms"], plain.timings["predicted_n"]
        other_ms, other_n = drafting.timings["predicted_ms"], drafting.timings["predicted_n"]
        self.plain_ms += ms
        self.drafted_ms += other_ms * n / other_n
        self.plain_cpu += plain.timings["cpu_s"]
        self.drafted_cpu += drafting.timings["cpu_s"] * n / other_n
        self.tokens += n
        self.pieces += 1
        self.equal += equal
        self.drafted += drafting.timings.get("draft_n", 0)
        self.accepted += drafting.timings.get("draft_n_accepted", 0)

    def line(self) -> str:
        """For a person."""
        name = f"{self.case.kind:9} {self.case.cluster[:24]:24}"
        return (
            f"{name} {self.tokens:4} tokens  {1e3 * self.tokens / self.plain_ms:5.1f} -> "
            f"{1e3 * self.tokens / self.drafted_ms:5.1f} tok/s  x{self.ratio:4.2f}  "
            f"cpu x{self.cpu_ratio:4.2f}  "
            f"accepted {self.accepted}/{self.drafted}  equal {self.equal}/{self.pieces}"
        )


class Duel:
    """The embedded model twice: without drafts and with."""

    def __init__(self) -> None:
        adapter = OWN_ADAPTER if OWN_ADAPTER.is_file() else None
        self.plain, self.drafting = (
            Engine(
                Setup(
                    model=fast(),
                    alias="speculation",
                    context=CONTEXT,
                    threads=cores(),
                    spec=spec,
                    adapter=adapter,
                )
            )
            for spec in (False, True)
        )

    def __enter__(self) -> "Duel":
        return self

    def __exit__(self, *_: object) -> None:
        self.plain.close()
        self.drafting.close()

    def count(self, text: str) -> int:
        """Tokens in a text."""
        return len(self.plain.prompter.content(text))

    def forced(self, case: Case) -> Timed:
        """Decode the truth, piece by piece."""
        timed, prompt = Timed(case), self._begun(case)
        truth = self.plain.prompter.content(case.truth)[:LONGEST]
        self._read(prompt)
        for start in range(0, len(truth) - PIECE + 1, PIECE):
            piece = truth[start : start + PIECE]
            grammar = "root ::= " + " ".join(f"<[{one}]>" for one in piece)
            both = self._both(prompt + truth[:start], PIECE, start // PIECE % 2, grammar=grammar)
            timed.add(*both, equal=all(self._says(one, piece) for one in both))
        return timed

    def free(self, case: Case, pieces: int) -> Timed:
        """Decode what the model says; each piece goes on from the plain engine's last one."""
        timed, prompt, text = Timed(case), self._begun(case), ""
        self._read(prompt)
        for turn in range(pieces):
            ids = prompt + self.plain.prompter.content(text)
            plain, drafting = self._both(ids, PIECE, turn % 2)
            if plain.timings["predicted_n"] < PIECE // 4:
                break  # the model has come to its end
            timed.add(plain, drafting, equal=plain.text == drafting.text)
            text += plain.text
        return timed

    def _begun(self, case: Case) -> Ids:
        prompter = self.plain.prompter
        return prompter.tokens(case.messages) + prompter.content(case.begun)

    def _says(self, done: Completion, piece: Ids) -> bool:
        """Whether a completion is these tokens (a character cut in two is not compared)."""
        text = self.plain.private.ask("/detokenize", {"tokens": piece.tolist()})["content"]
        return done.text == text or "\ufffd" in text

    def _read(self, prompt: Ids) -> None:
        for engine in (self.plain, self.drafting):
            _complete(engine, prompt, 1)

    def _both(self, ids: Ids, tokens: int, turn: int, **more: Any) -> tuple[Completion, Completion]:
        """(plain, drafting); which is first changes with the turn."""
        if turn:
            drafting = _complete(self.drafting, ids, tokens, **more)
            return _complete(self.plain, ids, tokens, **more), drafting
        plain = _complete(self.plain, ids, tokens, **more)
        return plain, _complete(self.drafting, ids, tokens, **more)


def _complete(engine: Engine, ids: "array[int]", tokens: int, **more: Any) -> Completion:
    fields = {"temperature": 0.0, "max_tokens": tokens, "cache_prompt": True, **more}
    before = time.process_time()
    done = engine.complete(ids, fields, lambda _: None, lambda: False)
    assert done.error is None, done.error
    done.timings["cpu_s"] = time.process_time() - before
    return done


def median_interval(rows: Sequence[tuple[str, float]], seed: int = 0) -> tuple[float, float, float]:
    """A median with its 95 % interval by bootstrap over clusters: (median, low, high)."""
    groups: dict[str, list[float]] = {}
    for cluster, value in rows:
        groups.setdefault(cluster, []).append(value)
    drawn, draw = list(groups.values()), random.Random(seed)
    found = sorted(
        statistics.median([v for group in draw.choices(drawn, k=len(drawn)) for v in group])
        for _ in range(DRAWS)
    )
    middle = statistics.median([value for _, value in rows])
    return middle, found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]
