"""The pieces; see the package."""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from worldline.visible import visible

_PLACE = re.compile(r"\{\{(title|body)\}\}")
SHOWN = 12
"""Names of a chart; the rest are summed."""


def frame(title: str, body: str) -> str:
    """A whole page around a body of pieces."""
    page = resources.files("worldline.pages").joinpath("frame.html").read_text("utf-8")
    parts = {"title": plain(title), "body": body}
    return _PLACE.sub(lambda found: parts[found[1]], page)  # in one pass: parts name no place


def plain(text: str) -> str:
    """Untrusted text of one line."""
    return escape(visible(text))


def text(text: str) -> str:
    """Untrusted text of several lines, for a ``pre``."""
    return "\n".join(plain(line) for line in text.split("\n"))


class Mark(NamedTuple):
    """A stretch of a text that stands out."""

    start: int
    end: int
    """``[start, end)`` in characters; where that is empty nothing is marked."""
    kind: str
    """Its class, as ``wrong``."""
    why: str = ""
    """Untrusted words that are shown on hover."""


def marked(text: str, marks: Iterable[Mark]) -> str:
    """Untrusted text with stretches of it marked; where marks overlap all of them count."""
    found = sorted(one for one in marks if max(0, one.start) < min(one.end, len(text)))
    ends = {
        0,
        len(text),
        *(max(0, m.start) for m in found),
        *(min(m.end, len(text)) for m in found),
    }
    out, here, rest = [], list[Mark](), deque(found)
    for start, end in pairwise(sorted(ends)):
        while rest and rest[0].start <= start:
            here.append(rest.popleft())
        here = [one for one in here if one.end > start]
        piece = _lines(text[start:end])
        out.append(_stretch(piece, here) if here else piece)
    return "".join(out)


def _stretch(piece: str, marks: Sequence[Mark]) -> str:
    kinds = " ".join(dict.fromkeys(one.kind for one in marks))
    whys = "; ".join(dict.fromkeys(one.why for one in marks if one.why))
    title = f' title="{plain(whys)}"' if whys else ""
    return f'<mark class="{kinds}"{title}>{piece}</mark>'


def _lines(part: str) -> str:
    return "\n".join(plain(line) for line in part.split("\n"))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in a box of its own, where one that is too wide is scrolled.

    The first cell of a row is its name. Cells are untrusted text.
    """
    head = "".join(f"<th scope=col>{plain(one)}</th>" for one in heads)
    body = "".join(
        f"<tr><th scope=row>{plain(name)}</th>"
        + "".join(f"<td>{plain(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    return f"<div class=wide><table><tr>{head}</tr>{body}</table></div>"


def bars(counts: Mapping[str, float], form: str = ",", *, of: float | None = None) -> str:
    """A bar for each name.

    Args:
        form: how a number is written, as ``,`` or ``.0%``.
        of: what a whole bar stands for, where the numbers are shares or scores; else the largest
            of them. Counts beyond the first are summed, shares are not.
    """
    items = list(counts.items())
    if len(items) > SHOWN and of is None:
        rest = items[SHOWN - 1 :]
        items = [*items[: SHOWN - 1], (f"{len(rest)} more", sum(count for _, count in rest))]
    most = of or max((count for _, count in items), default=0) or 1
    drawn = "".join(_bar(name, count, most, form) for name, count in items)
    return f"<table class=bars>{drawn}</table>"


def _bar(name: str, count: float, most: float, form: str) -> str:
    width, said = round(160 * count / most, 1), format(count, form)
    whole = plain(name)  # a chart may have no room for it; hovering shows it
    return (
        f"<tr><th scope=row title='{whole}'>{whole}</th><td><svg width=160 height=12 role=img "
        f"aria-label='{said}'><rect width={width} height=12 /></svg></td><td>{said}</td></tr>"
    )
