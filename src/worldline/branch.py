"""Where a branch of a session stands, and how it grows: frozen data, so that forks are free."""

from itertools import chain

import msgspec

from worldline.domains.base import Domain, Ledger
from worldline.messages import FACTS_CHARS, Exchange, Thread, closed, open_thread, pose
from worldline.models.base import WorldModel
from worldline.prediction import Prediction, StepResult
from worldline.session import Head
from worldline.states import present
from worldline.step import tracked
from worldline.trajectory import Turn


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Where one branch stands after `seq` steps."""

    seq: int
    ledger: Ledger
    thread: Thread
    turns: tuple[Turn, ...] = ()
    last: StepResult | None = None
    before: "State | None" = None

    @property
    def now(self) -> str | None:
        """The state before the next action: what was shown last, messages aside."""
        seen = (turn.observation for turn in reversed(self.turns))
        return present(self.thread.tree, chain(seen, (self.thread.first,)))


def first_state(domain: Domain, model: WorldModel, head: Head) -> State:
    """The state before the first step."""
    return State(
        seq=0,
        ledger=domain.open(head.trajectory, head.facts),
        thread=open_thread(domain, head.trajectory, model.style, model.form),
    )


def unasked(domain: Domain, state: State, action: str) -> Exchange:
    """The exchange of a turn that is answered without asking the model."""
    return pose(
        domain,
        state.thread,
        state.ledger,
        action,
        grounded=False,
        state=state.now,
        asked=False,
    )


def told(domain: Domain, state: State) -> str:
    """The facts block that bears on the last action, as a model would be told it."""
    action = state.turns[-1].action if state.turns else ""
    return domain.facts_text(domain.facts(state.ledger, action, FACTS_CHARS))


def grown(
    domain: Domain,
    state: State,
    action: str,
    asked: Exchange,
    prediction: Prediction,
    result: StepResult,
) -> State:
    """The state past a step that happened: thread, ledger and turns grow by one."""
    observation = result.observation or ""
    info = domain.info(action, state.ledger.dialect)
    turn = Turn(action=action, observation=observation, info=info)
    exchanges = (*state.thread.exchanges, closed(state.thread, asked, observation))
    return State(
        seq=state.seq + 1,
        ledger=tracked(domain, state.ledger, turn, prediction),
        thread=msgspec.structs.replace(state.thread, exchanges=exchanges),
        turns=(*state.turns, turn),
        last=result,
        before=state,
    )
