"""What a session establishes about its browser: the page, the way to it, what was filled in.

Nothing here claims the next page: a real page loads, ticks and moves on its own. In recordings even
a scroll, a wait or an action that failed came back with another page in one turn of seven. What is
certain is only what never reaches the page: see `protocol`.
"""

from collections.abc import Iterator, Sequence

import msgspec

from worldline.domains.base import ActionError, Ledger
from worldline.domains.web import memo as memos
from worldline.domains.web.actions import QUIET, Deed, writes
from worldline.domains.web.dialects import browsergym
from worldline.domains.web.memo import Memo, form_of, memo_of
from worldline.domains.web.pages import TICKED, find, page_of, value_of
from worldline.facts import Fact, FactOrigin
from worldline.trajectory import Trajectory, Turn
from worldline.trees import Tree, parsed


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
    return _after(ledger, turn.observation, doings(ledger, turn.action), origin, turn.action)


def doings(ledger: Ledger, action: str) -> tuple[Deed, ...]:
    """What an action does; nothing if it is none."""
    try:
        return form_of(ledger).deeds(action)
    except ActionError:
        return ()


def _after(
    ledger: Ledger, text: str, deeds: Sequence[Deed], origin: FactOrigin, action: str = ""
) -> Ledger:
    form = form_of(ledger).tree
    tree = form.parse(text)
    if tree is None:
        return ledger
    if browsergym.failed(tree):
        tree, deeds = browsergym.without_error(tree), ()
        text = form.render(tree)
    page, memo = page_of(tree), memo_of(ledger)
    quiet = all(deed.verb in QUIET for deed in deeds)
    flips = frozenset(_flipped(ledger, tree, deeds))
    memo = memos.shown(
        memo,
        tree,
        page,
        text,
        deeds,
        ledger.turn,
        origin,
        settled=quiet or writes(action, deeds),
        flips=flips,
    )
    return msgspec.structs.replace(ledger, memo=memo)


def _flipped(ledger: Ledger, tree: Tree, deeds: Sequence[Deed]) -> Iterator[str]:
    """Ids of what a click has just ticked or unticked."""
    if len(deeds) != 1 or deeds[0].verb != "click" or deeds[0].ref is None:
        return
    memo, ref = memo_of(ledger), deeds[0].ref
    before = parsed(form_of(ledger).tree, memo.text) if memo.text else None
    was, now = (find(one, ref) if one is not None else None for one in (before, tree))
    if before is None or was is None or now is None:
        return
    if tree.nodes[now].kind in TICKED and value_of(before, was) != value_of(tree, now):
        yield ref
