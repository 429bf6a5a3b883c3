"""What an action means, in the same words whatever its dialect.

Ledger, checks and views work on deeds, so that none of them needs to know how actions are written.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from worldline.domains.android.actions import WORDS, Action, Calls, Command, Json

Verb = Literal["tap", "long", "type", "scroll", "open", "back", "home", "enter", "other"]
Box = tuple[int, int, int, int]

_VERBS: dict[str, Verb] = {
    "click": "tap",
    "tap": "tap",
    "touch": "tap",
    "double_tap": "tap",
    "select": "tap",
    "unselect": "tap",
    "long_press": "long",
    "long_touch": "long",
    "long_click": "long",
    "input_text": "type",
    "set_text": "type",
    "type": "type",
    "scroll": "scroll",
    "swipe": "scroll",
    "open_app": "open",
    "open": "open",
    "navigate_back": "back",
    "navigate_home": "home",
    "keyboard_enter": "enter",
}
_BUTTONS: dict[str, Verb] = {"back": "back", "home": "home", "enter": "enter"}
_START = re.compile(r"(?:intent )?am start (?:\S+ )*?([\w.]+)(?:/[\w.$]+)?")
_INT = re.compile(r"-?\d{1,6}")


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """What an action is about.

    `name` is the action's own word. An element is named by its number on the screen (`index`), by
    its place in pixels (`box` or `point`), or by some of its attributes (`view`).
    """

    verb: Verb
    name: str
    index: int | None = None
    box: Box | None = None
    point: tuple[int, int] | None = None
    view: Mapping[str, str] = {}
    text: str | None = None
    """What is typed."""
    direction: str | None = None
    app: str | None = None
    """The app that is opened: its name or its package."""

    @property
    def aimed(self) -> bool:
        """Whether it names an element."""
        return self.index is not None or self.box is not None or self.point is not None


def deed(action: Action) -> Deed:
    """What an action is about; of several calls the last one on the phone counts."""
    body = action.body
    match body:
        case Json():
            return _of_fields(body.fields)
        case Command():
            return _of_command(body)
        case Calls():
            last = next((one for one in reversed(body.calls) if one.name == "phone"), None)
            given = {} if last is None else {n: v.strip() for _, n, v in last.parameters}
            return _of_fields({"action": body.calls[-1].name, **given})


def _of_fields(fields: Mapping[str, Any]) -> Deed:
    word = next((fields[name] for name in WORDS if isinstance(fields.get(name), str)), "")
    view = fields.get("view")
    view = view if isinstance(view, dict) else {}
    named = fields.get("button") or fields.get("name") or ""
    verb = _VERBS.get(word) or _BUTTONS.get(str(named).lower(), "other")
    app = _text(fields, "app_name") or (_text(fields, "text") if verb == "open" else None)
    intent = _text(fields, "intent")
    if word == "intent" and intent and (found := _START.match(intent)):
        verb, app = "open", found[1]
    return Deed(
        verb=verb,
        name=word,
        index=_int(fields.get("index")),
        box=_corners(view.get("bounds")),
        point=_point(fields),
        view={name: value for name, value in view.items() if isinstance(value, str)},
        text=_text(fields, "text") if verb == "type" else None,
        direction=_text(fields, "direction"),
        app=app,
    )


def _of_command(action: Command) -> Deed:
    given = {name: value.strip("'") for name, value in action.attributes}
    verb, app = _VERBS.get(action.verb, "other"), None
    words = action.words.strip()
    if action.verb == "intent" and (found := _START.match(words)):
        verb, app = "open", found[1]
    sides = [int(one) for one in given.get("bound_box", "").split(",") if _INT.fullmatch(one)]
    return Deed(
        verb=verb,
        name=action.verb,
        box=_box(sides),
        view={"text": action.text} if action.text else {},
        text=action.rest.strip() if verb == "type" else None,
        direction=words if verb == "scroll" and words else None,
        app=app,
    )


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) else None


def _int(value: object) -> int | None:
    if isinstance(value, str) and _INT.fullmatch(value.strip()):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _point(fields: Mapping[str, Any]) -> tuple[int, int] | None:
    place = fields.get("coordinate", (fields.get("x"), fields.get("y")))
    if isinstance(place, str):
        place = [_int(part.strip(" []()")) for part in place.split(",")]
    match place:
        case [int(x), int(y)] | (int(x), int(y)):
            return x, y
    return None


def _corners(bounds: object) -> Box | None:
    match bounds:
        case [[int(left), int(top)], [int(right), int(bottom)]]:
            return left, top, right, bottom
    return None


def _box(sides: list[int]) -> Box | None:
    return (sides[0], sides[1], sides[2], sides[3]) if len(sides) == 4 else None
