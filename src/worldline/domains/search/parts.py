"""Observations in parts, and how an action went: what the measures compare.

* ``awb``: each address, title, snippet and date of numbered results; that it is such a list and
  that its numbers count on are the frame, as are lines that belong to no result.
* ``json``: each value; the keys of its records, in their order, and how it is printed are the
  frame. An engine's own scores and ids are runtime metadata.
* ``react``: sentences of a paragraph, similar titles; the title asked for and the number of a
  lookup's result are state.
* Notes, the keys of a page store, which piece of a page it is and what a refusal repeats are state
  in any dialect: the session put them there.

Running text is compared by sentences, tables and lists by lines.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from worldline import jsonl
from worldline.domains.base import Ledger
from worldline.domains.parts import Kind, Part
from worldline.domains.search import memory
from worldline.domains.search.dialects import nested, numbered, react
from worldline.domains.search.ledger import call_of
from worldline.domains.search.words import words

MAX_DEPTH = 40
"""Levels of a JSON value that are taken apart; what lies deeper is one part."""
_END = re.compile(r"(?<=[.!?]) +|\n")
_START = re.compile(r"\[(\d{1,6})\] (\S{1,4000})")
_STYLE = re.compile(
    r'\s{0,99}[{\[](\s{0,99})(?:[{\[](\s{0,99}))?(?:"[^"\\]{0,99}"(\s{0,9}:\s{0,9}))?'
)
_LABELS = tuple(f"{label}:" for label in numbered.LABELS)
_MISSED = re.compile(rf"{memory.NOT_FOUND}: \['(.{{1,500}})'\]")
_MARK = re.compile(r"\W{0,4}(?:\w{1,20}\W{0,4}:|\d{1,6}\W)")
"""How a line begins that would be a label or a number."""
_FAILS = re.compile(r"\s{0,9}(?:error\b|no passage\b|no results\b|key not found)", re.IGNORECASE)
_ERROR_SEEN = 400
"""Characters at the start that tell a refusal."""


class Unreadable(ValueError):
    """The text begins as a form of the dialect and is none."""


def parts(ledger: Ledger, action: str, observation: str) -> list[Part] | None:
    """The observation in parts; `None` where it begins as JSON or a fixed form and breaks off."""
    made = _parts(ledger.dialect, _asks_memory(ledger.dialect, action), observation)
    return None if made is None else list(made)


def status(ledger: Ledger, action: str, observation: str) -> str | None:
    """``ok``, ``error``, or for the encyclopedia ``missing``: no such page or paragraph."""
    if ledger.dialect == "react":
        body = react.parse_observation(observation).body
        if isinstance(body, react.Missing):
            return "missing"
        if isinstance(body, react.Sentence):
            return "missing" if body.name in ("no_results", "no_more") else "error"
        return "ok"
    text = observation[:_ERROR_SEEN]
    first = text.partition('":"')[2] if text.startswith('{"') and '":"' in text else text
    return "error" if _FAILS.match(first) else "ok"


@lru_cache(maxsize=64)
def _asks_memory(dialect: str, action: str) -> bool:
    call = None if dialect == "react" else call_of(action)
    return call is not None and call.name == memory.NAME


@lru_cache(maxsize=16)
def _parts(dialect: str, notes: bool, text: str) -> tuple[Part, ...] | None:
    """A scorecard looks at one truth several times, so the last few are kept."""
    text = text.rstrip()
    try:
        if dialect == "react":
            return tuple(_react(text))
        if notes:
            return tuple(_notes(text))
        if dialect == "json":
            return tuple(_json(text))
        return tuple(_numbered(text) or sentences(text))
    except Unreadable:
        return None


def sentences(text: str, start: int = 0) -> list[Part]:
    """One part a sentence or a line, whichever is shorter; blank lines left out.

    Args:
        start: where the text begins in its observation; -1: nowhere in one piece.
    """
    found, at = _echoing(text, start), 0
    if found:
        text, start = _after_line(text, start)
    for end, after in [*(match.span() for match in _END.finditer(text)), (len(text), len(text))]:
        piece = text[at:end]
        bare = piece.strip()
        if bare:
            begin = -1 if start < 0 else start + at + len(piece) - len(piece.lstrip())
            kind: Kind = "state" if bare.startswith("[Page ") else "content"
            found.append(Part(bare, kind, "", begin))
        at = after
    return found


def _echoing(text: str, start: int) -> list[Part]:
    """A refusal in the first line and what it repeats of the action; empty if there is none."""
    said = next((one for one in words()["echoes"] if text.startswith(one)), None)
    if said is None:
        return []
    at = -1 if start < 0 else start + len(said)
    echo = text.partition("\n")[0][len(said) :]
    return [Part(said.strip(), "content", "", start), Part(echo, "state", "", at)]


def _after_line(text: str, start: int) -> tuple[str, int]:
    first, _, rest = text.partition("\n")
    return rest, -1 if start < 0 else start + len(first) + 1


# react


def _react(text: str) -> Iterator[Part]:
    match react.parse_observation(text).body:
        case react.Missing(term, similar):
            at = text.index("[") + 1
            yield Part("Could not find. Similar", "frame", "form")
            yield Part(term, "state", "term", at)
            yield from _titles(text, similar, at + len(term))
        case react.Result(number, of, paragraph):
            yield Part("Result", "frame", "form", 1)
            yield Part(str(number), "state", "number", text.index(str(number)))
            yield Part(str(of), "content", "of", text.index("/") + 1)
            yield from sentences(paragraph, len(text) - len(paragraph))
        case react.Page() | react.Sentence():
            if text.startswith(("Could not find [", "(Result ")):
                raise Unreadable
            yield from sentences(text)


def _titles(text: str, titles: Sequence[str], at: int, kind: Kind = "content") -> Iterator[Part]:
    for title in titles:
        found = text.find(title, at)
        at = at if found < 0 else found + len(title)
        yield Part(title, kind, "", found)


# numbered results


def _numbered(text: str) -> list[Part] | None:
    """Parts of numbered results; `None` if the text holds none."""
    found: list[Part] = []
    numbers: list[int] = []
    at, running = 0, False
    for line in text.split("\n"):
        bare = line.strip()
        if bare:
            head = _START.fullmatch(bare)
            if head is not None:
                numbers.append(int(head[1]))
                found.append(Part(head[2], "content", "", line.find(head[2]) + at))
                running = False
            elif bare.startswith(_LABELS):
                found.append(Part(bare, "content", "", at + line.find(bare)))
                running = not bare.startswith("Date")
            else:  # a mark of no result is another form, other words are a surplus
                strange = (
                    not running and _MARK.match(bare) and not bare.startswith(words()["messages"])
                )
                kind: Kind = "frame" if strange else "content"
                found.append(Part(bare, kind, "", at + line.find(bare)))
        at += len(line) + 1
    if not numbers:
        return None
    order = "in order" if _in_order(numbers) else " ".join(map(str, numbers))
    head = [Part("numbered results", "frame", "form"), Part(order, "frame", "numbers")]
    return head + found


def _in_order(numbers: list[int]) -> bool:
    """Whether they count from 1, or from 1 again with a query."""
    steps = zip([0, *numbers], numbers, strict=False)
    return all(number in (1, before + 1) for before, number in steps)


# notes


def _notes(text: str) -> Iterator[Part]:
    body = numbered.parse_observation(text).body
    match body:
        case numbered.Done(verb, keys):
            yield Part(verb, "content", "", text.index(verb))
            yield from _titles(text, keys, text.index("["), "state")
        case nested.Tree() if isinstance(value := nested.plain(body), dict):
            yield Part("pairs", "frame", "form")  # that there are none is said too
            for key, one in value.items():
                yield Part(_shown(one), "state", f"note {key}")
        case _:
            if text[:1] in ("{", "["):
                raise Unreadable
            refused = _MISSED.fullmatch(text)
            if refused is None:
                yield from sentences(text)
            else:
                yield Part(memory.NOT_FOUND, "content", "", 0)
                yield Part(refused[1], "state", "", refused.start(1))


# JSON


def _json(text: str) -> Iterator[Part]:
    value = _loaded(text)
    if value is None:
        yield from sentences(text)
        return
    frames: dict[str, None] = {_style(text): None}
    leaves = list(_leaves(value, "", "", frames, MAX_DEPTH))
    yield from (Part(one, "frame", one) for one in frames)
    yield from leaves


def _loaded(text: str) -> Any:
    """The JSON object or array in a text; `None` where it is no JSON and does not begin as such."""
    if text.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return None
    try:
        return jsonl.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable from None


def _style(text: str) -> str:
    """How JSON is printed, judged by its first line."""
    found = _STYLE.match(text)
    return f"printed {found.groups() if found else ()!r}"


def _leaves(
    value: Any, path: str, name: str, frames: dict[str, None], depth: int
) -> Iterator[Part]:
    """Parts of the values; the keys of records go into `frames`, in order."""
    if isinstance(value, dict | list) and depth <= 0:
        yield Part(json.dumps(value)[:1000])
    elif isinstance(value, dict):
        frames[f"{path}: {' '.join(value)}"] = None
        for key, one in value.items():
            yield from _leaves(one, f"{path}.{key}", key, frames, depth - 1)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one, f"{path}[]", name, frames, depth - 1)
    elif name in words()["runtime"] and value is not None:
        yield Part(f"own {name}={value}", "runtime")
    elif isinstance(value, str):
        yield from _text(value, path, frames, depth)
    else:
        yield Part(json.dumps(value))


def _text(value: str, path: str, frames: dict[str, None], depth: int) -> Iterator[Part]:
    """A string: JSON again, what a page store says, or a text."""
    saved = nested.saved_in(nested.parse(value).body) if "data_storage" in value[:400] else None
    if saved is not None:
        frames[f"{path} saved"] = None
        yield Part(saved.key, "state", "saved")
        yield Part(str(saved.overwrites), "state", "overwrites")
        yield from (Part(key, "state") for key in saved.keys)
    elif value.startswith(('{"', '[{"', "[]", "{}", "[\n", "{\n")):
        inner = _loaded(value)
        frames[f"{path} {_style(value)}"] = None
        yield from _leaves(inner, path, "", frames, depth - 1)
    else:
        yield from sentences(value, -1)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
