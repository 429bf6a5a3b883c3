"""The pieces; see the package."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib import resources

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


def marked(text: str, spans: Iterable[tuple[int, int]], kind: str) -> str:
    """Untrusted text with spans of it marked.

    Args:
        spans: ``[start, end)`` in characters; overlapping ones are joined, empty ones are left out.
        kind: the mark's class, as ``wrong``.
    """
    out, at = [], 0
    for start, end in _joined(spans, len(text)):
        out.append(_lines(text[at:start]))
        out.append(f"<mark class={kind}>{_lines(text[start:end])}</mark>")
        at = end
    return "".join(out) + _lines(text[at:])


def _lines(part: str) -> str:
    return "\n".join(plain(line) for line in part.split("\n"))


def _joined(spans: Iterable[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(end, size)) for start, end in spans):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the first cell of a row is its name. Cells are untrusted text."""
    head = "".join(f"<th scope=col>{plain(one)}</th>" for one in heads)
    body = "".join(
        f"<tr><th scope=row>{plain(name)}</th>"
        + "".join(f"<td>{plain(cell)}</td>" for cell in cells)
        + "</tr>"
        for name, *cells in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


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
