"""Whether a parse says what a text is made of, or only keeps the text.

A parse is dumped to JSON and its strings are looked at. A string that holds more than a fifth of
the source is *large*. It may only be **leaf text**, which the parser could not cut further: what a
file holds, what a program printed on a line, a paragraph, a snippet. The fields that hold such text
are declared by dialect in ``leaves.toml``, each with what it is. And whatever is declared, a large
string is no leaf when

* the source is JSON and the string is not (a part of) one of its string values,
* the source is a state, a tree of nodes, and the string is no text of a single node or has several
  lines,
* it still holds the envelope that the source begins with,
* most of its lines are rows of one table.

The last two do not hold for text that is declared ``foreign:``: a program's output or a server's
answer may be a table or an envelope of its own, which the dialect knows nothing of.

Sources under 200 characters are not looked at: there a fifth is a few words.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from worldline import jsonl
from worldline.trees import Node, Tree

SHARE = 0.2
SHORT = 200
"""Characters under which a source is not looked at."""
FOREIGN = "foreign:"
ROWS = 8
"""Lines from which on equal lines are a table."""
_ENVELOPE = re.compile(
    r"\s*(?:(?P<tag><[A-Za-z_][\w.:-]*>)|(?P<field>[A-Za-z_]\w*=[\w\[{'\"])|(?P<bold>\*\*[^*\n]+\*\*)"
    r"|(?P<head>\[[A-Z][^\]\n]*\]\n)|(?P<title>[A-Z][A-Za-z ]{2,40}:\n))"
)
_TAG = re.compile(r"[a-z_]{1,20}")
_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")


class Large(NamedTuple):
    """A string of a parse that holds a large part of the source."""

    path: str
    text: str
    share: float


def large(source: str, dumped: Any) -> list[Large]:
    """The strings of a dump that hold over a fifth of the source."""
    if len(source) < SHORT:
        return []
    limit = SHARE * len(source)
    return [
        Large(path, text, len(text) / len(source))
        for path, text in strings(dumped)
        if len(text) > limit
    ]


def strings(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a JSON value with its path: ``parts[view].lines[].text``.

    Keys are strings too. A tagged struct's tag stands in the brackets.
    """
    todo: list[tuple[str, Any]] = [(path, value)]
    while todo:
        at, one = todo.pop()
        if isinstance(one, str):
            yield at, one
        elif isinstance(one, dict):
            tag = one.get("type")
            mark = f"{at}<{tag}>" if isinstance(tag, str) and _TAG.fullmatch(tag) else at
            for key, inner in one.items():
                yield f"{mark}.(key)", key
                todo.append((f"{mark}.{key}".lstrip("."), inner))
        elif isinstance(one, list):
            todo += [(f"{at}[]", inner) for inner in one]


@cache
def declared() -> dict[str, dict[str, str]]:
    """``domain/dialect`` -> pattern of a path -> what text it is."""
    return tomllib.loads(Path(__file__).with_name("leaves.toml").read_text("utf-8"))


def leaf(name: str, path: str) -> str | None:
    """What text ``domain/dialect`` declares the field to be, if it is declared."""
    for pattern, what in declared().get(name, {}).items():
        if fnmatchcase(path, pattern.replace("[]", "[[]]")):
            return what
    return None


def opaque(source: str, one: Large, what: str | None, state: Tree | None) -> str | None:
    """Why a large string is no leaf text; `None` if it is.

    Args:
        what: as it is declared.
        state: the source as a tree of nodes, if it is one.
    """
    if what is None:
        return "is not declared as leaf text"
    values = json_strings(source)
    if values is not None:
        return None if any(one.text in value for value in values) else "json kept as text"
    if state is not None:
        if "\n" in one.text:
            return "holds several lines of a state"
        if not any(one.text in value for node in state.nodes for value in _texts(node)):
            return "holds more than one node of a state"
    if what.startswith(FOREIGN):
        return None
    head = _ENVELOPE.match(source)
    if head and one.text.startswith(head[0]):
        return f"holds the envelope {head[0].strip()[:30]!r}"
    return _table(one.text)


@lru_cache(16)
def json_strings(source: str) -> tuple[str, ...] | None:
    """The string values of a JSON object or array; `None` if the text is no such JSON."""
    if source.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = jsonl.loads(source)
    except (ValueError, RecursionError):
        return None
    return tuple(text for _, text in strings(value)) if isinstance(value, dict | list) else None


def _texts(node: Node) -> Iterator[str]:
    yield from (node.kind, node.ref or "")
    yield from (value for _, value in node.attrs if isinstance(value, str))


def _table(text: str) -> str | None:
    """Whether most lines have tabs, or one mark, at the same places."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < ROWS:
        return None
    for name, shape in (("tabs", _tabs), ("marks", _marks)):
        found, times = Counter(map(shape, lines)).most_common(1)[0]
        if found and times >= 0.8 * len(lines):
            return f"{times} of {len(lines)} lines are rows ({name}: {found!r})"
    return None


def _tabs(line: str) -> int:
    """Tabs between cells; indentation is none."""
    return line.strip("\t").count("\t")


def _marks(line: str) -> str:
    """What stands before the first word, numbers as ``0``: ``[0]``, ``0.``, ``0:``."""
    word = _WORD.search(line)
    mark = _DIGITS.sub("0", line[: word.start()] if word else line).strip()
    return mark[:12] if "0" in mark and len(mark) > 1 else ""
