"""Recorded sessions, turn by turn, as they are measured."""

from collections.abc import Iterator

import msgspec

from worldline import jsonl
from worldline.domains import domain as find_domain
from worldline.domains import names
from worldline.domains.base import Domain, Ledger
from worldline.errors import DataError
from worldline.facts import Fact
from worldline.states import present
from worldline.trajectory import Trajectory, Turn, validation_error
from worldline.verify.measure import Moment
from worldline.verify.seen import Seen


class Session:
    """A recorded session that is gone through once, turn after turn.

    The ledger has been told what the recorder knew at the start (``meta.facts``) and the turns
    before; it knows nothing of the turn it is asked about.
    """

    def __init__(
        self, trajectory: Trajectory, *, file: object = None, line: int | None = None
    ) -> None:
        """Before the first turn; the trajectory's own turns are not looked at.

        Args:
            file: where the trajectory is from; its id stands in errors where this is not known.
            line: its line there.

        Raises:
            DataError: the dialect is none of its domain, or ``meta.facts`` are no facts.
        """
        file = trajectory.id if file is None else file
        known_dialect(trajectory.domain, trajectory.dialect, file=file, line=line)
        self.domain: Domain = find_domain(
            trajectory.domain if trajectory.domain in names() else "generic"
        )
        given = _given(trajectory, file, line)
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


def known_dialect(
    domain: str, dialect: str, *, file: object = None, line: int | None = None
) -> None:
    """The dialect of an installed domain is one of its own; others are read as plain text.

    Args:
        file: where the session is from, or what it is called.

    Raises:
        DataError: it is not.
    """
    if domain not in names():
        return
    dialects = find_domain(domain).dialects
    if dialect not in dialects:
        raise DataError(
            f"{dialect!r} is no dialect of {domain}",
            file=file,
            line=line,
            field="dialect",
            remedy=f"It has: {', '.join(dialects)} (docs/domains.md).",
        )


def _given(trajectory: Trajectory, file: object, line: int | None) -> list[Fact]:
    """What the recorder knew at the start."""
    try:
        return jsonl.convert(trajectory.meta.get("facts") or [], list[Fact])
    except msgspec.ValidationError as error:
        found = validation_error(error)
        field = found.field or ""
        raise DataError(
            found.message,
            file=file,
            line=line,
            field="meta.facts" + (field if field.startswith("[") or not field else f".{field}"),
            remedy="Give a list of facts as `worldline.facts.Fact` has them, or leave them out.",
        ) from error


def moments(
    trajectory: Trajectory, *, file: object = None, line: int | None = None
) -> Iterator[Moment]:
    """The session before each of its turns, with what really came.

    Args:
        file: where the trajectory is from, for errors; see `Session`.
        line: its line there.
    """
    session = Session(trajectory, file=file, line=line)
    for turn in trajectory.turns:
        yield session.moment(turn)
        session.past(turn)
