"""What a screen cannot be after this one and this action."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from worldline.domains.android.deeds import Deed
from worldline.domains.android.memo import memo_of
from worldline.domains.android.places import Breach
from worldline.domains.android.screen import SYSTEM, Element, Screen
from worldline.domains.android.still import CHECKABLE
from worldline.domains.base import Ledger

CLOCK = "com.android.systemui:id/clock"
BACK = 360
"""Minutes that a clock may seem to have gone back; more than that, it went round."""
ALIKE = 0.5
"""Share of elements that two screens have in common to be one screen that has changed."""
_TIME = re.compile(r"(\d{1,2}):(\d\d)")
_SETS_TIME = ("settings", "clock")
_HIDDEN = re.compile(r"[•●*∙]+")


def breaches(before: Screen, screen: Screen, deed: Deed, ledger: Ledger) -> Iterator[Breach]:
    """Everything that this screen breaks as the one after `before`."""
    target = before.aimed_at(deed) or _focused(before, deed)
    change = _Change(before, screen)
    yield from _typed(screen, deed, target)
    yield from _opened(before, screen, deed, dict(memo_of(ledger).opened))
    yield from _clock(before, screen, ledger)
    yield from _cut(change)
    yield from _renamed(change)
    yield from _classes(change)
    yield from _scrolled(before, screen, deed, target)
    yield from _order(before, screen, deed)
    yield from _container(before, screen, change)
    yield from _toggled(change, deed, target)
    yield from _kept(change, deed, target, ledger)


class _Change:
    """Which elements of two screens are the same."""

    def __init__(self, before: Screen, after: Screen) -> None:
        self.before, self.after = before.elements, after.elements
        self.old, self.new = (Counter(map(_whole, one)) for one in (self.before, self.after))
        common = sum((self.old & self.new).values())
        self.alike = common / max(1, len(self.before), len(self.after))
        self.gone = [one for one in self.before if _whole(one) not in self.new]
        self.come = [one for one in self.after if _whole(one) not in self.old]

    def again(self, one: Element) -> Element | None:
        """The element of the same id, class and place on the screen after."""
        same = [other for other in self.after if _place(other) == _place(one)]
        return same[0] if len(same) == 1 else None


def _whole(one: Element) -> Hashable:
    return one.kind, one.text, one.desc, one.id, one.box, one.flags


def _place(one: Element) -> Hashable:
    return one.kind, one.id, one.box


def _bare(text: str | None) -> str:
    """Letters and digits of a text: fields show what is typed with marks of their own."""
    return "".join(one for one in (text or "").casefold() if one.isalnum())


def _focused(before: Screen, deed: Deed) -> Element | None:
    """The field that takes what is typed without naming one."""
    if deed.text is None or deed.aimed:
        return None
    fields = [one for one in before.elements if one.editable]
    marked = [one for one in fields if "focused" in one.flags]
    return next(iter(marked or (fields if len(fields) == 1 else [])), None)


def _typed(screen: Screen, deed: Deed, target: Element | None) -> Iterator[Breach]:
    """What was typed into a field is to be seen."""
    wanted = _bare(deed.text)
    if not deed.text or not wanted or target is None or not target.editable:
        return
    shown = [one for one in screen.elements if one.text or one.desc]
    if any(wanted in _bare(one.text) or wanted in _bare(one.desc) for one in shown):
        return
    field = next((one for one in screen.elements if _place(one) == _place(target)), None)
    field = field or next((one for one in screen.elements if one.editable), None)
    said = field.text if field is not None else None
    if said and (_HIDDEN.fullmatch(said) or (said == target.text and not _letters(said))):
        return  # hidden, or a field of numbers that takes nothing else
    if said and _bare(said) and wanted.startswith(_bare(said)):
        return  # as much of it as fits
    hidden = "password" in f"{target.id} {target.text} {target.desc}".lower()
    if not hidden:
        told = f"{deed.text[:60]!r} was typed, but the field shows {(said or '')[:60]!r}"
        yield Breach("typed", told, field)


def _letters(text: str) -> bool:
    return any(one.isalpha() for one in text)


def _opened(before: Screen, screen: Screen, deed: Deed, opened: dict[str, str]) -> Iterator[Breach]:
    """Another app comes to the front, unless the one that is opened was there."""
    if deed.verb != "open" or deed.app is None or screen.package != before.package:
        return
    if before.package in SYSTEM:  # a panel in front of the app, which it may outlive
        return
    word = deed.app.lower().replace(" ", "")
    here = (before.package or "").lower()
    if opened.get(deed.app) != before.package and word not in here:
        told = f"{deed.app!r} was opened, but {before.package} stays in front"
        yield Breach("opened", told, None, "warning", ("entity:app",))


def _clock(before: Screen, screen: Screen, ledger: Ledger) -> Iterator[Breach]:
    """The clock of the status bar does not go back, unless the time is being set.

    The first state may have been taken before a device was made ready.
    """
    was, now = _time(before), _time(screen)
    sets = any(word in (screen.package or "") for word in _SETS_TIME)
    if ledger.turn == 0 or was is None or now is None or sets:
        return
    if 0 < was[1] - now[1] <= BACK:
        yield Breach("clock", f"the clock was at {was[0].text} and is at {now[0].text}", now[0])


def _time(screen: Screen) -> tuple[Element, int] | None:
    for one in screen.elements:
        found = _TIME.match(one.text or "") if one.id == CLOCK else None
        if found is not None:
            return one, int(found[1]) * 60 + int(found[2])
    return None


def _cut(change: _Change) -> Iterator[Breach]:
    """A screen is not the one before up to some element, the status bar left out."""
    old, new = change.before, change.after
    if not new or len(new) >= len(old) or _bar(new) or not _bar(old):
        return
    if all(_whole(a) == _whole(b) for a, b in zip(old, new, strict=False)):
        told = f"{len(old) - len(new)} elements are missing at the end, the status bar among them"
        yield Breach("cut", told, new[-1])


def _bar(elements: Sequence[Element]) -> bool:
    return any(one.id == CLOCK for one in elements)


def _renamed(change: _Change) -> Iterator[Breach]:
    """An element that stays what and where it is keeps its id."""
    if change.alike < ALIKE:
        return
    told = {one.shown: one for one in change.gone}
    still = {one.shown for one in change.before if _whole(one) in change.new}
    for one in change.come:
        was = told.get(one.shown)
        if was is not None and was.id != one.id and one.shown not in still:
            yield Breach("renamed", f"{was.id} is {one.id} now, in the same place", one)
            return


def _classes(change: _Change) -> Iterator[Breach]:
    """An element that says the same under the same id in the same place keeps its class."""
    told: dict[Hashable, set[str]] = {}
    for one in change.before:
        told.setdefault((one.text, one.desc, one.id, one.box), set()).add(one.kind)
    for one in change.come:
        was = told.get((one.text, one.desc, one.id, one.box))
        if was and one.says and one.box and one.kind not in was:
            yield Breach("kind", f"{one.says[:60]!r} was a {min(was)}, and is a {one.kind}", one)
            return


def _scrolled(
    before: Screen, screen: Screen, deed: Deed, target: Element | None
) -> Iterator[Breach]:
    """Scrolling a list opens no other activity."""
    scrolls = deed.verb == "scroll" and target is not None and "scrollable" in target.flags
    if scrolls and before.heads and screen.heads and before.heads != screen.heads:
        told = f"a list was scrolled, and {screen.heads[0]} is in front"
        yield Breach("scrolled", told, "foreground_activity: ", because=("entity:activity",))


def _order(before: Screen, screen: Screen, deed: Deed) -> Iterator[Breach]:
    """What stands in a list keeps its order while it is scrolled, or nothing is done."""
    if deed.verb != "scroll" and deed.name != "wait":
        return
    old, new = _texts(before), _texts(screen)
    both = [name for name in old if name in new]
    order = [name for name in new if name in old]
    for was, now in zip(both, order, strict=True):
        if was != now:
            yield Breach("order", "elements changed places while it was scrolled", new[now])
            return


def _texts(screen: Screen) -> dict[Hashable, Element]:
    """Elements that alone say what they say, in their order."""
    names = [(one.kind, one.text, one.id) for one in screen.elements]
    counted = Counter(names)
    return {
        name: one
        for name, one in zip(names, screen.elements, strict=True)
        if one.text and counted[name] == 1
    }


def _container(before: Screen, screen: Screen, change: _Change) -> Iterator[Breach]:
    """A list is there as long as all that stands in it is."""
    for one in change.gone:
        if "scrollable" not in one.flags or one.box is None:
            continue
        inside = [other for other in before.elements if other.text and _within(other, one)]
        there = any(other.box == one.box for other in screen.elements)
        if len(inside) > 1 and not there and all(_whole(i) in change.new for i in inside):
            told = f"{one.kind} is gone, and what it holds stands where it stood"
            at = next(other for other in screen.elements if _whole(other) == _whole(inside[0]))
            yield Breach("container", told, at)
            return


def _within(one: Element, other: Element) -> bool:
    if one is other or one.box is None or other.box is None:
        return False
    a, b = one.box, other.box
    return a[0] >= b[0] and a[1] >= b[1] and a[2] <= b[2] and a[3] <= b[3]


def _toggled(change: _Change, deed: Deed, target: Element | None) -> Iterator[Breach]:
    """A tap on a box does not check another one alone, nor name it anew and leave it unchecked."""
    if deed.verb != "tap" or target is None or target.kind not in CHECKABLE:
        return
    if len(change.gone) != 1 or len(change.come) != 1:
        return
    was, now = change.gone[0], change.come[0]
    if was is target:
        if (_place(was), was.flags, was.desc) == (_place(now), now.flags, now.desc) and now.text:
            told = f"{was.text!r} was tapped, and is named {now.text[:60]!r} instead"
            yield Breach("toggled", told, now)
    elif was.flags ^ now.flags == {"checked"} and was.shown == now.shown:
        told = f"element {deed.index or target.number} was tapped, and another one is checked"
        yield Breach("toggled", told, now)


def _kept(change: _Change, deed: Deed, target: Element | None, ledger: Ledger) -> Iterator[Breach]:
    """What the agent typed into a field stays there while it works on another element."""
    idle = deed.name == "wait" or (deed.verb == "tap" and target is not None)
    if not idle or (target is not None and target.kind not in CHECKABLE):
        return
    memo = memo_of(ledger)
    typed = {one.text for one in memo.typed}
    for one in change.gone:
        if not one.editable or one is target or one.text not in typed:
            continue
        now = change.again(one)
        if now is not None and now.text and now.text != one.text:
            told = f"{one.text!r} was typed here, and {now.text[:60]!r} stands in its place"
            yield Breach("kept", told, now, because=("entity:typed",))
            return
