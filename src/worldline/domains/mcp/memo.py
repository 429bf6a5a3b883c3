"""What the ledger of a session remembers beside its facts."""

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.mcp.observations import (
    Body,
    Observation,
    parse_json_form,
    parse_result_form,
)
from worldline.domains.mcp.tools import EMPTY, Toolbox
from worldline.domains.mcp.world import World
from worldline.trajectory import Trajectory

RESULT_FORM = "call-tool-result"


class Wording(msgspec.Struct, frozen=True):
    """How a server words a breach of a schema: an observation, and what stands around the message.

    Learned from the first one it shows; from then on its answer to any other breach is certain.
    """

    body: Body
    before: str
    after: str


class Refusal(msgspec.Struct, frozen=True):
    """How this session's server refused one kind of call: an observation with holes in its text.

    Learned from one example (see `refusals`); `text` is `None` once a second one disagreed.
    """

    body: Body
    text: str | None


class Style(msgspec.Struct, frozen=True):
    """A shared way of refusing arguments that this session's server has shown (see `styles`)."""

    name: str
    version: str
    body: Body


class Reader(msgspec.Struct, frozen=True):
    """A read that gave one entity's whole record: its argument, the record's keys, its form."""

    argument: str
    keys: frozenset[str]
    body: Body


class Memo(msgspec.Struct, frozen=True, kw_only=True):
    """Everything here was shown by the environment itself (or, in a simulation, by the model)."""

    box: Toolbox = EMPTY
    recorded: bool = False
    """The session was collected from a real server: only what it has shown of its wording counts,
    never a wording of ours."""
    closed: bool = False
    """Nobody but the session acts on what its tools act on: collected from servers that were
    started for it, or simulated. Elsewhere another may change what was read a moment ago."""
    restless: bool = False
    """Something may go on by itself: a read is no longer sure to answer the same."""
    wordings: Mapping[str, Wording] = {}
    """By `Target.speaker`."""
    refusals: Mapping[str, Refusal] = {}
    """By kind of refusal."""
    styles: Mapping[str, Style] = {}
    """By `Target.speaker`; a style that was contradicted is gone for good: its name is empty."""
    moving: frozenset[str] = frozenset()
    """Labels of tools that answered the same call otherwise though nothing had changed."""
    readers: Mapping[str, Reader] = {}
    """By tool label."""
    sample: Body | None = None
    """The last result, to print our own answers in the same form."""
    world: World = World()
    """What rules hold answers against; nothing that is `known` rests on it."""
    structured: Mapping[str, int] = {}
    """By tool label: how often it has answered in JSON, as long as it did nothing else."""


def is_closed(trajectory: Trajectory) -> bool:
    """Whether nobody but the session acts on its world, as in all that are simulated.

    A session of unknown source that has not begun is about to be.
    """
    kind = trajectory.source.kind
    begun = bool(trajectory.turns)
    return kind in ("collected", "simulated") or (kind == "unknown" and not begun)


def memo_of(ledger: Ledger) -> Memo:
    """The memo of a ledger; an empty one before `Mcp.open`."""
    return ledger.memo if isinstance(ledger.memo, Memo) else Memo()


@lru_cache(maxsize=32)
def parse_observation(dialect: str, text: str) -> Observation:
    """The observation in the form of the dialect. Never raises.

    The last ones are kept: several rules and measures ask for the same text.
    """
    return parse_result_form(text) if dialect == RESULT_FORM else parse_json_form(text)
