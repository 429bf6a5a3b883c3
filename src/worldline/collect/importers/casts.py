"""Recordings of asciinema as they are written: versions 1, 2 and 3, to one list of events.

Version 1 is one JSON object; 2 and 3 are a header and an event a line, ``[time, code, data]``,
where version 3 counts the time from the event before and has comments. Codes: ``o`` output, ``i``
input, ``r`` new size, ``m`` marker, ``x`` exit status.
"""

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from worldline import jsonl
from worldline.collect.importers.files import whole
from worldline.errors import DataError

MOST_CELLS = 500
"""Columns or lines a terminal may have."""

_SIZE = re.compile(r"([0-9]{1,4})x([0-9]{1,4})")


class Size(NamedTuple):
    """Of a terminal."""

    columns: int
    lines: int


class Event(NamedTuple):
    """What happened `time` seconds after the start."""

    time: float
    code: str
    data: str

    @property
    def size(self) -> Size | None:
        """The new size, of an event ``r``."""
        match = _SIZE.fullmatch(self.data) if self.code == "r" else None
        return _size(int(match[1]), int(match[2])) if match else None


class Cast(NamedTuple):
    """A recording. `cut`: its last line was not written to the end."""

    version: int
    size: Size
    header: dict[str, Any]
    events: tuple[Event, ...]
    cut: bool


class _Term(msgspec.Struct, kw_only=True):
    cols: int
    rows: int


class _Header3(msgspec.Struct, kw_only=True):
    version: Literal[3]
    term: _Term


class _Header(msgspec.Struct, kw_only=True):
    version: Literal[1, 2]
    width: int
    height: int
    stdout: list[tuple[float, str]] | None = None


def cast(path: Path) -> Cast:
    """Read a recording; `DataError` names file, line and field."""
    data = whole(path)
    text = data.decode("utf-8-sig", "surrogatepass") if _is_text(data) else None
    if text is None:
        raise DataError("is no text in UTF-8", file=path, remedy="A recording is JSON in UTF-8.")
    value = _value(text)
    if isinstance(value, dict) and "stdout" in value:
        return _first(value, path)
    first, _, rest = text.partition("\n")
    header = jsonl.parse_line(first.encode("utf-8", "surrogatepass"), path, 1)
    version, size = _headed(header, path)
    events, cut = _events(rest, version, path)
    return Cast(version, size, header, events, cut)


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _value(text: str) -> Any:
    try:
        return jsonl.loads(text)
    except (ValueError, RecursionError):
        return None


def _first(value: dict[str, Any], path: Path) -> Cast:
    _, size = _headed(value, path)
    try:
        printed = jsonl.convert(value["stdout"], list[tuple[float, str]])
    except msgspec.ValidationError as error:
        raise DataError(
            str(error).replace("`", ""),
            file=path,
            line=1,
            field="stdout",
            remedy="It is a list of [seconds, text].",
        ) from error
    now, events = 0.0, []
    for delay, data in printed:
        now += max(delay, 0.0)
        events.append(Event(now, "o", data))
    header = {key: kept for key, kept in value.items() if key != "stdout"}
    return Cast(1, size, header, tuple(events), False)


def _headed(header: Any, path: Path) -> tuple[int, Size]:
    version = header.get("version") if isinstance(header, dict) else None
    if version not in (1, 2, 3) or isinstance(version, bool):
        raise DataError(
            "is no recording of asciinema" if version is None else f"is {version!r}",
            file=path,
            line=1,
            field="version",
            remedy="This version reads recordings of version 1, 2 and 3.",
        )
    try:
        if version == 3:
            term = jsonl.convert(header, _Header3).term
            return 3, _size(term.cols, term.rows)
        found = jsonl.convert(header, _Header)
        return version, _size(found.width, found.height)
    except msgspec.ValidationError as error:
        raise DataError(
            str(error).replace("`", ""), file=path, line=1, remedy="Correct the header."
        ) from error
    except OverflowError as error:
        raise DataError(str(error), file=path, line=1, field="size") from error


def _size(columns: int, lines: int) -> Size:
    if not (0 < columns <= MOST_CELLS and 0 < lines <= MOST_CELLS):
        raise OverflowError(f"a terminal of {columns}x{lines} cannot be shown")
    return Size(columns, lines)


def _events(text: str, version: int, path: Path) -> tuple[tuple[Event, ...], bool]:
    lines = text.split("\n")
    events: list[Event] = []
    now = 0.0
    for number, line in enumerate(lines, 2):
        if not line.strip() or (version == 3 and line.startswith("#")):
            continue
        event = _event(line)
        if event is None:
            if number == len(lines) + 1 and _value(line) is None:
                return tuple(events), True  # the recorder was stopped while it wrote
            raise _broken(line, path, number)
        now = now + max(event.time, 0.0) if version == 3 else max(event.time, now)
        events.append(event._replace(time=now))
        if event.code == "r" and not _sized(events[-1]):
            raise _broken(line, path, number)
    return tuple(events), False


def _sized(event: Event) -> bool:
    try:
        return event.size is not None
    except OverflowError:
        return False


def _event(line: str) -> Event | None:
    value = _value(line)
    if not isinstance(value, list) or len(value) != 3:
        return None
    time, code, data = value
    if isinstance(time, bool) or not isinstance(time, int | float):
        return None
    try:
        time = float(time)
    except OverflowError:
        return None
    return Event(time, code, data) if isinstance(code, str) and isinstance(data, str) else None


def _broken(line: str, path: Path, number: int) -> DataError:
    return DataError(
        f"is no event; it starts {line[:40]!r}",
        file=path,
        line=number,
        remedy='An event is [seconds, "o" or "i" or ..., text]; correct the line.',
    )
