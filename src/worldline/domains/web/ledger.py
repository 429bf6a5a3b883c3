"""What a session establishes about its browser: the page, the way to it, what was filled in.

Nothing here claims the next page: a real page loads, ticks and moves on its own. In recordings even
a scroll, a wait or an action that failed came back with another page in one turn of seven. What is
certain is only what never reaches the page: see `protocol`.
"""

from collections.abc import Sequence

import msgspec

from worldline.domains.base import ActionError, Ledger
from worldline.domains.web import memo as memos
from worldline.domains.web.actions import Deed
from worldline.domains.web.dialects import browsergym
from worldline.domains.web.memo import Memo, form_of, memo_of
from worldline.domains.web.pages import page_of
from worldline.facts import Fact, FactOrigin
from worldline.trajectory import Trajectory, Turn


def open(ledger: Ledger, trajectory: Trajectory, facts: Sequence[Fact]) -> Ledger:
    """The ledger at the first page."""
    system = trajectory.system
    parts = (system.action_space, system.task_description, system.verbatim)
    memo = Memo(offered="\n".join(part for part in parts if part))
    start = system.initial_state
    given = next((f.value for f in facts if f.kind == "tree" and isinstance(f.value, str)), None)
    ledger = msgspec.structs.replace(ledger, memo=memo)
    return _after(ledger, start or given or "", (), "given")


def changed(ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
    """The ledger at a page that came on its own."""
    return _after(ledger, state, (), origin)


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn. A sentence that is no page leaves the page as it was."""
    ledger = msgspec.structs.replace(ledger, turn=ledger.turn + 1)
    return _after(ledger, turn.observation, doings(ledger, turn.action), origin)


def doings(ledger: Ledger, action: str) -> tuple[Deed, ...]:
    """What an action does; nothing if it is none."""
    try:
        return form_of(ledger).deeds(action)
    except ActionError:
        return ()


def _after(ledger: Ledger, text: str, deeds: Sequence[Deed], origin: FactOrigin) -> Ledger:
    form = form_of(ledger).tree
    tree = form.parse(text)
    if tree is None:
        return ledger
    if browsergym.failed(tree):
        tree, deeds = browsergym.without_error(tree), ()
        text = form.render(tree)
    page = page_of(tree)
    memo = memos.shown(memo_of(ledger), tree, page, text, deeds, ledger.turn, origin)
    return msgspec.structs.replace(ledger, memo=memo)
