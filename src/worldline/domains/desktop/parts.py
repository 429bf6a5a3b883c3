"""A screen in parts, as measures compare it with the true one.

An element is one part of content: what it is, says, and where it stands. A terminal is told line by
line: prompts and what is typed behind them are state, for the session fixes them; what programs
printed is content. The line of column names, and in XML the closing tags, are frame.

Each line or tag is read by one pattern and nothing is decoded: a screen costs linear time.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from worldline.domains.desktop import rows
from worldline.domains.parts import Part

_PLACE = r"\(-?\d++, -?\d++\)"
_ROW = re.compile(rf"[A-Za-z][\w.-]*+\t[^\t]*+\t.*\t[^\t]*+\t[^\t]*+\t{_PLACE}\t{_PLACE}")
_OPENS = re.compile(r"([A-Za-z][\w.-]*+\t[^\t]*+)\t")
_CLOSES = re.compile(rf"\t[^\t]*+\t[^\t]*+\t{_PLACE}\t{_PLACE}$")
_PROMPT = re.compile(r"([\w.-]{1,80}@[\w.-]{1,80}:[^\s$#]{0,400}[$#])(?: (.*))?")
_TAG = re.compile(r'<(/?)([A-Za-z_][\w.:-]*+)((?: [A-Za-z_][\w.:-]*+="[^"<]*+")*+)(/?)>([^<]*+)')
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
RUNTIME: tuple[tuple[str, str], ...] = (
    ("listed", rf"\b{_MONTH} {{1,2}}\d{{1,2}} (?:\d\d:\d\d| \d{{4}})\b"),
    ("clock", r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? .{0,12}[0-2]\d:[0-5]\d:[0-6]\d(?: [AP]M)?"),
    ("log", r"\[\d{1,7}:\d{1,7}:\d{4}/\d{6}\.\d{1,6}"),
    ("left", r"\b\d:\d\d:\d\d\b"),
    ("speed", r"\b\d{1,4}(?:\.\d{1,3})? ?[kKMG]B/s\b"),
    ("job", r"\[\d{1,3}\] \d{2,7}\b"),
)
"""Dates of listings, stamps of logs, what downloads say of speed and time left, jobs."""


def parts(dialect: str, observation: str) -> list[Part] | None:
    """The screen in parts; `None` for a text that is no screen of the dialect."""
    found = _parts(dialect, observation)
    return None if found is None else list(found)


@lru_cache(maxsize=64)  # one measure looks at the truth and at the state before several times
def _parts(dialect: str, text: str) -> tuple[Part, ...] | None:
    found = _xml(text) if dialect == "xml" else _table(text)
    return None if found is None else tuple(found)


@cache
def words() -> tuple[str, ...]:
    """What every screen may say whatever it shows: kinds of elements, the desktop's own names."""
    return (files("worldline.domains.desktop").joinpath("words.txt").read_text("utf-8"),)


def status(before: str | None, dialect: str, observation: str) -> str | None:
    """Whether the action changed the screen; `None` before the first one."""
    if before is None:
        return None
    old, new = _parts(dialect, before), _parts(dialect, observation)
    return "none" if new is None else "same" if _texts(old) == _texts(new) else "changed"


def _texts(found: tuple[Part, ...] | None) -> list[str]:
    return [one.text for one in found or ()]


# rows


def _table(text: str) -> list[Part] | None:
    header, newline, _ = text.partition("\n")
    if header != rows.HEADER:
        return None
    found = [Part(header, "frame", "", 0)]
    at = len(header) + 1
    held: list[tuple[str, int]] = []  # a row that has begun and not ended
    for line in text[at:].split("\n") if newline else ():
        if _ROW.fullmatch(line):
            found += _loose(held)
            held = []
            found.append(Part(line, "content", "", at))
        elif held and (end := _CLOSES.search(line)) is not None:
            found += _long(held, line, at, end.start())
            held = []
        elif held or _OPENS.match(line):
            held.append((line, at))
        elif line.strip():
            found.append(Part(line, "frame", "", at))
        at += len(line) + 1
    return found + list(_loose(held))


def _loose(lines: list[tuple[str, int]]) -> Iterator[Part]:
    """Lines of a row that never ended."""
    return (Part(line, "frame", "", at) for line, at in lines if line.strip())


def _long(held: list[tuple[str, int]], last: str, at: int, end: int) -> Iterator[Part]:
    """A row whose text has several lines: its head, the lines, its place."""
    first, start = held[0]
    head = _OPENS.match(first)
    cut = head.end() if head is not None else 0
    yield Part(first[: max(cut - 1, 0)], "content", "", start)
    yield from _line(first[cut:], start + cut)
    for line, place in held[1:]:
        yield from _line(line, place)
    yield from _line(last[:end], at)
    yield Part(
        last[end:].strip("\t"),
        "content",
        "",
        at + end + len(last[end:]) - len(last[end:].lstrip("\t")),
    )


def _line(line: str, at: int) -> Iterator[Part]:
    """A line of a terminal or of a document; a blank one is nothing."""
    found = _PROMPT.fullmatch(line)
    if found is not None:
        yield Part(found[1], "state", "", at)
        typed = (found[2] or "").rstrip()
        if typed:
            yield Part(typed, "state", "", at + found.start(2))
    elif line.strip():
        yield Part(line.rstrip(), "content", "", at)


# XML


def _xml(text: str) -> list[Part] | None:
    """Opening tags with their own text; closing tags stand for how elements are nested."""
    found: list[Part] = []
    open_: list[str] = []
    start = text.find("<", 1) if text.startswith("<?") else 0
    if start > 0:
        found.append(Part(text[:start].strip(), "frame", "", 0))
    at, end = start, len(text.rstrip())
    while at < end:
        tag = _TAG.match(text, at)
        if tag is None or (not open_ and at != start):
            return None
        closes, name, _, alone, said = tag.groups()
        if closes:
            if not open_ or open_.pop() != name or tag[3] or alone:
                return None
            found.append(Part(text[at : tag.start(5)], "frame", "", at))
            if open_ and said.strip():
                return None
            found += _tail(said, tag.start(5))
        else:
            found += _opened(text, tag, root=not open_, own=not alone)
            if not alone:
                open_.append(name)
            else:
                found += _tail(said, tag.start(5))
        at = tag.end() if at < tag.end() else end
    return found if found and not open_ else None


def _tail(said: str, at: int) -> list[Part]:
    """Text behind an element, which no screen has."""
    start = at + len(said) - len(said.lstrip())
    return [Part(said.strip(), "content", "", start)] if said.strip() else []


def _opened(text: str, tag: re.Match[str], *, root: bool, own: bool) -> Iterator[Part]:
    said = tag[5] if own else ""
    if not said.strip():
        yield Part(
            text[tag.start() : tag.start(5)], "state" if root else "content", "", tag.start()
        )
    elif "\n" not in said:
        yield Part(tag[0], "state" if root else "content", "", tag.start())
    else:
        yield Part(text[tag.start() : tag.start(5)], "content", "", tag.start())
        at = tag.start(5)
        for line in said.split("\n"):
            yield from _line(line, at)
            at += len(line) + 1
