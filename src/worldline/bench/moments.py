"""A session just before each of its turns, with what a model would be asked there."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import msgspec

from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import Domain, Known, Ledger
from worldline.grounding import Examples
from worldline.messages import Exchange, Request, Thread, closed, open_thread, pose
from worldline.models.base import WorldModel
from worldline.seeds import sampler_seed
from worldline.states import present
from worldline.step import next_request, settled
from worldline.trajectory import Trajectory


class Plan(NamedTuple):
    """How cases are asked, beside the model."""

    grounded: bool = False
    """Known answers are not asked, and the model is told the facts."""
    seed: int | None = 0
    """Of the run; each case derives its sampler's seed from it."""
    max_turns: int | None = None
    """Only turns up to this one."""
    examples: Examples | None = None
    """Recorded turns to show the model."""


class Moment(NamedTuple):
    """A session just before one of its turns is predicted."""

    number: int
    ledger: Ledger
    thread: Thread
    known: Known | None
    request: Request | None = None
    """Where building it was needed to go on."""


def installed_domain(name: str) -> Domain:
    """The domain, or `generic` for one that is not installed (its prompt reference says so)."""
    return find_domain(name if name in names() else "generic")


def case_seed(plan: Plan, session: str, turn: int) -> int | None:
    """31 bits from the run's seed, the session and the turn."""
    if plan.seed is None:
        return None
    return sampler_seed(plan.seed, session, turn)


def moments(
    domain: Domain, trajectory: Trajectory, model: WorldModel, plan: Plan, session: str
) -> Iterator[Moment]:
    """The session before each of its turns. A moment knows nothing of its turn's observation."""
    ledger = domain.open(trajectory)
    thread = open_thread(domain, trajectory, model.style, model.form)
    more = plan.grounded or plan.examples is not None or thread.tree is not None
    for number, turn in enumerate(trajectory.turns, 1):
        if turn.state_before is not None:
            ledger = domain.changed(ledger, turn.state_before, "real")
        known = settled(domain, ledger, turn.action) if plan.grounded else None
        moment = Moment(number, ledger, thread, known)
        if more and known is None:
            # What goes into a message beside the action depends on what fits.
            request, asked = next_asked(domain, model, trajectory, moment, plan, session)
            moment = moment._replace(request=request)
        else:
            state = state_before(trajectory, number)
            asked = pose(
                domain, thread, ledger, turn.action, grounded=False, state=state, asked=False
            )
        yield moment
        exchanges = (*thread.exchanges, closed(thread, asked, turn.observation))
        thread = msgspec.structs.replace(thread, exchanges=exchanges)
        ledger = domain.track(ledger, turn, "real")


def state_before(trajectory: Trajectory, number: int) -> str | None:
    """The state that turn `number` (from 1) acts on."""
    turn = trajectory.turns[number - 1]
    if turn.state_before is not None:
        return turn.state_before
    dialect = installed_domain(trajectory.domain).dialects.get(trajectory.dialect)
    seen = (turn.observation for turn in reversed(trajectory.turns[: number - 1]))
    tree = dialect.tree if dialect else None
    return present(tree, chain(seen, (trajectory.system.initial_state,)))


def next_asked(
    domain: Domain,
    model: WorldModel,
    trajectory: Trajectory,
    moment: Moment,
    plan: Plan,
    session: str,
) -> tuple[Request, Exchange]:
    """The request for a moment's turn, fitted, and the exchange it is posed as."""
    action, state = (
        trajectory.turns[moment.number - 1].action,
        state_before(trajectory, moment.number),
    )
    examples = ""
    if plan.examples is not None:
        examples = plan.examples.block(
            domain, moment.thread, moment.ledger.dialect, action, state, session
        )
    request, asked = next_request(
        domain,
        model,
        trajectory,
        moment.thread,
        moment.ledger,
        trajectory.turns[: moment.number - 1],
        action,
        grounded=plan.grounded,
        seed=case_seed(plan, session, moment.number),
        session=session,
        state=state,
        examples=examples,
    )
    # A domain that is not installed is served as generic text; its recordings keep their name.
    return msgspec.structs.replace(request, domain=trajectory.domain), asked
