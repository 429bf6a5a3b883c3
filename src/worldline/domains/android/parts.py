"""A screen in parts, as measures compare it with the true one.

What an element shows is content; the resource id beside it is state, for an app has fixed it. What
the dialect puts around elements is frame: headings, and a number that does not count on. Elements
are compared in their order, never by their number.

A line is read by one pattern of its dialect and nothing is decoded, so that it costs linear time.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.resources import files

from worldline.domains.android import states
from worldline.domains.android.nodes import NUMBER
from worldline.domains.parts import Part

_STRING = r'"(?:[^"\\]|\\.)*+"'
_BOUNDS = r"bounds=\[-?\d++,-?\d++\]\[-?\d++,-?\d++\]"
_ELEMENT = re.compile(
    rf"UI element ({NUMBER}): \{{("
    rf'(?:"text": {_STRING}, )?+(?:"content_description": {_STRING}, )?+"class_name": {_STRING}, '
    r'"bbox_pixels": \{"x_min": -?\d++, "x_max": -?\d++, "y_min": -?\d++, "y_max": -?\d++\}'
    rf'(?:, "hint_text": {_STRING})?+(?:, "is_\w++": true)*+)'
    rf'(?:, ("package_name": {_STRING}(?:, "resource_name": {_STRING})?+'
    rf'|"resource_name": {_STRING}))?+\}}'
)
_VIEW = re.compile(
    rf"((?:  ){{0,200}}+)\[({NUMBER})\] (\S++(?: (?:text|content-desc)={_STRING})*+)"
    rf"(?: (resource-id={_STRING}))?+ ({_BOUNDS}(?: \(\w++(?: \w++)*+\))?+)"
)
_ROW = re.compile(rf"\[ {{0,2}}({NUMBER})\] \| ")
_ROW_ID = re.compile(r'res="[^"\s]*+"(?= \||\Z)')
_ROW_END = re.compile(rf" \| ({_BOUNDS}(?: \| \w[\w ,]*+)?+)")
_ITEM = re.compile(rf'((?:  ){{0,200}}+)({NUMBER})\. ([^"\n:]{{1,200}}+:(?: "[^"\s]++")?+)')
_LEAF = re.compile(r'((?:  ){0,200}+)- (\S++(?: id="[^"\s]*+")?+)')
_STATE = re.compile(r"(• \*\*[^*\n:]{1,40}+:\*\* )([^\n]*+)")
_MOVING = re.compile(
    r'com\.android\.systemui:id/(?:clock|battery(?:RemainingIcon)?|wifi_combo|mobile_combo)"'
)
"""Ids of what the status bar shows of time, charge and signal."""
MARK = "foreground_activity: "
_ID = r"com\.android\.systemui:id/(?:clock|battery(?:RemainingIcon)?|wifi_combo|mobile_combo)"
_CLOCK = r"\d{1,2}:\d\d(?:\s?[AP]M)?"
_SIGNAL = (
    r"(?:Phone|Wifi|Battery|Signal) (?:signal full|no signal|off|(?:one|two|three|four) bars?"
    r"|\d{1,3} percent)\.?(?:,[^\"\\]{0,40})?"
)
RUNTIME: tuple[tuple[str, str], ...] = (
    (
        "status_bar",
        rf'(?:"text": "(?:{_CLOCK}|{_SIGNAL})", )?'
        rf'(?:"content_description": "(?:{_CLOCK}|{_SIGNAL})", )?'
        r'"class_name": "[\w.]+", "bbox_pixels": \{[^{}]*\}(?:, "is_\w+": true)*'
        rf', "package_name": "com\.android\.systemui", "resource_name": "{_ID}"',
    ),
    (
        "status_row",
        rf'[\w.]+ \| (?:text="(?:{_CLOCK}|{_SIGNAL})" )?'
        rf'(?:desc="(?:{_CLOCK}|{_SIGNAL})" )?res="{_ID}"',
    ),
)
"""What the status bar may show of time, charge and signal, as a part of a screen."""


def parts(dialect: str, observation: str) -> list[Part] | None:
    """The screen in parts; `None` for a text without any element of the dialect."""
    found = _parts(dialect, observation)
    return None if found is None else list(found)


@lru_cache(maxsize=64)  # one measure looks at the truth and at the state before several times
def _parts(dialect: str, text: str) -> tuple[Part, ...] | None:
    found = tuple(_READERS[dialect](text))
    return found if any(part.kind != "frame" for part in found) else None


@cache
def words() -> tuple[str, ...]:
    """What every screen may say whatever it shows: names of fields and classes."""
    return (files("worldline.domains.android").joinpath("words.txt").read_text("utf-8"),)


def status(before: str | None, dialect: str, observation: str) -> str | None:
    """Whether the action changed the screen; `None` before the first one.

    The status bar moves by itself and says nothing of the action.
    """
    if before is None:
        return None
    old, new = _parts(dialect, before), _parts(dialect, observation)
    return "none" if new is None else "same" if _still(old) == _still(new) else "changed"


def _still(found: tuple[Part, ...] | None) -> list[str]:
    """What a screen shows without the status bar's own."""
    return [one.text for one in found or () if one.kind != "runtime"]


def _elements(text: str) -> Iterator[Part]:
    """``ui-elements``: what an element shows, then its package and id."""
    at, number = 0, 0
    for line in text.split("\n"):
        found = _ELEMENT.fullmatch(line)
        if found is None:
            yield from _other(line, at)
        else:
            shown = int(found[1])
            if shown != number:
                yield _misnumbered(found[1], at)
            number = shown + 1
            name = found[3]
            if name and _MOVING.search(name):
                start = found.start(2)
                yield Part(line[start:-1], "runtime", "", at + start)
            else:
                yield Part(found[2], "content", "", at + found.start(2))
                if name:
                    yield Part(name, "state", "", at + found.start(3))
        at += len(line) + 1


def _views(text: str) -> Iterator[Part]:
    """``droidbot``: class and texts, the id, then place and flags."""
    if states.begins(text):
        yield from _below_states(text)
        return
    at, number = 0, 0
    for line in text.split("\n"):
        found = _VIEW.fullmatch(line)
        if found is not None:
            indent, shown, what, name, rest = found.groups()
            if int(shown) != number:
                yield _misnumbered(shown, at)
            number = int(shown) + 1
            # A part says how deep it stands: its span begins so much earlier, in the number's.
            yield Part(indent + what, "content", "", at + found.start(3) - len(indent))
            if name:
                yield Part(name, "state", "", at + found.start(4))
            yield Part(rest, "content", "", at + found.start(5))
        elif at == 0 and line.startswith(MARK):
            yield Part(MARK, "frame", "", 0)
            yield Part(line[len(MARK) :], "state", "", len(MARK))
        else:
            yield from _other(line, at)
        at += len(line) + 1


def _rows(text: str) -> Iterator[Part]:
    """``json``: class and texts, the id, then place and flags."""
    number = 0
    for at, row in _whole(text, _ROW):
        head = _ROW.match(row)
        end = _ROW_END.fullmatch(row, max(row.rfind(" | bounds="), 0))
        if head is None or end is None:
            yield from _other(row, at)
            continue
        if int(head[1]) != number:
            yield _misnumbered(head[1], at)
        number = int(head[1]) + 1
        start, stop = head.end(), end.start()
        name = next(iter(_ROW_ID.finditer(row, start, stop)), None)
        if name is not None and _MOVING.search(name[0]):
            yield Part(row[start : name.end()], "runtime", "", at + start)
            start = name.end()
        elif name is not None:
            yield Part(row[start : name.start()], "content", "", at + start)
            yield Part(name[0], "state", "", at + name.start())
            start = name.end()
        if start < stop:
            yield Part(row[start:stop], "content", "", at + start)
        yield Part(end[1], "content", "", at + end.start(1))


def _below_states(text: str) -> Iterator[Part]:
    """Screens below state lines: class and id are state, the rest of an element is content."""
    views = f"\n{states.TREE}\n" in text
    element, number = (_LEAF if views else _ITEM), 1
    for at, row in _whole(text, element):
        head, told = element.match(row), _STATE.fullmatch(row)
        if told is not None:
            yield Part(told[1], "frame", "", at)
            yield Part(told[2], "state", "", at + told.start(2))
        elif head is None:
            yield from _other(row, at)
        else:
            if not views:
                if int(head[2]) != number:
                    yield _misnumbered(head[2], at)
                number = int(head[2]) + 1
            last, indent = head.lastindex or 0, head[1]
            start = at + head.start(last) - len(indent)
            yield Part(indent + head[last], "state", "", start)
            if row[head.end() :].strip():
                yield Part(row[head.end() :], "content", "", at + head.end())


def _whole(text: str, start: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Each element with all its lines, for texts may hold line ends; other lines alone."""
    at, begun, held, lines = 0, False, 0, list[str]()
    for line in text.split("\n"):
        starts = start.match(line) is not None
        if lines and (starts or not begun or _STATE.match(line)):
            yield held, "\n".join(lines)
            lines = []
        held = held if lines else at
        begun = (begun or starts) and not (_STATE.match(line) and not starts)
        lines.append(line)
        at += len(line) + 1
    if lines:
        yield held, "\n".join(lines)


def _misnumbered(shown: str, at: int) -> Part:
    """An element's number that does not count on: a part of the frame too many."""
    return Part(shown, "frame", "", at)


def _other(line: str, at: int) -> Iterator[Part]:
    """A line that is no element."""
    if line.strip():
        yield Part(line.rstrip(), "frame", "", at)


_READERS: dict[str, Callable[[str], Iterator[Part]]] = {
    "ui-elements": _elements,
    "droidbot": _views,
    "json": _rows,
    "phone": _below_states,
}
