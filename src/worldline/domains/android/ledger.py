"""The ledger of a phone: the screen, the app in front, what was typed and opened, how it came.

Nothing of a next screen follows with certainty from the last one: screens move on their own, and a
repeated action may do something else. So there is no known transition; only an action that is none
is answered, and only in a world of ours, for no recorded environment shows what it would say.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from worldline.domains.android.deeds import Deed
from worldline.domains.android.memo import (
    KEPT,
    Memo,
    Step,
    Typed,
    form_of,
    meaning,
    memo_of,
    screen_of,
)
from worldline.domains.android.screen import Element, Screen
from worldline.domains.base import ActionError, Known, Ledger
from worldline.facts import Fact, FactOrigin, fact
from worldline.trajectory import Trajectory, Turn

Key = TypeVar("Key", bound=Hashable)


def open(trajectory: Trajectory, facts: Sequence[Fact] = ()) -> Ledger:
    """The ledger before the first turn: the first screen, if there is one."""
    ledger = Ledger(dialect=trajectory.dialect, tools=trajectory.tools, memo=Memo())
    state = trajectory.system.initial_state
    return _seen(ledger, state, "given").with_facts(*facts)


def protocol(ledger: Ledger, action: str) -> Known | None:
    """The answer to a text that is no action of the dialect."""
    try:
        form_of(ledger).action(action)
    except ActionError as error:
        text = f"Error: this is no action: {error}."
        return Known(observation=text, rule="android.no_action", origin="protocol")
    return None


def changed(ledger: Ledger, state: str, origin: FactOrigin) -> Ledger:
    """The ledger at a screen that came on its own."""
    return _seen(ledger, state, origin)


def track(ledger: Ledger, turn: Turn, origin: FactOrigin) -> Ledger:
    """The ledger after a turn. A text that is no screen leaves the screen as it was."""
    if turn.state_before is not None:
        ledger = _seen(ledger, turn.state_before, origin)
    form, before = form_of(ledger), screen_of(ledger)
    deed, after = form.deed(turn.action), form.screen(turn.observation)
    number = ledger.turn + 1
    ledger = msgspec.structs.replace(ledger, turn=number)
    if deed is not None:
        target = before.aimed_at(deed) if before else None
        ledger = _done(ledger, deed, target, after)
        if before is not None and after is not None:
            ledger = _stepped(ledger, before.place, meaning(deed, target), turn.observation, origin)
    return _seen(ledger, turn.observation, origin)


def _seen(ledger: Ledger, text: str | None, origin: FactOrigin) -> Ledger:
    """The ledger with this as its screen, if it is one."""
    screen = form_of(ledger).screen(text)
    if screen is None:
        return ledger
    memo = memo_of(ledger)
    size = max(memo.size[0], screen.size[0]), max(memo.size[1], screen.size[1])
    memo = msgspec.structs.replace(
        memo, state=text, origin=origin, size=size, **_learnt(memo, screen)
    )
    values = {
        "app": screen.package,
        "activity": screen.heads[0] if screen.heads else None,
        "keyboard": "shown" if screen.keyboard else "hidden",
    }
    facts = [
        fact("entity", name, value, origin=origin, turn=ledger.turn)
        for name, value in values.items()
        if value is not None
    ]
    gone = [f"entity:{name}" for name, value in values.items() if value is None]
    return msgspec.structs.replace(ledger, memo=memo).with_facts(*facts, without=gone)


def _learnt(memo: Memo, screen: Screen) -> dict[str, Any]:
    """What the memo knows of ids once this screen has been shown."""
    told = [one for one in screen.elements if one.id is not None]
    states = memo.states
    if screen.state is not None and screen.state not in states:
        states = (*states, screen.state)[-KEPT:]
    return {
        "kinds": _kept(memo.kinds, ((one.id or "", one.kind) for one in told)),
        "named": _kept(memo.named, ((one.shown, one.id or "") for one in told if one.says)),
        "switches": memo.switches | {one.id or "" for one in told if one.says in ("on", "off")},
        "checks": memo.checks or any("checked" in one.flags for one in screen.elements),
        "states": states,
    }


def _kept(known: Mapping[Key, str], shown: Iterable[tuple[Key, str]]) -> Mapping[Key, str]:
    """What each key has stood for; nothing where that was more than one thing."""
    fresh: dict[Key, str] = {}
    for key, value in shown:
        was = fresh.get(key, known.get(key, value))
        if was != value or key not in known:
            fresh[key] = value if was == value else ""
    return {**known, **fresh} if fresh else known


def _done(ledger: Ledger, deed: Deed, target: Element | None, after: Screen | None) -> Ledger:
    """What the agent did: text it typed, apps it opened."""
    memo, turn = memo_of(ledger), ledger.turn
    facts: list[Fact] = []
    if deed.text is not None:
        field = label(target) if target else "the field with the focus"
        memo = msgspec.structs.replace(
            memo, typed=(*memo.typed, Typed(turn=turn, text=deed.text, field=field))[-KEPT:]
        )
        value = [[one.text, one.field] for one in memo.typed]
        facts.append(fact("entity", "typed", value, origin="action", turn=turn))
    if deed.app is not None and after is not None:
        opened = (deed.app, after.package or "")
        memo = msgspec.structs.replace(memo, opened=(*memo.opened, opened)[-KEPT:])
        names = list(dict.fromkeys(name for name, _ in memo.opened))
        facts.append(fact("entity", "opened", names, origin="action", turn=turn))
    return msgspec.structs.replace(ledger, memo=memo).with_facts(*facts)


def _stepped(ledger: Ledger, place: str, meant: str, after: str, origin: FactOrigin) -> Ledger:
    memo = memo_of(ledger)
    step = Step(
        turn=ledger.turn,
        place=place,
        meant=meant,
        before=memo.state,
        after=after,
        origin=origin,
    )
    memo = msgspec.structs.replace(memo, steps=(*memo.steps, step)[-KEPT:])
    return msgspec.structs.replace(ledger, memo=memo)


def label(one: Element) -> str:
    """An element in a few words, for people and models."""
    name = one.text or one.desc or (one.id or "").rpartition("/")[2]
    kind = one.kind.rpartition(".")[2]
    return f'{kind} "{name[:80]}"' if name else kind
