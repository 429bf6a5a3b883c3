"""What the ledger of a session remembers beside its facts."""

from collections.abc import Hashable, Mapping

import msgspec

from worldline.domains.android.deeds import Deed
from worldline.domains.android.dialects import FORMS, Form
from worldline.domains.android.screen import Element, Screen
from worldline.domains.base import Ledger
from worldline.facts import FactOrigin

KEPT = 60
"""Steps that are remembered."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One action: on which screen, what it was about, and the screen it led to."""

    turn: int
    place: str
    meant: str
    before: str | None
    after: str
    origin: FactOrigin


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """A text the agent typed, and the field it went to."""

    turn: int
    text: str
    field: str


class Memo(msgspec.Struct, frozen=True, kw_only=True):
    """The screen as it is, and how the session came here."""

    state: str | None = None
    origin: FactOrigin = "given"
    size: tuple[int, int] = (0, 0)
    """The least screen that holds all that has been shown, in pixels."""
    typed: tuple[Typed, ...] = ()
    opened: tuple[tuple[str, str], ...] = ()
    """App as named -> package that was in front afterwards."""
    steps: tuple[Step, ...] = ()
    kinds: Mapping[str, str] = {}
    """Resource id -> the class it has had, ``""`` when there were several."""
    named: Mapping[Hashable, str] = {}
    """Class, texts and place of an element -> the id it has had, ``""`` when there were several."""
    switches: frozenset[str] = frozenset()
    """Ids of switches that have said On or Off."""
    checks: bool = False
    """Whether some element has been shown as checked."""
    states: tuple[tuple[str, str, str], ...] = ()
    """State ids, the views they stood for, and their classes and ids alone."""


def memo_of(ledger: Ledger) -> Memo:
    """The memo of a ledger; an empty one before `Android.open`."""
    return ledger.memo if isinstance(ledger.memo, Memo) else Memo()


def form_of(ledger: Ledger) -> Form:
    """The form of the session's dialect."""
    return FORMS[ledger.dialect]


def screen_of(ledger: Ledger) -> Screen | None:
    """The screen as it is, if one has been shown."""
    return form_of(ledger).screen(memo_of(ledger).state)


def meaning(deed: Deed, target: Element | None) -> str:
    """A deed in words that do not depend on numbers in a list: the same on the same screen."""
    aim = "" if target is None else f"{target.kind} {target.id} {target.text!r} {target.desc!r}"
    if target is None and deed.aimed:
        aim = f"{deed.index} {deed.box} {deed.point}"
    return " ".join(filter(None, [deed.verb, deed.name, deed.direction, deed.app, deed.text, aim]))
