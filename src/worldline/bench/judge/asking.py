"""Asking a judge until its reply can be read: what grading and choosing have in common."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from worldline.bench.judge.ask import Asked, Room
from worldline.bench.judge.given import Given
from worldline.bench.judge.verdict import FINAL
from worldline.messages import Sampling
from worldline.models.chat import Chat
from worldline.prediction import Usage
from worldline.reply import Reply
from worldline.seeds import sampler_seed

TRIES = 3
"""Replies that are asked for until one can be read."""
JUDGE_TOKENS = 8_192
"""Of a reply, where nothing else is said; a judge that thinks needs more."""


class Read(Protocol):
    """What was read in a reply. `reason` says why there is nothing; `None` where there is."""

    @property
    def reason(self) -> str | None:
        """Why there is nothing."""
        ...


R = TypeVar("R", bound=Read)


class Answer(NamedTuple, Generic[R]):
    """What came of a question."""

    read: R | None
    """`None` where no reply came."""
    reply: Reply
    """The last one."""
    attempts: int
    """Replies that were asked for."""
    usage: Usage
    """Of all of them."""


class Asker:
    """A judge with how it is asked.

    Args:
        max_tokens: tokens of a reply at most; else the model's own limit, or `JUDGE_TOKENS`.
        seed: of the run; `None` leaves sampling to the server.
    """

    def __init__(self, who: Chat, tries: int, max_tokens: int | None, seed: int | None) -> None:
        self.who, self.tries, self.seed = who, tries, seed
        most = max_tokens or who.sampling.max_tokens or JUDGE_TOKENS
        self.sampling: Sampling = msgspec.structs.replace(who.sampling, max_tokens=most)
        room = None if who.context is None else max(0, who.context - most)
        self.room = Room(room, who.count)

    def described(self) -> dict[str, Any]:
        """The judge, as a manifest records it."""
        return {**self.who.describe(), "sampling": msgspec.to_builtins(self.sampling)}

    def draw(self, given: Given, *what: object) -> int | None:
        """A seed for something about a row; `None` where the run has none."""
        if self.seed is None:
            return None
        return sampler_seed(self.seed, given.session, given.row.turn, *what)

    async def ask(
        self, given: Given, asked: Asked, read: Callable[[Reply], R], *what: object
    ) -> Answer[R]:
        """Ask until a reply can be read, each time with another seed.

        Args:
            what: tells this question about the row from others.
        """
        usage, attempt = Usage(), 0
        while True:
            seed = self.draw(given, *what, attempt)
            reply = await self.who.chat(asked.messages, self.sampling, seed)
            attempt += 1
            usage += reply.usage
            if reply.error is not None:
                return Answer(None, reply, attempt, usage)
            found = read(reply)
            if found.reason is None or found.reason in FINAL or attempt >= self.tries:
                return Answer(found, reply, attempt, usage)
