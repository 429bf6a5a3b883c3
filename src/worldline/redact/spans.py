"""Findings in a text: where something stands, what it is, and a text with all of them replaced."""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

OURS = r"(?:person|host)-[0-9a-f]{6}(?:@example\.com)?|Person [0-9a-f]{6}"
"""The pseudonyms that persons and hosts become, as RE2."""

_HALVES = re.compile("[\ud800-\udfff]")


class Finding(NamedTuple):
    """What was found at ``text[start:end]``; `kind` names the mark or the pseudonym it becomes."""

    start: int
    end: int
    kind: str


def at(match: Any, group: int, kind: str) -> Finding:
    """Where a group of a match stands."""
    start, end = match.span(group)
    return Finding(start, end, kind)


def searchable(text: str) -> str:
    """A text of the same length that RE2 can read: halves of characters are replaced."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def merged(findings: Iterable[Finding], kept: Iterable[Finding] = ()) -> list[Finding]:
    """Findings in order, those that overlap made one; the first one given says what it is.

    Args:
        findings: in order of precedence.
        kept: places that stay as they are; what overlaps one is dropped.
    """
    spans = [(one.start, one.end, rank, one.kind) for rank, one in enumerate(findings)]
    stay = sorted((one.start, one.end) for one in kept)
    found: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in sorted(spans):
        if found and start < found[-1][1]:
            old = found[-1]
            best = min((old[2], old[3]), (rank, kind))
            found[-1] = (old[0], max(old[1], end), *best)
        else:
            found.append((start, end, rank, kind))
    return _clear(found, stay)


def _clear(found: list[tuple[int, int, int, str]], stay: list[tuple[int, int]]) -> list[Finding]:
    clear, place = [], 0
    for start, end, _, kind in found:
        while place < len(stay) and stay[place][1] <= start:
            place += 1
        if place == len(stay) or stay[place][0] >= end:
            clear.append(Finding(start, end, kind))
    return clear


def settled(layers: Iterable[Iterable[Finding]]) -> list[Finding]:
    """Findings in order; of those that overlap, the one of the first layer stands."""
    taken: list[Finding] = []
    for layer in layers:
        new = sorted(one for one in layer if one.start < one.end)
        taken = _woven(taken, new) if new else taken
    return taken


def _woven(taken: list[Finding], new: list[Finding]) -> list[Finding]:
    """Both in order, without what of `new` overlaps any of the others before it."""
    woven: list[Finding] = []
    place = 0
    for one in new:
        while place < len(taken) and taken[place].start < one.end:
            woven.append(taken[place])
            place += 1
        free = not woven or woven[-1].end <= one.start
        if free:
            woven.append(one)
    return woven + taken[place:]


def replaced(text: str, findings: Iterable[Finding], new: Callable[[Finding], str]) -> str:
    """The text with each finding (in order, not overlapping) replaced by ``new(finding)``."""
    pieces, done = [], 0
    for finding in findings:
        pieces += [text[done : finding.start], new(finding)]
        done = finding.end
    return "".join(pieces) + text[done:]
