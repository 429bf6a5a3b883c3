"""Which facts a model is told before it predicts, and in what words."""

import json
from collections.abc import Iterator, Sequence

from worldline.domains.android.deeds import Deed
from worldline.domains.android.ledger import label
from worldline.domains.android.memo import Step, form_of, meaning, memo_of, screen_of
from worldline.domains.android.nodes import MAIN, quoted
from worldline.domains.android.screen import Element, Screen
from worldline.domains.base import Ledger
from worldline.domains.common import block
from worldline.facts import Fact, fact
from worldline.trees.line import write

SHOWN_CHARS = 600
"""Of what another screen shows."""
TYPED = 3


def chosen(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """The facts that bear on an action, most telling first, in `budget` characters."""
    found: list[Fact] = []
    for one in _relevant(ledger, action):
        size = len(line(one)) + 1
        if size <= budget:
            found.append(one)
            budget -= size
    return found


def text(facts: Sequence[Fact]) -> str:
    """The facts block; whatever the facts hold, they cannot close it."""
    return block(line(one) for one in facts)


def line(one: Fact) -> str:
    """One fact in words, on one line."""
    lead = _LEADS.get(one.key.partition(":")[0], one.key)
    value = one.value if isinstance(one.value, str) else json.dumps(one.value, ensure_ascii=False)
    flat = " ".join(value.replace("\r", " ").split("\n"))
    return f"{lead.format(turn=one.turn)}: {flat}"


_LEADS = {
    "target": "the action is aimed at",
    "led": "the same action on this screen led, at turn {turn}, to",
    "back": "the screen before this one, last seen at turn {turn}",
    "app": "app in front",
    "activity": "activity",
    "keyboard": "the on-screen keyboard is",
    "typed": "typed so far",
    "opened": "apps opened so far",
}


def _relevant(ledger: Ledger, action: str) -> Iterator[Fact]:
    screen, memo = screen_of(ledger), memo_of(ledger)
    deed = form_of(ledger).deed(action)
    if screen is not None and deed is not None:
        target = screen.aimed_at(deed)
        if deed.aimed:
            told = _target(screen, target, deed)
            yield fact("tree", "target", told, origin=memo.origin, turn=ledger.turn)
        yield from _led(ledger, screen, deed, target)
    for name in ("app", "activity", "keyboard"):
        if one := ledger.get("entity", name):
            yield one
    if typed := memo.typed[-TYPED:]:
        told = "; ".join(f"{quoted(one.text)} into {one.field}" for one in typed)
        yield fact("entity", "typed", told, origin="action", turn=typed[-1].turn)
    if opened := ledger.get("entity", "opened"):
        yield opened


def _target(screen: Screen, target: Element | None, deed: Deed) -> str:
    if target is not None:
        return f"{target.number} {write(screen.tree.nodes[target.at], MAIN, ref=False)}"
    if deed.index is not None and screen.elements:
        numbers = [one.number for one in screen.elements]
        return f"nothing: elements are numbered {min(numbers)} to {max(numbers)}"
    return "nothing that is on the screen"


def _led(ledger: Ledger, screen: Screen, deed: Deed, target: Element | None) -> Iterator[Fact]:
    steps, meant = memo_of(ledger).steps, meaning(deed, target)
    same = [one for one in steps if one.place == screen.place and one.meant == meant]
    if same:
        last = same[-1]
        yield _page("led", last, ledger, unchanged=last.before == last.after)
    elif deed.verb == "back":
        earlier = [one for one in steps if one.place != screen.place and one.before is not None]
        if earlier:
            last = earlier[-1]
            value = _shown(ledger, last.before)
            yield fact("page", "back", value, origin=last.origin, turn=last.turn, complete=False)


def _page(key: str, step: Step, ledger: Ledger, *, unchanged: bool) -> Fact:
    value = "the same screen, unchanged" if unchanged else _shown(ledger, step.after)
    return fact("page", key, value, origin=step.origin, turn=step.turn, complete=False)


def _shown(ledger: Ledger, text: str | None) -> str:
    """Another screen in a line: its app, and what its elements show."""
    screen = form_of(ledger).screen(text)
    if screen is None:
        return "no screen"
    head = screen.heads[0] if screen.heads else screen.package or "a screen"
    labels = [label(one) for one in screen.elements if one.text or one.desc]
    told = f"{head} with {len(screen.elements)} elements: {', '.join(labels)}"
    return told if len(told) <= SHOWN_CHARS else f"{told[:SHOWN_CHARS]} ..."
