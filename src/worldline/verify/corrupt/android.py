"""Corruptions and benign variants of the android domain: elements of a screen, a line each."""

import re
from collections.abc import Callable, Sequence
from random import Random

from worldline.verify.corrupt.base import Corruption, Variant
from worldline.verify.corrupt.common import (
    TALK,
    TRUNCATED,
    Change,
    line_pairs,
    lines_changed,
    other_number,
    other_word,
    places,
)
from worldline.verify.measure import Moment

_HEAD = re.compile(r"( *)(UI element |\[ {0,2}|)(\d+)(: |\] |\. )|( *)- ")
_BAR = "com.android.systemui:id/"
_VALUE = re.compile(
    r'(?:"text": |"content_description": | text=| content-desc=| desc=)"((?:[^"\\]|\\.)*+)"'
)
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")
_SIDE = re.compile(r'(?<=[xy]_m(?:in|ax)": )\d+|(?<=[\[,(=])\d+(?=,)|(?<=,)\d+(?=[\],)])')
_FLAG = re.compile(
    r'"is_(?:clickable|checked|scrollable|focused|selected|editable)": true, '
    r"|(?<= \()\w+ |(?<=\w) \w+(?=\)$)| \(\w+\)$|flags=\w+,"
)
_CLASS = re.compile(r"android\.widget\.(\w+)")
_CLASSES = ("TextView", "Button", "ImageView", "EditText", "CheckBox", "FrameLayout")
_ID = re.compile(r"(?<=:id/)\w+")
_PACKAGE = re.compile(r"[a-z][a-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)+(?=:id/|/)")


def _elements(lines: Sequence[str]) -> list[int]:
    """The lines that are elements of the app, not of the status bar."""
    return [i for i, line in enumerate(lines) if _HEAD.match(line) and _BAR not in line]


def _changed(moment: Moment, rng: Random, heaviness: float, change: Change) -> str | None:
    """Some elements made other ones, their lines in place."""
    able = _elements(moment.truth.split("\n"))
    return lines_changed(moment.truth, able, rng, heaviness, change)


def _swapped(pattern: re.Pattern[str], other: Callable[[str, Random], str]) -> Change:
    """One match of a pattern in a line made another one."""

    def change(line: str, rng: Random) -> str | None:
        found = list(pattern.finditer(line))
        if not found:
            return None
        one = rng.choice(found)
        return line[: one.start()] + other(one[0], rng) + line[one.end() :]

    return change


def _kind(change: Change) -> Callable[[Moment, Random, float], str | None]:
    return lambda moment, rng, heaviness: _changed(moment, rng, heaviness, change)


def _other_text(line: str, rng: Random) -> str | None:
    """Words of what an element says are others of the same length."""
    values = [one for one in _VALUE.finditer(line) if _WORD.search(one[1])]
    if not values:
        return None
    value = rng.choice(values)
    said = _WORD.sub(lambda word: other_word(word[0], rng), value[1])
    return line[: value.start(1)] + said + line[value.end(1) :]


def _other_class(name: str, rng: Random) -> str:
    known = [one for one in _CLASSES if not name.endswith(f".{one}")]
    return f"android.widget.{rng.choice(known)}"


def _counted(lines: Sequence[str]) -> str:
    """The lines with their elements numbered one after the other."""
    made, number = [], 0
    for line in lines:
        head = _HEAD.match(line)
        if head is not None and head[3] is not None:
            if not number:
                number = int(head[3]) and 1  # a list begins at 0 or 1
            width = len(head[2]) - 1 + len(head[3]) if head[2].startswith("[") else 0
            lead = "[" if width else head[2]
            shown = f"{number:{width}}" if " " in head[2][1:2] else str(number)
            line = f"{head[1]}{lead}{shown}{head[4]}{line[head.end() :]}"
            number += 1
        made.append(line)
    return "\n".join(made)


def node_missing(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Elements without any below them are gone, half at most; the others count on."""
    lines = moment.truth.split("\n")
    depth = [len(line) - len(line.lstrip(" ")) for line in lines]
    able = [i for i in _elements(lines) if i + 1 == len(lines) or depth[i + 1] <= depth[i]]
    if len(able) < 3:
        return None
    gone = {able[i] for i in places(rng, len(able), heaviness / 2)}
    return _counted([line for i, line in enumerate(lines) if i not in gone])


def node_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Elements stand twice, the second time with another text or place."""
    lines = moment.truth.split("\n")
    able = _elements(lines)
    if not able:
        return None
    made = list(lines)
    for i in reversed(places(rng, len(able), heaviness / 2)):
        line = lines[able[i]]
        other = _other_text(line, rng) or _swapped(_SIDE, other_number)(line, rng)
        made.insert(able[i] + 1, other or line)
    return _counted(made)


def app_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Ids belong to another app."""
    found = [name for name in _PACKAGE.findall(moment.truth) if not name.startswith("android")]
    found = [name for name in found if name != "com.android.systemui"]
    if not found:
        return None
    name = max(sorted(set(found)), key=found.count)
    other = f"{name.rpartition('.')[0]}.{other_word(name.rpartition('.')[2], rng)}"
    return re.sub(rf"\b{re.escape(name)}(?=[:/\"])", other, moment.truth)


def stale_state(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Elements that the action changed are as they were before."""
    if moment.before is None:
        return None
    old, new = moment.before.split("\n"), moment.truth.split("\n")
    bare = [[_HEAD.sub("", line, count=1) for line in lines] for lines in (old, new)]
    pairs = line_pairs(*bare)
    pairs = [(a, c) for a, c in pairs if _HEAD.match(new[c]) and _BAR not in new[c] + old[a]]
    pairs = [(a, c) for a, c in pairs if _same(old[a], new[c], moment.before)]
    if not pairs:
        return None
    for i in places(rng, len(pairs), heaviness):
        was, now = pairs[i]
        new[now] = old[was]
    return _counted(new)


def _same(old: str, new: str, before: str) -> bool:
    """Whether two lines are one element, that says now what no element said before."""
    ids = [[match[0] for match in _ID.finditer(line)] for line in (old, new)]
    told = [one[0] for one in _VALUE.finditer(new)]
    told.append(f"{new[new.rfind(' bounds=') :]}\n" if " bounds=" in new else new)
    return ids[0] == ids[1] and any(one not in f"{before}\n" for one in told)


def number_skipped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Elements do not count on."""

    def change(line: str, rng: Random) -> str | None:
        head = _HEAD.match(line)
        if head is None or head[3] is None:
            return None
        return line[: head.start(3)] + str(int(head[3]) + rng.randint(3, 90)) + line[head.end(3) :]

    return _changed(moment, rng, heaviness, change)


def _broken(line: str, rng: Random) -> str | None:
    """A line in another form than the dialect's."""
    for name, other in (('"bbox_pixels"', '"bounds"'), (" bounds=[", " rect=["), (" - (", " @ (")):
        if name in line:
            return line.replace(name, other)
    return None


def _bar(pattern: str, values: Sequence[str]) -> Callable[[Moment, Random], str | None]:
    """The status bar shows another value."""
    find = re.compile(pattern)

    def make(moment: Moment, rng: Random) -> str | None:
        lines = moment.truth.split("\n")
        found = [i for i, line in enumerate(lines) if _BAR in line and find.search(line)]
        for i in found:
            lines[i] = find.sub(rng.choice(values), lines[i])
        return "\n".join(lines) if found else None

    return make


CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("node_missing", "quality", node_missing),
    Corruption("node_invented", "quality", node_invented),
    TRUNCATED,
    Corruption("text_replaced", "factuality", _kind(_other_text)),
    Corruption("place_changed", "factuality", _kind(_swapped(_SIDE, other_number))),
    Corruption("flag_flipped", "factuality", _kind(_swapped(_FLAG, lambda flag, rng: ""))),
    Corruption("class_changed", "factuality", _kind(_swapped(_CLASS, _other_class))),
    Corruption("id_changed", "consistency", _kind(_swapped(_ID, other_word))),
    Corruption("app_changed", "consistency", app_changed),
    Corruption("stale_state", "consistency", stale_state),
    Corruption("number_skipped", "format", number_skipped),
    Corruption("schema_broken", "format", _kind(_broken)),
    *TALK,
)
VARIANTS: tuple[Variant, ...] = (
    Variant("new_time", _bar(r"\b\d{1,2}:\d\d\b", ("08:01", "17:29", "23:54"))),
    Variant("new_charge", _bar(r"\bBattery \d{1,3} percent", ("Battery 63 percent",))),
    Variant("new_signal", _bar(r"Phone (?:signal full|\w+ bars?)", ("Phone two bars",))),
    Variant("new_wifi", _bar(r"Wifi (?:signal full|\w+ bars?)", ("Wifi one bar", "Wifi two bars"))),
    Variant("line_end", lambda moment, rng: moment.truth + "\n"),
)
