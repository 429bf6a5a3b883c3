"""States in a conversation: when one is shown, and replies that are edits of it.

Most of a screen or a page is copied from one turn to the next, and a small model should not have to
copy it. So in a dialect whose states are trees it can be asked for an edit script (the *patch
form*) of the state before its action::

    user       <state> each node of the state behind its handle </state>   facts   action
    assistant  = keep
               ~ a12 checked=true

A state is shown only when the model needs it: in the first turn that is sent, when it changed on
its own, when handles have come to name other nodes, or when much has changed since. Otherwise the
edits add up and a turn costs only its own tokens. Code carries the edits out, so worlds, benchmarks
and training rows have the same form.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import msgspec

from worldline.domains.common import STATE_TAG, block
from worldline.trees import TreeForm, diff_past, moved, parsed, view

ROOM = 48
"""Tokens of a message that are neither its state nor its other text: tags and separators."""
LOOK_BACK = 20
"""Observations that are looked at for the newest state."""
AGAIN = 0.5
"""A state is shown again when the edits since take this share of its own size."""


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One past turn as it was sent, and what came of it."""

    user: str
    reply: str = ""
    """The assistant's text: the bare observation or, in the patch form, the edit script."""
    sent: tuple[tuple[str, int], ...] = ()
    """Facts in the block, as (id, turn that established it): the same is not sent twice."""
    state: str | None = None
    """The state before the action."""
    observation: str = ""
    shows: int = 0
    """Characters of the state shown in it; 0 for none."""
    clipped: int = 0
    """Nodes of that state that were left out."""
    stale: bool = False
    """Handles shown so far no longer name the same nodes."""


class Shown(NamedTuple):
    """A state as it stands in a message: its block, its characters, the nodes left out."""

    text: str
    size: int
    clipped: int


def present(tree: TreeForm | None, newest_first: Iterable[str | None]) -> str | None:
    """The state an action acts on: the newest observation or, where states are trees, the newest
    that is one. A message about a rejected action is none: the screen is still there."""
    first = None
    for number, text in enumerate(newest_first):
        if number == 0:
            first = text
        if tree is None or (text and parsed(tree, text) is not None):
            return text
        if number == LOOK_BACK:
            break
    return first


def needed(past: Sequence[Exchange], state: str | None) -> bool:
    """Whether a model that was sent `past` must be shown the state it is asked about."""
    since = 0
    for number, exchange in enumerate(reversed(past)):
        if exchange.stale or (number == 0 and exchange.observation != state):
            return True
        since += len(exchange.reply)
        if exchange.shows:
            # A view that was cut was cut around another action.
            return exchange.clipped > 0 or since > AGAIN * exchange.shows
        earlier = past[-number - 2].observation if number + 1 < len(past) else None
        if exchange.state != earlier:  # it changed on its own in a turn nobody was asked about
            return True
    return True


def handled(
    tree: TreeForm,
    state: str | None,
    action: str,
    room: int | None,
    count: Callable[[str], int],
) -> Shown:
    """The state with handles, cut around what the action is aimed at if `room` tokens need it."""
    if not state:
        return Shown("", 0, 0)
    budget = None if room is None else max(room - ROOM, ROOM)
    text, clipped = view(tree, state, action=action, budget=budget, count=count)
    return Shown(block([text], STATE_TAG), len(text), clipped)


def whole(state: str) -> Shown:
    """The state as it is, for models that reply with whole states."""
    return Shown(block([state], STATE_TAG), len(state), 0)


def edited(
    tree: TreeForm, earlier: Sequence[str | None], state: str | None, observation: str
) -> tuple[str, bool]:
    """The observation as an edit of a state, and whether handles now name other nodes.

    Args:
        earlier: the states after turns 0, 1, 2 ...; one that comes back is named, not written.
        state: the present one.
    """
    script = diff_past(tree, earlier, state or "", observation)
    return script, not state or moved(tree, state, observation)
