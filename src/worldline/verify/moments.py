"""Recorded sessions, turn by turn, as they are measured."""

from collections.abc import Iterator

import msgspec

from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import Domain, Ledger
from worldline.errors import DataError
from worldline.facts import Fact
from worldline.states import present
from worldline.trajectory import Trajectory, Turn
from worldline.verify.measure import Moment
from worldline.verify.seen import Seen


class Session:
    """A recorded session that is gone through once, turn after turn.

    The ledger has been told what the recorder knew at the start (``meta.facts``) and the turns
    before; it knows nothing of the turn it is asked about.
    """

    def __init__(self, trajectory: Trajectory) -> None:
        """Before the first turn; the trajectory's own turns are not looked at."""
        self.domain: Domain = find_domain(
            trajectory.domain if trajectory.domain in names() else "generic"
        )
        _known(self.domain, trajectory)
        given = msgspec.convert(trajectory.meta.get("facts") or [], list[Fact])
        dialect = self.domain.dialects.get(trajectory.dialect)
        self._tree = dialect.tree if dialect else None
        self._ledger: Ledger = self.domain.open(trajectory, given)
        self._seen = Seen()
        self._states = [trajectory.system.initial_state]
        self.turn = 1
        """The turn that comes next."""
        system = trajectory.system
        told = (system.initial_state, system.verbatim, system.task_description, trajectory.task)
        for text in (*told, *(f"{fact.key}\n{fact.value}" for fact in given)):
            self._seen.add(text or "", 0)

    def moment(self, turn: Turn) -> Moment:
        """The session just before this turn, which is the next one."""
        if turn.state_before is not None:
            self._ledger = self.domain.changed(self._ledger, turn.state_before, "real")
            self._states.append(turn.state_before)
            self._seen.add(turn.state_before, self.turn - 1)
        before = present(self._tree, reversed(self._states)) if self._tree is not None else None
        return Moment(
            domain=self.domain,
            ledger=self._ledger,
            turn=self.turn,
            action=turn.action,
            truth=turn.observation,
            before=before,
            seen=self._seen,
        )

    def past(self, turn: Turn) -> None:
        """The turn has been played: what it showed is known from now on."""
        self._ledger = self.domain.track(self._ledger, turn, "real")
        self._states.append(turn.observation)
        self._seen.add(turn.action, self.turn)
        self._seen.add(turn.observation, self.turn)
        self.turn += 1


def _known(domain: Domain, trajectory: Trajectory) -> None:
    """The dialect of an installed domain is one of its own; others are read as plain text."""
    if trajectory.domain in names() and trajectory.dialect not in domain.dialects:
        raise DataError(
            f"{trajectory.dialect!r} is no dialect of {trajectory.domain}",
            file=trajectory.id,
            field="dialect",
            remedy=f"It has: {', '.join(domain.dialects)} (docs/domains.md).",
        )


def moments(trajectory: Trajectory) -> Iterator[Moment]:
    """The session before each of its turns, with what really came."""
    session = Session(trajectory)
    for turn in trajectory.turns:
        yield session.moment(turn)
        session.past(turn)
