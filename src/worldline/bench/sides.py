"""One verified row on a page: the action, what really came and what was predicted, with marks.

What differs is marked in both texts, what breaks a rule in the observation; whoever points at a
mark is told what it cost and why.
"""

from collections import Counter
from collections.abc import Iterator

from worldline.bench.verified import Sides, Verified
from worldline.pages import Mark, marked, plain, text

CHARACTERS = 6_000
"""Of each text of a row, at most."""
WHY = {
    "changed": "not the true value",
    "stale": "was true before, and is no longer",
    "missing": "not in the prediction",
    "extra": "nothing like it really came",
    "talk": "words about the answer",
    "form": "no such thing has this form",
    "unreadable": "the dialect cannot read the prediction",
}
"""What is the matter, in words."""


def sides(one: Sides) -> str:
    """The row as HTML. A recorded turn, on which only rules ran, has one pane."""
    row = one.row
    breaks = [
        Mark(*v.span, "breaks", f"breaks {v.rule} ({v.severity})") for v in row.violations if v.span
    ]
    panes = [pane(row.model, one.given, [*breaks, *_wrong(row, "given")])]
    if row.status != "guarded":
        panes.insert(0, pane("really came", one.truth, list(_wrong(row, "truth"))))
    shown = f"<div class=sides>{''.join(panes)}</div>" if len(panes) > 1 else panes[0]
    said = "".join(f"<li>{plain(line)}</li>" for line in _said(row))
    return (
        f"<div class=turn><p>{plain(_head(row))}</p>"
        f"<pre class=action>{text(_clipped(one.action))}</pre>{shown}"
        f"<ul class=said>{said}</ul></div>"
    )


def _head(row: Verified) -> str:
    score = f", true {row.true['score']:.3f}" if row.true else ""
    note = ", unknowable" if row.unknowable else ""
    return f"{row.id}, turn {row.turn}, {row.dialect}{score}{note}"


def pane(name: str, told: str, marks: list[Mark]) -> str:
    """One text under its name; one that says nothing is said to."""
    if not told.strip():
        blanks = "nothing but blanks" if told else "nothing"
        return f"<div><p>{plain(name)}</p><pre class=none>({blanks})</pre></div>"
    return f"<div><p>{plain(name)}</p><pre>{marked(_clipped(told), marks)}</pre></div>"


def _wrong(row: Verified, side: str) -> Iterator[Mark]:
    """The differences that stand in one of the texts."""
    for one in row.differences:
        if one[side]:
            start, end = one[side]
            yield Mark(start, end, "wrong", _cost(one.get("dimension"), one.get("what")))


def _cost(dimension: str | None, what: str | None) -> str:
    """What a difference costs; whoever compares lines alone does not say."""
    if dimension is None or what is None:
        return ""
    return f"costs {dimension}: {what}, {WHY.get(what, '')}"


def _said(row: Verified) -> Iterator[str]:
    """What stands below the texts: rules, notes, and differences that no mark shows."""
    for one in row.violations:
        yield f"{one.severity}: {one.rule}: {one.message}"
    for one in row.notes:
        yield f"of the action: {one.rule}: {one.message}"
    placeless = Counter(
        f"{one.get('dimension')}: {one.get('what')}"
        for one in row.differences
        if not one["truth"] and not one["given"]
    )
    if placeless:
        told = ", ".join(f"{what} ({count:,})" for what, count in placeless.items())
        yield f"costs that no mark shows: {told}"
    if row.differing > len(row.differences):
        left = row.differing - len(row.differences)
        yield f"the first {len(row.differences):,} differences are marked; {left:,} more are not"


def _clipped(told: str) -> str:
    if len(told) <= CHARACTERS:
        return told
    return told[:CHARACTERS] + f"\n… {len(told) - CHARACTERS:,} characters more"
