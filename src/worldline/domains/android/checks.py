"""Rules that need no truth: what a screen cannot be, given the action and the session.

An ``error`` is a claim that the observation is impossible. On recorded screens none of them speaks.
"""

from collections.abc import Iterator

from worldline.domains.android import states
from worldline.domains.android.deeds import Deed
from worldline.domains.android.memo import form_of, memo_of, screen_of
from worldline.domains.android.nodes import LINE, text_of
from worldline.domains.android.screen import SYSTEM, Element, Screen
from worldline.domains.base import Ledger
from worldline.domains.common import leaks
from worldline.prediction import Violation

LISTED = ("ui-elements", "droidbot", "json")
"""Dialects in which every line is an element, a heading apart."""


def checks(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this action at this point."""
    form, memo = form_of(ledger), memo_of(ledger)
    typed = [one.text for one in memo.typed]
    found = leaks(observation, "\n".join([action, memo.state or "", *typed]))
    deed, screen = form.deed(action), form.screen(observation)
    if deed is None:
        return found
    if screen is None:
        return [*found, _error("no_screen", "this is no screen of the session's dialect")]
    found += _numbers(screen, form.first)
    found += _lines(screen, ledger.dialect)
    found += _boxes(screen, memo.size)
    found += _activity(screen, ledger.dialect)
    before = screen_of(ledger)
    if before is not None:
        found += _typed(before, screen, deed)
        found += _opened(before, screen, deed, dict(memo.opened))
    return found


def _error(rule: str, message: str) -> Violation:
    return Violation(rule=f"android.{rule}", severity="error", message=message)


def _warning(rule: str, message: str) -> Violation:
    return Violation(rule=f"android.{rule}", severity="warning", message=message)


def _numbers(screen: Screen, first: int) -> Iterator[Violation]:
    """Elements are numbered one after the other."""
    for place, one in enumerate(screen.elements, first):
        if one.number != place:
            yield _error("numbers", f"element {one.number} stands where element {place} should")
            return


def _lines(screen: Screen, dialect: str) -> Iterator[Violation]:
    """Every line is an element or a heading."""
    odd = next((node for node in screen.tree.nodes if node.kind == LINE), None)
    listed = dialect in LISTED and not states.is_head(screen.tree.nodes[0])
    if odd is not None and listed:
        yield _warning("line", f"this line is no element: {(text_of(odd) or '')[:80]!r}")


def _boxes(screen: Screen, size: tuple[int, int]) -> Iterator[Violation]:
    """An element's sides are in order, and it is on the screen."""
    for one in screen.elements:
        if one.box is None or "invisible" in one.flags:
            continue
        left, top, right, bottom = one.box
        if left > right or top > bottom:
            yield _warning("box", f"element {one.number} ends before it begins: {one.box}")
            return
        if size != (0, 0) and (left > size[0] or top > size[1]):
            yield _warning(
                "outside", f"element {one.number} is off the screen of {size}: {one.box}"
            )
            return


def _activity(screen: Screen, dialect: str) -> Iterator[Violation]:
    if dialect == "droidbot" and len(screen.heads) != 1:
        yield _error("activity", f"{len(screen.heads)} activities in front instead of one")


def _typed(before: Screen, screen: Screen, deed: Deed) -> Iterator[Violation]:
    """What was typed stands in the field, if the field is still there."""
    target = before.aimed_at(deed)
    if not deed.text or target is None or not target.editable:
        return
    field = _again(target, screen)
    if field is not None and deed.text.strip() not in (field.text or ""):
        yield _warning(
            "typed",
            f"{deed.text[:60]!r} was typed, but the field shows {(field.text or '')[:60]!r}",
        )


def _again(target: Element, screen: Screen) -> Element | None:
    """The only field of the same id and class on a screen."""
    same = [one for one in screen.elements if (one.id, one.kind) == (target.id, target.kind)]
    return same[0] if len(same) == 1 and target.id is not None else None


def _opened(
    before: Screen, screen: Screen, deed: Deed, opened: dict[str, str]
) -> Iterator[Violation]:
    """Another app comes to the front, unless the one that is opened was there."""
    if deed.verb != "open" or deed.app is None or screen.package != before.package:
        return
    if before.package in SYSTEM:  # a panel in front of the app, which it may outlive
        return
    word = deed.app.lower().replace(" ", "")
    here = (before.package or "").lower()
    if opened.get(deed.app) != before.package and word not in here:
        yield _warning("opened", f"{deed.app!r} was opened, but {before.package} stays in front")
