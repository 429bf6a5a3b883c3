"""The ``awb`` dialect: numbered results, Markdown pages, a memory that answers in fixed sentences.

::

    [1] https://example.com/page
    Title: ...
    Snippet: ...
    Date: Jan 1, 2024
"""

import re
from typing import Literal

import msgspec

from worldline.domains.mcp import exact
from worldline.domains.mcp.dialects import pyrepr
from worldline.domains.search.dialects.nested import Text, Tree, parse, render_body, text_of

LABELS = ("Title", "Snippet", "Date")
Verb = Literal["added", "updated", "removed"]
CLEARED = "Successfully cleared all memory."
_WHERE: dict[Verb, str] = {"added": "to", "updated": "in", "removed": "from"}
_START = re.compile(r"\[(\d{1,6})\] (\S{1,4000})")
_DONE = re.compile(r"Successfully (added|updated|removed) items of (\[)")


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """``label: text``; without a label, lines that belong to none."""

    label: str
    text: str
    gap: str = " "


class Result(msgspec.Struct, frozen=True):
    """One numbered result and the empty lines after it."""

    number: int
    url: str
    fields: tuple[Field, ...]
    blanks: int = 0

    def get(self, label: str) -> str | None:
        """The text under a label."""
        return next((one.text for one in self.fields if one.label == label), None)


class Results(msgspec.Struct, frozen=True, tag="results"):
    """Numbered results; `head` are the lines before the first."""

    results: tuple[Result, ...]
    head: tuple[str, ...] = ()


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The memory confirms a change of these keys (printed as a Python list)."""

    verb: Verb
    keys: tuple[str, ...]


class Cleared(msgspec.Struct, frozen=True, tag="cleared"):
    """The memory is empty now."""


Body = Results | Done | Cleared | Text | Tree


class Observation(msgspec.Struct, frozen=True):
    """The parse of an observation; text in no other form is a page or a message."""

    body: Body


def parse_observation(text: str) -> Observation:
    """The observation in `text`. Never raises."""
    body: Body | None
    if text == CLEARED:
        body = Cleared()
    elif text.startswith("Successfully "):
        body = _done(text)
    else:
        body = _results(text)
    if body is not None and render_observation(Observation(body)) == text:
        return Observation(body)
    other = parse(text).body
    return Observation(other if isinstance(other, Tree) else text_of(text))


def render_observation(observation: Observation) -> str:
    """The text of an observation, exactly."""
    match observation.body:
        case Results(results, head):
            return "\n".join([*head, *(line for one in results for line in _lines(one))])
        case Done(verb, keys):
            return f"Successfully {verb} items of {list(keys)!r} {_WHERE[verb]} memory."
        case Cleared():
            return CLEARED
        case other:
            return render_body(other)


def _lines(result: Result) -> list[str]:
    lines = [f"[{result.number}] {result.url}"]
    for one in result.fields:
        lines.append(f"{one.label}:{one.gap}{one.text}" if one.label else one.text)
    return lines + [""] * result.blanks


def _results(text: str) -> Results | None:
    lines = text.split("\n")
    starts = [(at, head) for at, line in enumerate(lines) if (head := _START.fullmatch(line))]
    starts = [(at, head) for at, head in starts if str(int(head[1])) == head[1]]
    if not starts:
        return None
    ends = [at for at, _ in starts[1:]] + [len(lines)]
    made = [
        _result(int(head[1]), head[2], lines[at + 1 : end])
        for (at, head), end in zip(starts, ends, strict=True)
    ]
    return Results(tuple(made), tuple(lines[: starts[0][0]]))


def _result(number: int, url: str, lines: list[str]) -> Result:
    blanks = 0
    while blanks < len(lines) and lines[len(lines) - 1 - blanks] == "":
        blanks += 1
    fields: list[tuple[str, str, list[str]]] = []
    for line in lines[: len(lines) - blanks]:
        label, colon, rest = line.partition(":")
        if colon and label in LABELS and all(label != one[0] for one in fields):
            gap = " " if rest.startswith(" ") else ""
            fields.append((label, gap, [rest[len(gap) :]]))
        elif (
            fields and fields[-1][0] != "Date"
        ):  # a date is one line; what follows is no part of it
            fields[-1][2].append(line)
        else:
            fields.append(("", " ", [line]))
    made = tuple(Field(label, "\n".join(text), gap) for label, gap, text in fields)
    return Result(number, url, made, blanks)


def _done(text: str) -> Done | None:
    head = _DONE.match(text)
    if head is None:
        return None
    verb: Verb = head[1]  # type: ignore[assignment]
    tail = f" {_WHERE[verb]} memory."
    if not text.endswith(tail):
        return None
    try:
        keys = pyrepr.parse_fields(f"keys={text[head.start(2) : -len(tail)]}")["keys"]
    except ValueError:
        return None
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    return Done(verb, tuple(keys)) if exact.keepable(keys) else None
