"""What an action does, in words shared by the dialects."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from worldline.domains.base import ActionError
from worldline.domains.web import pycalls
from worldline.domains.web.functions import FUNCTIONS, MAY_NAVIGATE


class Deed(NamedTuple):
    """One thing an agent does.

    `verb` is a BrowserGym function's name, whatever the dialect calls it. `ref` is the id of the
    element it is aimed at (bid, label or ref), `at` the point, `text` what is written, chosen or
    said, `url` where it goes, `tab` which one it turns to.
    """

    verb: str
    ref: str | None = None
    at: tuple[float, float] | None = None
    text: str | None = None
    url: str | None = None
    tab: int | None = None

    @property
    def may_navigate(self) -> bool:
        """Whether another address afterwards is no surprise."""
        return self.verb not in FUNCTIONS or self.verb in MAY_NAVIGATE


FILLS = frozenset({"fill", "select_option"})
"""Verbs after which the element shows the text."""
QUIET = frozenset({"noop", "hover", "scroll", "scroll_at", "mouse_move", "focus"}) | {
    *("send_msg_to_user", "report_infeasible")
}
"""Verbs that neither lead to another page nor change what fields hold."""
_SUBMIT = re.compile(r'"submit":\s{0,4}true')


def writes(action: str, deeds: Sequence[Deed]) -> bool:
    """Whether an action only writes into fields, and does not send them off."""
    written = bool(deeds) and all(deed.verb in ("fill", "clear") for deed in deeds)
    return written and not _SUBMIT.search(action)


def parse_script(text: str) -> pycalls.Script:
    """The calls of a ``browsergym`` action. Any name and any arguments will do.

    Raises:
        ActionError: the text is no list of calls with literal arguments.
    """
    return pycalls.parse(text)


def misfit(call: pycalls.Call) -> str | None:
    """What Python says of arguments that do not fit the function; `None` if they do (or may)."""
    function = FUNCTIONS.get(call.name)
    if function is None:
        return None
    try:
        function(*call.positional, **call.named)
    except TypeError as error:
        return str(error)
    return None


def wrong_type(call: pycalls.Call) -> str | None:
    """The first argument whose type the function does not take, in our words."""
    for name, value in arguments(call).items():
        if name in ("bid", "from_bid", "to_bid", "value", "url", "text", "reason", "key_comb"):
            wanted, right = "a string", isinstance(value, str)
        elif name in ("x", "y", "delta_x", "delta_y", "wait_ms", "index"):
            wanted, right = "a number", _is_number(value)
        else:
            continue
        if not right:
            return f"{call.name}: {name} must be {wanted}, got {value!r}"
    return None


def arguments(call: pycalls.Call) -> dict[str, pycalls.Argument]:
    """The arguments by parameter name; empty when they do not fit."""
    function = FUNCTIONS.get(call.name)
    if function is None or misfit(call) is not None:
        return {}
    names = function.__code__.co_varnames
    return dict(zip(names, call.positional, strict=False)) | call.named


def deeds(text: str) -> tuple[Deed, ...]:
    """What a ``browsergym`` action does.

    Raises:
        ActionError: it is no list of calls, or a call does not fit its function.
    """
    return tuple(_checked(parse_script(text).calls))


def _checked(calls: Iterable[pycalls.Call]) -> Iterable[Deed]:
    for call in calls:
        if call.name not in FUNCTIONS:
            raise ActionError(f"there is no action {call.name!r}")
        if wrong := misfit(call) or wrong_type(call):
            raise ActionError(wrong)
        yield _deed(call)


def _deed(call: pycalls.Call) -> Deed:
    found = arguments(call)
    x, y = found.get("x", found.get("from_x")), found.get("y", found.get("from_y"))
    at = (float(x), float(y)) if _is_number(x) and _is_number(y) else None  # pyright: ignore
    said = ("value", "options", "text", "reason", "key_comb", "key")
    index = found.get("index")
    return Deed(
        verb=call.name,
        ref=_string(found.get("bid", found.get("from_bid"))),
        at=at,
        text=_string(next((found[name] for name in said if name in found), None)),
        url=_string(found.get("url")),
        tab=index if isinstance(index, int) else None,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _string(value: object) -> str | None:
    """Text; the only item of a list of one."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, str) else None


class Act(msgspec.Struct, frozen=True, omit_defaults=True):
    """One action of the ``labelled`` dialect: ``Type [3]; text``.

    The other fields say how it was written, where that is not as usual.
    """

    verb: str
    label: str | None = None
    content: str | None = None
    before: str = ""
    opening: str = " ["
    closing: str = "]"
    mark: str = "; "
    after: str = ""
