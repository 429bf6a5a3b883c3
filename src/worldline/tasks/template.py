"""Templates in reference actions: ``{{N:PATTERN}}`` is what turn N's observation showed.

    grep -c TODO {{2:(\\S+\\.py)}}

N counts turns from 1; 0 is what the agent saw first. The value is the first group (or all) of the
RE2 pattern's first match. Braces in a pattern must pair up, unless escaped or in ``[...]``.

Inside a string of JSON in an action (a tool call), pattern and value are text of that string: the
pattern is read as the string says it, the value is escaped.
"""

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from worldline import jsonl
from worldline.errors import DataError
from worldline.tasks.patterns import compiled, group, plain

_START = r"\{\{(\d{1,4}):"


class Template(NamedTuple):
    """One template: where it stands in the action, and whether in a string of JSON."""

    turn: int
    pattern: str
    start: int
    end: int
    quoted: bool = False


class NoMatch(Exception):
    """A template finds nothing in the observation that it names."""


@lru_cache(maxsize=256)
def templates(action: str) -> tuple[Template, ...]:
    """The templates of an action, in order.

    Raises:
        DataError: one does not end, or its pattern is no RE2 pattern.
    """
    spans = tuple(_json_spans(action)) if "{{" in action else ()
    found: list[Template] = []
    at = 0
    while at >= 0:
        one = _next(action, at, spans)
        if one is None:
            break
        found.append(one)
        at = one.end
    return tuple(found)


def fill(action: str, find: Callable[[Template], str]) -> str:
    """The action with each template replaced by what `find` gives for it."""
    parts: list[str] = []
    at = 0
    for one in templates(action):
        value = find(one)
        parts += (action[at : one.start], _in_string(value) if one.quoted else value)
        at = one.end
    return "".join((*parts, action[at:]))


def filled(action: str, observation: Callable[[int], str | None]) -> str:
    """The action with its templates filled from observations.

    Args:
        observation: what turn N showed; `None` if it showed nothing.

    Raises:
        NoMatch: a pattern finds nothing; says which and where.
    """

    def find(one: Template) -> str:
        text = observation(one.turn)
        value = None if text is None else group(one.pattern, text)
        if value is None:
            what = "had no observation" if text is None else "does not show it"
            raise NoMatch(f"{{{{{one.turn}:{one.pattern}}}}}: turn {one.turn} {what}")
        return value

    return fill(action, find)


def emptied(action: str) -> str:
    """The action with nothing in place of its templates: what an agent does that sees nothing."""
    return fill(action, lambda _: "")


def _next(action: str, at: int, spans: tuple[tuple[int, int], ...]) -> Template | None:
    begins = compiled(_START).search(plain(action), at)
    if begins is None:
        return None
    start, inside = begins.span()
    quoted = any(a < start < b for a, b in spans)
    end = _closing(action, inside, "\\\\" if quoted else "\\")
    pattern = None if end is None else _pattern(action[inside : end - 2], quoted)
    if end is None or pattern is None:
        raise DataError(
            f"the template {action[start : start + 40]!r} does not end",
            remedy="Write {{N:PATTERN}}, braces in the pattern in pairs or escaped.",
        )
    compiled(pattern)
    return Template(int(begins.group(1)), pattern, start, end, quoted)


def _pattern(text: str, quoted: bool) -> str | None:
    """The pattern as written; `None` where the string of JSON ends inside it."""
    if not quoted:
        return text
    try:
        return str(jsonl.loads(f'"{text}"'))
    except ValueError:
        return None


def _closing(action: str, at: int, escape: str) -> int | None:
    """Behind the ``}}`` that ends a template whose pattern begins at `at`."""
    depth, inside_class, i = 0, False, at
    while i < len(action):
        char = action[i]
        if action.startswith(escape, i):
            i += len(escape)
        elif inside_class:
            inside_class = char != "]"
        elif char == "[":
            inside_class = True
            i += action.startswith("^", i + 1)
            i += action.startswith("]", i + 1)
        elif char == "{":
            depth += 1
        elif char == "}" and depth:
            depth -= 1
        elif action.startswith("}}", i):
            return i + 2
        i += 1
    return None


def _json_spans(action: str) -> Iterator[tuple[int, int]]:
    """Where objects and arrays of JSON stand in an action: its whole text, or parts of it."""
    at = 0
    decoder = json.JSONDecoder()
    while True:
        starts = [i for i in (action.find("{", at), action.find("[", at)) if i >= 0]
        if not starts:
            return
        at = min(starts)
        try:
            end = decoder.raw_decode(action, at)[1]
        except (ValueError, RecursionError):
            at += 1
            continue
        yield at, end
        at = end


def _in_string(value: str) -> str:
    return jsonl.dumps(value).decode()[1:-1]
