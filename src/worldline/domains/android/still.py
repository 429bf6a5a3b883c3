"""What one screen cannot be by itself, and what it cannot show in this session."""

from collections.abc import Callable, Iterator

from worldline.domains.android import states
from worldline.domains.android.memo import Memo
from worldline.domains.android.nodes import LINE, text_of
from worldline.domains.android.places import Breach
from worldline.domains.android.screen import SYSTEM, Element, Screen

RECORDED = ("ui-elements", "droidbot")
"""Dialects whose flags are known to be complete."""
STATES = "states"
"""The form of ``droidbot`` that stands below state lines; it is from reference."""
LISTED = (*RECORDED, "json")
"""Dialects in which every line is an element, a heading apart."""
WORDLESS = frozenset(
    f"android.widget.{name}"
    for name in (
        *("FrameLayout", "LinearLayout", "RelativeLayout", "ScrollView"),
        *("ImageView", "ImageButton"),
    )
)
"""Classes that have no text; what they say is their description."""
WIDGETS = frozenset(
    f"android.widget.{name}"
    for name in (
        *("TextView", "EditText", "Button", "ImageButton", "ImageView", "CheckBox"),
        *("Switch", "RadioButton", "CheckedTextView", "SeekBar", "ProgressBar"),
    )
)
"""Classes of single elements: an id in a layout is of one of them for good."""
CHECKABLE = tuple(f"android.widget.{name}" for name in ("CheckBox", "Switch", "RadioButton"))


def breaches(screen: Screen, dialect: str, first: int, memo: Memo) -> Iterator[Breach]:
    """Everything that this screen breaks, one breach a rule."""
    if screen.tree.nodes and states.is_head(screen.tree.nodes[0]):
        dialect = STATES if dialect == "droidbot" else dialect
    yield from _numbers(screen, first)
    yield from _lines(screen, dialect)
    yield from _boxes(screen, dialect, memo.size)
    yield from _activity(screen, dialect)
    yield from _foreign(screen, dialect)
    yield from _focus(screen, dialect)
    yield from _twice(screen)
    yield from _focused(screen)
    yield from _state_id(screen, memo)
    for rule, broken in _RULES.items():
        one = next((one for one in screen.elements if broken(one, dialect, memo)), None)
        if one is not None:
            yield Breach(rule, f"element {one.number}, {one.kind}, {_WHY[rule]}", one)


def _numbers(screen: Screen, first: int) -> Iterator[Breach]:
    """Elements are numbered one after the other."""
    for place, one in enumerate(screen.elements, first):
        if one.number != place:
            said = f"element {one.number} stands where element {place} should"
            yield Breach("numbers", said, one)
            return


def _lines(screen: Screen, dialect: str) -> Iterator[Breach]:
    """Every line is an element or a heading."""
    if dialect not in LISTED:
        return
    *above, last = screen.tree.nodes
    for node in [*above, *([last] if text_of(last) else [])]:  # a line end at the end is none
        said = text_of(node) or ""
        if node.kind == LINE:
            severity = "error" if dialect in RECORDED and said.strip() else "warning"
            yield Breach("line", f"this line is no element: {said[:80]!r}", said, severity)
            return


def _boxes(screen: Screen, dialect: str, size: tuple[int, int]) -> Iterator[Breach]:
    """An element's sides are in order, and it is on the screen."""
    for one in screen.elements:
        if one.box is None or "invisible" in one.flags:
            continue
        left, top, right, bottom = one.box
        if left > right or top > bottom:
            severity = "error" if dialect in RECORDED else "warning"
            said = f"element {one.number} ends before it begins: {one.box}"
            yield Breach("box", said, one, severity)
            return
        if size != (0, 0) and (left > size[0] or top > size[1]):
            said = f"element {one.number} is off the screen of {size}: {one.box}"
            yield Breach("outside", said, one, "warning")
            return


def _activity(screen: Screen, dialect: str) -> Iterator[Breach]:
    if dialect in ("droidbot", STATES) and len(screen.heads) != 1:
        yield Breach("activity", f"{len(screen.heads)} activities in front instead of one")


def _foreign(screen: Screen, dialect: str) -> Iterator[Breach]:
    """Some of the views below an activity belong to its package."""
    if dialect not in ("droidbot", STATES) or not screen.package:
        return
    owners = {(one.id or "").partition(":")[0] for one in screen.elements if ":" in (one.id or "")}
    owners -= set(SYSTEM)
    if len(owners) == 1 and screen.package not in owners:
        said = f"{screen.package} is in front, and all ids are of {next(iter(owners))}"
        yield Breach("package", said, "foreground_activity: ")


def _focus(screen: Screen, dialect: str) -> Iterator[Breach]:
    """Only one element has the focus."""
    focused = [one for one in screen.elements if "focused" in one.flags]
    if dialect in RECORDED and len(focused) > 1:
        said = f"elements {focused[0].number} and {focused[1].number} both have the focus"
        yield Breach("focus", said, focused[1])


def _twice(screen: Screen) -> Iterator[Breach]:
    """Two elements of one class and id do not say different things in the same place."""
    shown: dict[object, Element] = {}
    for one in screen.elements:
        if one.box is None or not (one.text or one.desc) or "invisible" in one.flags:
            continue
        above = shown.setdefault((one.kind, one.id, one.box), one)
        if (above.text, above.desc) != (one.text, one.desc):
            said = f"elements {above.number} and {one.number} are one in kind, id and place"
            yield Breach("twice", said, one)
            return


def _focused(screen: Screen) -> Iterator[Breach]:
    """What the state lines say of the focus stands in an element."""
    line = next((node for node in screen.tree.nodes if node.kind == "Focused Element:"), None)
    said = "" if line is None else (text_of(line) or "").strip("'\"")
    if said and not any(said in (one.text or "") for one in screen.elements):
        yield Breach(
            "focused", f"{said[:60]!r} has the focus and stands nowhere", "• **Focused Element:**"
        )


def _state_id(screen: Screen, memo: Memo) -> Iterator[Breach]:
    """One state has one id, and an id one state."""
    if screen.state is None:
        return
    name, shown, form = screen.state
    at = "• **State ID:**"
    for other, views, layout in memo.states:
        if name == other and layout != form:
            yield Breach("state_id", f"{name!r} was the id of another screen", at)
            return
        if name != other and views == shown:
            yield Breach("state_id", f"this screen had the id {other!r}", at)
            return


def _wordless(one: Element, dialect: str, memo: Memo) -> bool:
    return bool(one.text) and one.kind in WORDLESS and dialect in RECORDED


def _editable(one: Element, dialect: str, memo: Memo) -> bool:
    return (
        dialect in RECORDED and one.kind == "android.widget.EditText" and not one.flags & _EDITABLE
    )


_EDITABLE = frozenset({"editable", "disabled", "invisible"})


def _uncheckable(one: Element, dialect: str, memo: Memo) -> bool:
    if dialect == "droidbot":
        return "checked" in one.flags and "clickable" not in one.flags and _bare(one)
    known = dialect == "ui-elements" and "checkable" not in one.flags
    return known and ("checked" in one.flags or one.kind in CHECKABLE)


def _bare(one: Element) -> bool:
    return "checkable" not in one.flags and one.kind == "android.widget.TextView"


def _class(one: Element, dialect: str, memo: Memo) -> bool:
    """The id has had one class of Android's own in this session, and now another."""
    was = memo.kinds.get(one.id or "")
    return was != one.kind and was in WIDGETS and one.kind in WIDGETS


def _id(one: Element, dialect: str, memo: Memo) -> bool:
    """What it says and where it stands has had one id in this session, and now another."""
    was = memo.named.get(one.shown)
    return bool(was) and one.id != was


def _switch(one: Element, dialect: str, memo: Memo) -> bool:
    """A switch that has said On and Off says what it is."""
    if not one.kind.endswith(("Switch", "SwitchCompat", "ToggleButton")):
        return False
    said = (one.text or "").lower()
    if said not in ("on", "off"):
        return bool(said) and one.id in memo.switches
    tells = dialect in RECORDED or memo.checks
    return tells and (said == "on") != ("checked" in one.flags)


Rule = Callable[[Element, str, Memo], bool]
_RULES: dict[str, Rule] = {
    "wordless": _wordless,
    "editable": _editable,
    "checkable": _uncheckable,
    "class": _class,
    "id": _id,
    "switch": _switch,
}
_WHY = {
    "wordless": "has a text, and its class has none",
    "editable": "cannot be edited, though it is a field",
    "checkable": "is one that cannot be checked",
    "class": "had another class in this session under the same id",
    "id": "had another id in this session, with the same words in the same place",
    "switch": "says another thing than whether it is on",
}
