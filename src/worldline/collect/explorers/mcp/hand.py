"""What a goal works with: the tools on offer, words, and what was seen so far.

A goal is a generator: it yields a `Move`, is sent what came of it as a `Seen`, and goes on.
"""

import json
import random
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from worldline.collect.explorers.base import Move
from worldline.domains.mcp.actions import call_text
from worldline.domains.mcp.memo import parse_observation
from worldline.domains.mcp.reading import is_error, text_of
from worldline.domains.mcp.tools import Tool, toolbox
from worldline.environments.mcp.fixtures.words import Words
from worldline.environments.mcp.names import SEPARATOR
from worldline.prediction import StepResult


class Seen(NamedTuple):
    """What a call gave: its text without the dialect's wrapping, and whether it failed."""

    text: str
    failed: bool

    @property
    def json(self) -> Any:
        """The text as JSON, or `None`."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    def lines(self) -> list[str]:
        """The lines of the text that are not empty."""
        return [line for line in self.text.split("\n") if line.strip()]


Goal = Generator[Move, Seen, None]
Maker = Callable[["Hand"], Goal]


def seen(result: StepResult, dialect: str) -> Seen:
    """What a step gave; nothing at all where there is no observation."""
    if result.observation is None:
        return Seen("", True)
    body = parse_observation(dialect, result.observation).body
    return Seen(text_of(body), is_error(body))


class Hand:
    """One episode's means. Everything it draws comes from `rng`.

    Args:
        tools: the tool list as the session opened with it.
        initial: the state as it was told at the start.
    """

    def __init__(self, rng: random.Random, tools: Any, initial: str = "") -> None:
        self.rng = rng
        self.words = Words(rng)
        self.tools: dict[str, Tool] = dict(toolbox(tools).offered)
        self.initial = initial
        self.pool: dict[str, list[Any]] = {}
        """Values by the name of the argument they were used for, or the field they came in."""

    def call(self, tool: str, intent: str, /, **arguments: Any) -> Move:
        """A call of a tool by its own name, whatever prefix it has here."""
        name = tool
        if name not in self.tools:
            ending = f"{SEPARATOR}{tool}"
            name = next((n for n in self.tools if n.endswith(ending)), tool)
        return Move(call_text(name, arguments), intent)

    def chance(self, p: float) -> bool:
        """True with this probability."""
        return self.rng.random() < p

    def known(self, kind: str, otherwise: Callable[[], Any]) -> Any:
        """A value of the pool, or a new one."""
        return self.rng.choice(self.pool[kind]) if self.pool.get(kind) else otherwise()

    def keep(self, kind: str, value: Any) -> Any:
        """Remember a value; returns it."""
        values = self.pool.setdefault(kind, [])
        if value not in values:
            values.append(value)
            del values[:-40]
        return value

    def drop(self, kind: str, value: Any) -> None:
        """Forget a value."""
        if value in self.pool.get(kind, []):
            self.pool[kind].remove(value)

    def text(self) -> str:
        """A text of some length: mostly short, at times long, at times of odd characters."""
        words, draw = self.words, self.rng.random()
        if draw < 0.5:
            return words.sentence()
        if draw < 0.8:
            return words.paragraph()
        if draw < 0.93:
            return "\n\n".join(words.paragraph(3, 6) for _ in range(self.rng.randint(2, 8)))
        odd = self.rng.sample(ODD, 3)
        return f"{words.sentence()} {' '.join(odd)} {words.one('city')}"


ODD = (
    "naïve façade", "Ærøskøbing", "東京駅", "Привет", "שלום", "😀🚲", "e\u0301", "50 % – 3×4 ≈ 12",
    "tab\tinside", "quote \" and ' mixed", "back\\slash", "<b>bold</b> & more", "${HOME}", "%s %d",
    "null", "  two  blanks  ", "ﬁnal ligature", "½ litre", "line\u2028break", "नमस्ते",
)  # fmt: skip
"""Pieces of text that programs stumble over."""
