"""The tokens that a turn takes in full and in patch form, as the embedded model counts them.

Messages are made as a world and a benchmark make them (`worldline.messages`), in the compact style,
without facts and without a limit; tokens are those of system text, turns and target together.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from worldline.domains.base import Domain
from worldline.fit import OVERHEAD
from worldline.messages import Thread, closed, open_thread, pose
from worldline.models import load
from worldline.prediction import Form
from worldline.states import Exchange
from worldline.trajectory import Trajectory

CONTEXTS = (4096, 8192)
FORMS: tuple[Form, ...] = ("full", "patch")


class Counting:
    """The embedded model's tokenizer. Long texts are remembered."""

    def __init__(self) -> None:
        self.model = load("embedded?ctx=512")
        self.tokens = lru_cache(4096)(self.model.count)


class Tokens(NamedTuple):
    """What one turn takes, the reply that would be right included."""

    whole: int
    """With all turns before."""
    alone: int
    """With the state before (where there are no states, the turn before), and no other turn."""


def request_tokens(
    domain: Domain, trajectory: Trajectory, form: Form, counting: Counting
) -> Iterator[Tokens]:
    """The tokens of each turn of a trajectory."""
    count = counting.tokens
    ledger = domain.open(trajectory)
    thread = open_thread(domain, trajectory, "compact", form)
    now, total = trajectory.system.initial_state, 0
    for turn in trajectory.turns:
        state = now if turn.state_before is None else turn.state_before
        asked = pose(domain, thread, ledger, turn.action, grounded=False, state=state)
        done = closed(thread, asked, turn.observation)
        size = count(done.user) + count(done.reply) + 2 * OVERHEAD
        whole = count(thread.system) + 2 * OVERHEAD + total + size
        yield Tokens(whole, min(_alone(domain, thread, trajectory, done, counting), whole))
        thread = msgspec.structs.replace(thread, exchanges=(*thread.exchanges, done))
        now, total = turn.observation, total + size


def _alone(
    domain: Domain, thread: Thread, trajectory: Trajectory, done: Exchange, counting: Counting
) -> int:
    """The tokens of a turn behind nothing but the state before it."""
    count, last = counting.tokens, thread.exchanges[-1:]
    system = thread.later if thread.later is not None and last else thread.system
    base = count(system) + 2 * OVERHEAD + count(done.user) + count(done.reply) + 2 * OVERHEAD
    if done.shows or not last:
        return base
    if thread.form == "full":  # the last reply is the state
        return base + count(last[0].user) + count(last[0].reply) + 2 * OVERHEAD
    ledger = domain.open(trajectory)
    action = trajectory.turns[len(thread.exchanges)].action
    start = len(thread.exchanges)
    fresh = pose(domain, thread, ledger, action, grounded=False, state=done.state, start=start)
    return base - count(done.user) + count(fresh.user)
