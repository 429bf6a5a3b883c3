"""Observations of tools that are just as true: what nobody can know is another one."""

import re
from random import Random
from typing import Any

import msgspec

from worldline.domains.mcp.observations import Body, Json
from worldline.verify.corrupt.base import Variant
from worldline.verify.corrupt.mcp_text import changed, holders, on_text, on_value
from worldline.verify.measure import Moment

_TIME = re.compile(r"\b(\d{4}-\d\d-\d\d[T ]\d\d:\d)(\d)\b")
_DURATION = re.compile(r"\b(\d{1,6})(\.\d{1,6})? ?(ms|seconds|secs|sec|s)\b")


def time_passed(moment: Moment, rng: Random) -> str | None:
    """Other times of day."""
    return _TIME.sub(lambda m: m[1] + str((int(m[2]) + 3) % 10), moment.truth)


def took_longer(moment: Moment, rng: Random) -> str | None:
    """Other durations."""
    return _DURATION.sub(lambda m: f"{int(m[1]) + 7}{m[2] or ''} {m[3]}", moment.truth)


def fields_reordered(moment: Moment, rng: Random) -> str | None:
    """Objects of JSON list their fields in another order."""

    def change(value: Any) -> bool:
        found = [one for one in holders(value) if isinstance(one, dict) and len(one) > 1]
        for one in found:
            items = list(one.items())
            one.clear()
            one.update(reversed(items))
        return bool(found)

    return on_value(moment, change)


def blanks_added(moment: Moment, rng: Random) -> str | None:
    """Blanks at the end of the text."""
    return on_text(moment, lambda text: f"{text.rstrip()}\n\n")


def blanks_at_lines(moment: Moment, rng: Random) -> str | None:
    """Blanks at the ends of lines."""
    return on_text(moment, lambda text: "\n".join(f"{r.rstrip()} " for r in text.split("\n")))


def newline_after(moment: Moment, rng: Random) -> str | None:
    """A newline after all that was shown, the wrapping included."""
    return f"{moment.truth}\n"


def lines_ended(moment: Moment, rng: Random) -> str | None:
    """Lines end as on Windows."""
    return on_text(moment, lambda text: text.replace("\r", "").replace("\n", "\r\n"))


def escaped(moment: Moment, rng: Random) -> str | None:
    """JSON writes letters of other scripts as escapes, or does not."""

    def on(body: Body) -> str | None:
        if not isinstance(body, Json) or body.style.render(body.value).isascii():
            return None
        return msgspec.structs.replace(body.style, ascii=True).render(body.value)

    return changed(moment, on)


VARIANTS: tuple[Variant, ...] = (
    Variant("time_passed", time_passed),
    Variant("took_longer", took_longer),
    Variant("fields_reordered", fields_reordered),
    Variant("blanks_added", blanks_added),
    Variant("blanks_at_lines", blanks_at_lines),
    Variant("newline_after", newline_after),
    Variant("lines_ended", lines_ended),
    Variant("escaped", escaped),
)
