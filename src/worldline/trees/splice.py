"""A long text of which a part has changed: ``~ H name "old" -> "new"``.

An address, a path, a message: copied whole for a few characters, it is the most expensive thing in
an edit, and what a small model copies worst. The old part must stand in the text exactly once.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from worldline.trees.align import common
from worldline.trees.line import LineError, name_text, quoted, string

ARROW = " -> "
LONG, LONGEST = 40, 4_000
"""Characters of a text that is not simply written again; longer ones are not searched."""
JOIN = 12
"""Parts with fewer characters between them are one."""
MOST = 4
"""Parts of one text that are worth an edit each."""
WIDER = 8
"""Times that a part is widened until it stands in the text once."""
_NAME = re.compile(r"[A-Za-z_@#*][\w.:/$@#*-]*+ ")
_TOKEN = re.compile(r"\w+|\W")


class Splice(NamedTuple):
    """One part and what takes its place; the name is `None` for the main text."""

    name: str | None
    old: str
    new: str


def read_splice(text: str) -> Splice | None:
    """The words of a splice; `None` if the text is anything else."""
    head = _NAME.match(text)
    at = head.end() if head else 0
    try:
        old, end = string(text, at)
        if not text.startswith(ARROW, end):
            return None
        new, last = string(text, end + len(ARROW))
    except LineError:
        return None
    return Splice(head and head[0][:-1], old, new) if last == len(text) else None


def write_splice(one: Splice) -> str:
    """The words of a splice."""
    name = f"{name_text(one.name)} " if one.name is not None else ""
    return f"{name}{quoted(one.old)}{ARROW}{quoted(one.new)}"


def spliced(text: str, one: Splice) -> str | None:
    """The text with the part replaced; `None` if the part does not stand in it exactly once."""
    at = text.find(one.old) if one.old else -1
    if at < 0 or text.find(one.old, at + 1) >= 0:
        return None
    return text[:at] + one.new + text[at + len(one.old) :]


def find_splices(name: str | None, old: str, new: str) -> list[Splice]:
    """The parts that turn one text into the other; none if writing it again is better."""
    if not (LONG <= len(new) <= LONGEST and LONG <= len(old) <= LONGEST):
        return []
    found: list[Splice] = []
    text = old
    for start, stop, part in _parts(old, new):
        # From the end to the beginning, so that places before it still hold.
        for _ in range(WIDER):
            after = spliced(text, Splice(name, old[start:stop], part))
            if after is not None:
                break
            start, stop, part = _wider(old, start, stop, part)
        else:
            return []
        text = after
        found.append(Splice(name, old[start:stop], part))
        if len(found) > MOST:
            return []
    shorter = sum(len(one.old) + len(one.new) + LONG // 4 for one in found) < len(new)
    return found if text == new and shorter else []


def _parts(old: str, new: str) -> list[tuple[int, int, str]]:
    """(start, stop, new text) of the parts of `old` that change, the last first."""
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    at = _ends(a), _ends(b)
    parts: list[tuple[int, int, int, int]] = []
    for (i, j), (k, m) in pairwise([(-1, -1), *common(a, b), (len(a), len(b))]):
        if k > i + 1 or m > j + 1:
            start, stop = at[0][i + 1], at[0][k]
            if parts and start - parts[-1][1] < JOIN:
                parts[-1] = (parts[-1][0], stop, parts[-1][2], at[1][m])
            else:
                parts.append((start, stop, at[1][j + 1], at[1][m]))
    return [(start, stop, new[first:last]) for start, stop, first, last in reversed(parts)]


def _ends(tokens: list[str]) -> list[int]:
    """Where each token starts, and where the last one ends."""
    places = [0]
    for token in tokens:
        places.append(places[-1] + len(token))
    return places


def _wider(text: str, start: int, stop: int, part: str) -> tuple[int, int, str]:
    """The part with a little of what stands around it."""
    left, right = max(0, start - 4), min(len(text), stop + 4)
    return left, right, text[left:start] + part + text[stop:right]
