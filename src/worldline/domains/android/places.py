"""What a rule found, and where that stands in the text of a screen."""

import re
from typing import Literal, NamedTuple

from worldline.domains.android.screen import Element


class Breach(NamedTuple):
    """One thing that cannot be."""

    rule: str
    message: str
    at: Element | str | None = None
    """The element that shows it, or the beginning of a line; `None`: the whole screen."""
    severity: Literal["error", "warning"] = "error"
    because: tuple[str, ...] = ()
    """Ids of the facts that it contradicts."""


def span_of(text: str, dialect: str, at: Element | str | None) -> tuple[int, int]:
    """``[start, end)`` of the line in characters of the text; the whole text without one."""
    if isinstance(at, str):
        start = 0 if text.startswith(at) else text.find(f"\n{at}") + 1
        return (start, _end(text, start)) if text.startswith(at, start) else (0, len(text))
    if at is None:
        return 0, len(text)
    found = re.search(rf"(?m)^ {{0,400}}(?:UI element |\[ {{0,2}}|){at.number}(?:: |\] |\. )", text)
    if found is None:  # a view without a number: the so-manieth
        views = list(re.finditer(r"(?m)^ {0,400}- ", text))
        place = at.number - (dialect == "phone")
        found = views[place] if 0 <= place < len(views) else None
    return (0, len(text)) if found is None else (found.start(), _end(text, found.start()))


def _end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end
