"""The shape of a chosen line: a row, both orders as they were asked, and who won."""

from typing import ClassVar, Literal

import msgspec

from worldline.bench.results import Entry
from worldline.bench.versus.choice import Answer
from worldline.bench.versus.pairs import Side
from worldline.prediction import Usage

SCHEMA = "worldline.choice/1"


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One order, asked."""

    swapped: bool
    """Whether the second answer stood as A."""
    answer: Answer | None = None
    side: Side | None = None
    """Whose answer that was."""
    reason: str | None = None
    """Why nothing was chosen: ``no_verdict``, ``infra_error/timeout``, ..."""
    message: str | None = None
    """Of a call that failed: what the server said, clipped; never a key."""
    raw: str | None = None
    """The reply's content as received."""
    finish_reason: str | None = None
    attempts: int = 0
    dropped_turns: int = 0
    usage: Usage = Usage()
    latency_s: float = 0.0


class Chosen(Entry, frozen=True, kw_only=True):
    """One row of the output; also what is remembered of it."""

    NAMED: ClassVar[str] = "pair_sha"

    pair_sha: str
    id: int | str
    session: str
    domain: str
    turn: int
    status: Literal["scored", "unscored"]
    winner: Side | Literal["tie"] | None = None
    """A tie: the two orders disagree, or the answers are equal and nobody was asked."""
    equal: bool = False
    stage: Literal["prediction", "judge"] | None = None
    """Of an unscored row: where it went wrong."""
    reason: str | None = None
    answers: tuple[Answer | None, ...] = ()
    """What was chosen, in the order asked."""

    @property
    def of(self) -> str:
        """SHA-256 of the lines that the row is made of."""
        return self.pair_sha
