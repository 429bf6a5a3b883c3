"""What nobody can know beforehand in a terminal: times, process numbers, loads."""

import re
import tomllib
from functools import cache
from importlib.resources import files

_CLOCK = re.compile(r" \d{1,6}:\d\d(?::\d\d)? ")
"""What each row of a process has; most text has nothing like it."""


@cache
def _data() -> dict[str, dict[str, str | list[str]]]:
    text = files("worldline.domains.terminal").joinpath("volatile.toml").read_text("utf-8")
    return tomllib.loads(text)


def patterns() -> tuple[tuple[str, str], ...]:
    """(name, RE2 pattern) of pieces of a line."""
    return tuple((name, str(pattern)) for name, pattern in _data()["patterns"].items())


@cache
def _columns() -> dict[str, frozenset[str]]:
    return {mark: frozenset(names) for mark, names in _data()["tables"].items()}


@cache
def _rows() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(str(pattern)) for pattern in _data()["rows"].values())


def canonical(rows: list[str]) -> list[str]:
    """Lines in which the volatile columns of tables, as ``ps`` and ``df`` print them, hold the
    column's name instead of its value. Other lines stay the same objects."""
    text = "\n".join(rows)
    if _CLOCK.search(text):
        rows = [_alone(row) for row in rows]
    if not any(mark in text for mark in _columns()):  # most text has no such table
        return rows
    found: list[str] = []
    heads: list[str | None] = []
    for row in rows:
        names = _head(row)
        if names is not None:
            heads = names
            found.append(row)
        elif heads and row.strip():
            found.append(_replaced(row, heads))
        else:
            heads = []
            found.append(row)
    return found


def _alone(row: str) -> str:
    """A row of a table of processes that stands without its head."""
    match = next((m for one in _rows() if (m := one.fullmatch(row))), None)
    return row if match is None else " <process> ".join(match.groups())


def _head(row: str) -> list[str | None] | None:
    """For each column whether its values are volatile (its name) or not; `None`: no such head."""
    names = row.split()
    mark = next((mark for mark in _columns() if mark in names), None)
    if mark is None or len(names) < 2:
        return None
    wanted = _columns()[mark]
    volatile: list[str | None] = [name if name in wanted else None for name in names]
    return [None, *volatile] if row[:1].isspace() and mark == "total" else volatile


def _replaced(row: str, heads: list[str | None]) -> str:
    """The row with its volatile values replaced, and each gap, which hangs on them, one blank."""
    fields = row.split(None, len(heads) - 1)
    if len(fields) < len(heads) and heads[-1] is None and len(fields) < len(heads) // 2:
        return row
    return " ".join(
        f"<{name}>" if name is not None and any(char.isdigit() for char in value) else value
        for name, value in zip(heads, fields, strict=False)
    )
