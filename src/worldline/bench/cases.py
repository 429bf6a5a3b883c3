"""From what is to be predicted to what is asked: one case a turn.

A turn of a trajectory is posed exactly as a world poses it (`worldline.step`), with the recorded
past instead of a simulated one, so that the request of a turn extends that of the turn before. A
row of AgentWorldBench is sent as it is: its own system prompt, its prompts and true observations
before the evaluated turn, its last prompt unchanged.
"""

import hashlib
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from worldline.bench.rows import OURS, BenchRow, rows_of, session_of, trajectory_of
from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import Domain, Known, Ledger
from worldline.grounding import Examples
from worldline.messages import (
    FACTS_CHARS,
    Exchange,
    Request,
    Thread,
    Window,
    closed,
    open_thread,
    pose,
    render,
)
from worldline.models.base import WorldModel
from worldline.prediction import Prediction
from worldline.states import present
from worldline.step import ask, next_request, settled, settled_prediction
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


class Case(NamedTuple):
    """One prediction to make."""

    session: str
    """Cases of one session share a prefix."""
    weight: int
    """Characters it keeps in memory, about."""
    row: Callable[[], dict[str, Any]]
    """The row as it goes to the output."""
    ask: Callable[[], Coroutine[Any, Any, Prediction]]


class Moment(NamedTuple):
    """A session just before one of its turns is predicted."""

    number: int
    ledger: Ledger
    thread: Thread
    known: Known | None
    request: Request | None = None
    """Where building it was needed to go on."""


def cases(items: Iterable[BenchRow | Trajectory], model: WorldModel, plan: Plan) -> Iterator[Case]:
    """The cases of some rows and trajectories, in order; a trajectory gives one a turn."""
    for item in items:
        if isinstance(item, Trajectory):
            yield from _of_trajectory(item, model, plan)
        elif plan.max_turns is None or item.turn <= plan.max_turns:
            yield _of_row(item, model, plan)


def installed_domain(name: str) -> Domain:
    """The domain, or `generic` for one that is not installed (its prompt reference says so)."""
    return find_domain(name if name in names() else "generic")


def case_seed(plan: Plan, session: str, turn: int) -> int | None:
    """31 bits from the run's seed, the session and the turn."""
    if plan.seed is None:
        return None
    key = f"{plan.seed}|{session}|{turn}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(key, digest_size=4).digest(), "big") >> 1


# turns of trajectories


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
            request, asked = _request(domain, model, trajectory, moment, plan, session)
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


def _of_trajectory(trajectory: Trajectory, model: WorldModel, plan: Plan) -> Iterator[Case]:
    domain = installed_domain(trajectory.domain)
    session = f"{trajectory.id}/{trajectory.cluster}"
    for moment in moments(domain, trajectory, model, plan, session):
        if plan.max_turns is not None and moment.number > plan.max_turns:
            return
        turn = trajectory.turns[moment.number - 1]
        yield Case(
            session=session,
            weight=len(turn.action) + len(turn.observation),
            row=partial(_row, trajectory, moment.number),
            ask=partial(_ask, domain, model, trajectory, moment, plan, session),
        )


def _row(trajectory: Trajectory, number: int) -> dict[str, Any]:
    return next(rows_of(trajectory, [number])).row


def _request(
    domain: Domain,
    model: WorldModel,
    trajectory: Trajectory,
    moment: Moment,
    plan: Plan,
    session: str,
) -> tuple[Request, Exchange]:
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


async def _ask(
    domain: Domain,
    model: WorldModel,
    trajectory: Trajectory,
    moment: Moment,
    plan: Plan,
    session: str,
) -> Prediction:
    if moment.known is not None:
        return settled_prediction(moment.known, model)
    request = moment.request
    if request is None:
        request, _ = _request(domain, model, trajectory, moment, plan, session)
    return await ask(domain, model, request, moment.ledger)


# rows


def _of_row(row: BenchRow, model: WorldModel, plan: Plan) -> Case:
    ours = OURS in row.row
    return Case(
        session=session_of(row),
        weight=sum(map(len, row.row["prompt"])) + sum(map(len, row.row["response"])),
        row=lambda: row.row,
        ask=partial(_ask_ours if ours else _ask_foreign, row, model, plan),
    )


async def _ask_ours(row: BenchRow, model: WorldModel, plan: Plan) -> Prediction:
    trajectory = trajectory_of(row)
    domain = installed_domain(trajectory.domain)
    session = session_of(row)
    *_, moment = moments(domain, trajectory, model, plan, session)
    return await _ask(domain, model, trajectory, moment, plan, session)


async def _ask_foreign(row: BenchRow, model: WorldModel, plan: Plan) -> Prediction:
    trajectory = trajectory_of(row)
    domain = installed_domain(row.domain)
    if not plan.grounded:
        return await model.predict(foreign_request(domain, row, trajectory, model, plan))
    ledger = domain.open(trajectory)
    for number, turn in enumerate(trajectory.turns, 1):
        if turn.state_before is not None:
            ledger = domain.changed(ledger, turn.state_before, "real")
        if number < len(trajectory.turns):
            ledger = domain.track(ledger, turn, "real")
    action = trajectory.turns[-1].action
    known = settled(domain, ledger, action)
    if known is not None:
        return settled_prediction(known, model)
    facts = domain.facts_text(domain.facts(ledger, action, FACTS_CHARS))
    request = foreign_request(domain, row, trajectory, model, plan, facts)
    return await ask(domain, model, request, ledger)


def foreign_request(
    domain: Domain,
    row: BenchRow,
    trajectory: Trajectory,
    model: WorldModel,
    plan: Plan,
    facts: str = "",
) -> Request:
    """The request of a row of AgentWorldBench.

    An empty system prompt falls back to our template, and the request's `prompt` says so.

    Args:
        trajectory: the row's session, as `trajectory_of` gives it.
        facts: a facts block for the last message, or nothing.
    """
    told = trajectory
    if told.system.verbatim is None:  # the prompts already hold the first state
        told = msgspec.structs.replace(
            told, system=msgspec.structs.replace(told.system, initial_state=None)
        )
    thread = msgspec.structs.replace(
        open_thread(domain, told, model.style),
        exchanges=tuple(
            Exchange(user=sent, reply=seen, observation=seen) for sent, seen in row.history
        ),
    )
    user = f"{facts}\n\n{row.prompt}" if facts else row.prompt
    messages, fit = render(
        thread,
        Exchange(user=user),
        Window(model.context, model.sampling.max_tokens or 0, model.count),
    )
    return Request(
        domain=trajectory.domain,
        dialect=trajectory.dialect,
        messages=messages,
        history=trajectory.turns[:-1],
        action=trajectory.turns[-1].action,
        state=state_before(trajectory, len(trajectory.turns)),
        initial_state=trajectory.system.initial_state,
        tools=None,
        sampling=model.sampling,
        seed=case_seed(plan, row.session, row.turn),
        prompt=thread.prompt,
        fit=fit,
        session=row.session,
    )
