"""What each piece of an observation is: the frame of its dialect, the session's state, what was
printed, and what nobody can know."""

import json
import re
from collections.abc import Iterator
from typing import Any

from worldline.domains.base import ActionError
from worldline.domains.parts import STATUS, Part
from worldline.domains.terminal.dialects.jsontext import parse_json
from worldline.domains.terminal.dialects.terminus2 import PROMPT, TITLES, WIDTH, Batch, TerminusForm
from worldline.domains.terminal.volatile import canonical

_PWD = re.compile(r"\s{0,8}pwd(?:\s{1,4}-[PL])?\s{0,8}")
_HEAD = re.compile(r"(\[?File:? )(.{1,4000}) \((\d{1,9})( lines total\)\]?)")
"""The head of a view, or what somebody took for one: its form is compared apart from its values."""
_MORE = re.compile(r"\(\d{1,9} more lines (?:above|below)\)")
_SECONDS = re.compile(r"duration|elapsed|seconds|took", re.IGNORECASE)
DEPTH = 20
"""Values inside values of a JSON answer that are parts of their own."""


def parts(dialect: str, action: str, observation: str) -> list[Part] | None:
    """The observation in parts; `None` where the dialect cannot read it."""
    if dialect == "terminus2":
        return _screen(action, observation)
    if dialect == "json":
        return _answer(observation)
    if dialect == "aci":
        return _views(action, observation)
    return printed(observation, state=bool(_PWD.fullmatch(action)))


def printed(text: str, start: int = 0, *, state: bool = False) -> list[Part]:
    """Lines that a program printed; blank ones at either end are nothing.

    Args:
        start: where the text begins in its observation; -1: it does not stand there as it is.
        state: they say where the session is.
    """
    if not text.strip():
        return []
    shown = text.lstrip("\r\n")
    start += len(text) - len(shown) if start >= 0 else 0
    rows = shown.rstrip().split("\n")
    kind = "state" if state else "content"
    parts = []
    for row, told in zip(rows, canonical(rows), strict=True):
        parts.append(Part(told.rstrip(), kind, "", start if told is row else -1))
        start += len(row) + 1 if start >= 0 else 0
    return parts


def _views(action: str, text: str) -> list[Part]:
    """Views of files: where they are of is the session's state; then lines as they are printed."""
    if "File" not in text:
        return printed(text, state=bool(_PWD.fullmatch(action)))
    parts: list[Part] = []
    at = 0
    loose = 0  # where the text that belongs to no view's head begins
    for row in text.split("\n"):
        head = _HEAD.fullmatch(row)
        if head is not None:
            parts += printed(text[loose:at], loose)
            parts.append(Part(head[1], "frame", "", at))
            parts.append(Part(head[2], "state", "", at + head.start(2)))
            parts.append(Part(head[3], "content", "", at + head.start(3)))
            parts.append(Part(head[4].strip(), "frame", "", at + head.start(4) + 1))
            loose = at + len(row) + 1
        at += len(row) + 1
    return parts + printed(text[loose:], loose)


# screens


def _screen(action: str, text: str) -> list[Part] | None:
    """Titles are the frame; prompts and what is typed behind them are the session's state."""
    rows = text.rstrip().split("\n")
    parts: list[Part] = []
    at = first = 0
    while first < len(rows) and (rows[first] in TITLES or (first and not rows[first])):
        if rows[first]:
            parts.append(Part(rows[first], "frame", "", at))
        at += len(rows[first]) + 1
        first += 1
    readable = bool(parts)
    loose = at  # where the output begins that follows the last prompt
    echo: Iterator[str] | None = None
    for row in rows[first:]:
        match = PROMPT.match(row)
        if match is None and echo is not None and next(echo, None) == row:
            parts += printed(text[loose:at], loose)
            parts.append(Part(row.rstrip(), "state", "", at))
            loose = at + len(row) + 1
        elif match is not None:
            readable = True
            parts += printed(text[loose:at], loose)
            parts += _prompt(match, row, at)
            loose = at + len(row) + 1
            typed = row[match.end() :].removeprefix(" ")
            long = len(row) >= WIDTH or "<<" in typed
            echo = _continued(action, typed, len(row)) if long else None
        at += len(row) + 1
    parts += printed(text[loose:], loose)
    return parts if readable else None


def _prompt(match: re.Match[str], row: str, at: int) -> list[Part]:
    typed = row[match.end() :].strip()
    parts = [Part(match[0], "state", "", at)]
    if typed:
        parts.append(Part(typed, "state", "", at + row.index(typed, match.end())))
    return parts


def _continued(action: str, typed: str, width: int) -> Iterator[str]:
    """The rows that follow the first one of an echo: wrapped at `width`, or a document's lines."""
    for line in keyed(action):
        first, _, document = line.partition("\n")
        if not first.startswith(typed):
            continue
        rest = first[len(typed) :]
        while rest:
            yield rest[:width]
            rest = rest[width:]
        for row in document.split("\n") if document else ():
            row = f"> {row}"
            while len(row) > width >= WIDTH:
                yield row[:width]
                row = row[width:]
            yield row.rstrip()
        return


_FORM = TerminusForm()


def keyed(action: str) -> list[str]:
    """The lines that a batch types, without the line end at their ends."""
    try:
        batch: Batch = _FORM.parse_action(action)
    except ActionError:
        return []
    return [one.keystrokes.removesuffix("\n") for one in batch.strokes if one.keystrokes]


# JSON


def _answer(text: str) -> list[Part] | None:
    """A tool's answer: names of its fields are the frame, their values what it says."""
    found = parse_json(text)
    if found is None:
        return None if text.lstrip()[:1] in ("{", "[") else printed(text)
    if not isinstance(found.value, dict):
        return list(_values(found.value, "", 0))
    parts = [Part(name, "frame", f"field {name}") for name in found.value]
    for name, value in found.value.items():
        parts += _values(value, name, 0)
    return parts


def _values(value: Any, path: str, depth: int) -> Iterator[Part]:
    """A JSON value in parts: lines of text one by one, other values under their path."""
    if isinstance(value, dict) and value and depth < DEPTH:
        for name, inner in value.items():
            yield Part(name, "frame", f"field {path}.{name}")
            yield from _values(inner, f"{path}.{name}", depth + 1)
    elif isinstance(value, list) and value and depth < DEPTH:
        for number, inner in enumerate(value):
            yield from _values(inner, f"{path}[{number}]", depth + 1)
    elif isinstance(value, str) and ("\n" in value or path in ("output", "content", "diff")):
        yield from printed(value, -1)
    elif isinstance(value, int | float) and not isinstance(value, bool) and _SECONDS.search(path):
        yield Part(f"{value} s", "runtime", path)
    elif value in (None, "", [], {}):  # of nothing, the field's name says it all, and its kind
        if not (value == "" and path in ("output", "content", "diff")):
            yield Part(json.dumps(value), "frame", f"empty {path}")
    else:
        key = STATUS if path == "exit_code" else path
        yield Part(json.dumps(value, ensure_ascii=False), "content", key)
