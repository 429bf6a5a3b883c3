"""From what is to be predicted to what is asked: one case a turn.

A turn of a trajectory is posed exactly as a world poses it (`worldline.step`), with the recorded
past instead of a simulated one, so that the request of a turn extends that of the turn before. A
row of AgentWorldBench is sent as it is: its own system prompt, its prompts and true observations
before the evaluated turn, its last prompt unchanged.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from worldline.bench.moments import (
    Moment,
    Plan,
    case_seed,
    installed_domain,
    moments,
    next_asked,
    state_before,
)
from worldline.bench.rows import OURS, BenchRow, rows_of, session_of, trajectory_of
from worldline.bench.suite import Evaluated
from worldline.domains.base import Domain
from worldline.messages import (
    FACTS_CHARS,
    Exchange,
    Request,
    Window,
    open_thread,
    render,
)
from worldline.models.base import WorldModel
from worldline.prediction import Prediction
from worldline.step import ask, settled, settled_prediction
from worldline.trajectory import Trajectory
from worldline.verify.moments import known_dialect


class Case(NamedTuple):
    """One prediction to make."""

    session: str
    """Cases of one session share a prefix."""
    weight: int
    """Characters it keeps in memory, about."""
    row: Callable[[], dict[str, Any]]
    """The row as it goes to the output."""
    ask: Callable[[], Coroutine[Any, Any, Prediction]]


def cases(
    items: Iterable[BenchRow | Trajectory | Evaluated], model: WorldModel, plan: Plan
) -> Iterator[Case]:
    """The cases of some rows and trajectories, in order; a trajectory gives one a turn.

    Of an `Evaluated` one only the turns it names are asked about.

    Raises:
        DataError: a dialect is none of its domain.
    """
    for item in items:
        if isinstance(item, Trajectory):
            yield from _of_trajectory(item, model, plan)
        elif isinstance(item, Evaluated):
            yield from _of_trajectory(item.trajectory, model, plan, frozenset(item.turns))
        elif plan.max_turns is None or item.turn <= plan.max_turns:
            yield _of_row(item, model, plan)


# turns of trajectories


def _of_trajectory(
    trajectory: Trajectory, model: WorldModel, plan: Plan, only: frozenset[int] | None = None
) -> Iterator[Case]:
    known_dialect(trajectory.domain, trajectory.dialect, file=trajectory.id)
    domain = installed_domain(trajectory.domain)
    session = f"{trajectory.id}/{trajectory.cluster}"
    for moment in moments(domain, trajectory, model, plan, session):
        if plan.max_turns is not None and moment.number > plan.max_turns:
            return
        if only is not None and moment.number not in only:
            continue
        turn = trajectory.turns[moment.number - 1]
        yield Case(
            session=session,
            weight=len(turn.action) + len(turn.observation),
            row=partial(_row, trajectory, moment.number),
            ask=partial(_ask, domain, model, trajectory, moment, plan, session),
        )


def _row(trajectory: Trajectory, number: int) -> dict[str, Any]:
    return next(rows_of(trajectory, [number])).row


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
        request, _ = next_asked(domain, model, trajectory, moment, plan, session)
    return await ask(domain, model, request, moment.ledger)


# rows


def _of_row(row: BenchRow, model: WorldModel, plan: Plan) -> Case:
    ours = OURS in row.row
    if ours:
        known_dialect(row.domain, row.row[OURS]["dialect"], file=row.row["id"])
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
