"""Recorded sessions, turn by turn, as they are measured."""

from collections.abc import Iterator

import msgspec

from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import Domain
from worldline.facts import Fact
from worldline.states import present
from worldline.trajectory import Trajectory
from worldline.verify.measure import Moment
from worldline.verify.seen import Seen


def moments(trajectory: Trajectory, domain: Domain | None = None) -> Iterator[Moment]:
    """The session before each of its turns, with what really came.

    The ledger has been told what the recorder knew at the start (``meta.facts``) and the turns
    before; it knows nothing of the turn itself.
    """
    known = trajectory.domain in names()
    domain = domain or find_domain(trajectory.domain if known else "generic")
    given = msgspec.convert(trajectory.meta.get("facts") or [], list[Fact])
    ledger = domain.open(trajectory, given)
    dialect = domain.dialects.get(trajectory.dialect)
    tree, seen, states = (
        dialect.tree if dialect else None,
        Seen(),
        [trajectory.system.initial_state],
    )
    system = trajectory.system
    for text in (system.initial_state, system.verbatim, system.task_description, trajectory.task):
        seen.add(text or "", 0)
    for fact in given:
        seen.add(str(fact.key), 0)
        seen.add(str(fact.value), 0)
    for number, turn in enumerate(trajectory.turns, 1):
        if turn.state_before is not None:
            ledger = domain.changed(ledger, turn.state_before, "real")
            states.append(turn.state_before)
            seen.add(turn.state_before, number - 1)
        yield Moment(
            domain=domain,
            ledger=ledger,
            turn=number,
            action=turn.action,
            truth=turn.observation,
            before=present(tree, reversed(states)) if tree is not None else None,
            seen=seen,
        )
        ledger = domain.track(ledger, turn, "real")
        states.append(turn.observation)
        seen.add(turn.action, number)
        seen.add(turn.observation, number)
