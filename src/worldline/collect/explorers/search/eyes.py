"""What an explorer makes of an observation: hits, links, headings, words worth looking up."""

import random
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from worldline.domains.search.dialects import nested, numbered, react
from worldline.domains.search.hits import Hit, hits
from worldline.environments.search.extracting import sections
from worldline.environments.search.queries import stop_words

READ = 20_000
"""Characters of an observation that are looked at."""
_LINK = re.compile(r"\[([^\[\]\n]{1,80})\]\((https?://[^\s()]{1,300})\)")
_NAME = re.compile(r"\b[A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20}| \d{1,4}\b){1,2}")
_WORD = re.compile(r"[^\W\d_][\w.+-]{3,30}")
_MORE = re.compile(r'"page": (\d+) shows more')
_REFUSALS = ("Error: ", "No results found for", "No passage of this page", "[]")
_FACT = re.compile(r"(?m)^\| ([^|\n]{1,60}) \| ([^|\n]{1,120}) \|$")


class Seen(NamedTuple):
    """An observation, taken apart.

    Args:
        text: of a page or a message. `more`: the number of its next piece.
        facts: (label, value) of tables.
    """

    hits: tuple[Hit, ...] = ()
    text: str = ""
    links: tuple[tuple[str, str], ...] = ()
    headings: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    more: int = 0
    error: bool = False


def seen(dialect: str, observation: str | None) -> Seen:
    """Look at an observation."""
    text = (observation or "")[:READ]
    if dialect == "react":
        return _seen_wiki(text)
    body: Any = nested.parse(text).body if dialect == "json" else _numbered(text)
    found = hits(body)
    if found:
        return Seen(hits=tuple(found))
    return _seen_page(_only_text(body) if dialect == "json" else text)


def _numbered(text: str) -> Any:
    return numbered.parse_observation(text).body


def _only_text(body: Any) -> str:
    value = nested.plain(body)
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else ""


def _seen_page(text: str) -> Seen:
    more = _MORE.search(text, max(0, len(text) - 200))
    headings = dict.fromkeys(one.name for one in sections(text) if one.name)
    return Seen(
        text=text,
        links=tuple((found[1], found[2]) for found in _LINK.finditer(text)),
        headings=tuple(headings),
        facts=tuple((found[1], _unlinked(found[2])) for found in _FACT.finditer(text)),
        more=int(more[1]) if more else 0,
        error=text.startswith(_REFUSALS),
    )


def _unlinked(value: str) -> str:
    link = _LINK.fullmatch(value)
    return link[1] if link else value


def _seen_wiki(text: str) -> Seen:
    match react.parse_observation(text).body:
        case react.Missing(_, similar):
            return Seen(similar=similar, error=True)
        case react.Result(_, _, shown):
            return Seen(text=shown)
        case react.Sentence():
            return Seen(error=True)
        case react.Page(shown):
            return Seen(text=shown)


@cache
def _dull() -> frozenset[str]:
    listed = files("worldline.collect.explorers.search").joinpath("dull.txt").read_text("utf-8")
    return stop_words() | frozenset(listed.split())


def words(text: str) -> list[str]:
    """Words that may be worth a search, each once, in order."""
    found = (one.rstrip(".+-") for one in _WORD.findall(_LINK.sub(r"\1", text)))
    return list(dict.fromkeys(w for w in found if len(w) > 3 and w.lower() not in _dull()))


def names(text: str) -> list[str]:
    """Names of several words, as ``Heron Velmor 41``."""
    found = _NAME.findall(_LINK.sub(r"\1", text))
    return list(dict.fromkeys(one for one in found if len(one) > 6))


def sentences(text: str) -> list[str]:
    """Sentences a note may keep."""
    plain = _LINK.sub(r"\1", text).partition("\n\n[Page ")[0]
    found = (" ".join(one.split()) for one in re.split(r"(?<=[.!?])\s|\n\n|\n#+ ", plain))
    return [one for one in found if 25 < len(one) < 260]


def telling(found: Iterable[str], rng: random.Random, most: int) -> list[str]:
    """Some of the words, longer ones sooner."""
    pool = list(found)
    picked: list[str] = []
    while pool and len(picked) < most:
        one = rng.choices(pool, [min(len(word), 12) for word in pool])[0]
        pool.remove(one)
        picked.append(one)
    return picked


def phrase(text: str, rng: random.Random) -> str:
    """Two to four words that stand together in a text."""
    plain: Sequence[str] = re.findall(r"\w+", _LINK.sub(r"\1", text))
    if len(plain) < 4:
        return " ".join(plain)
    size = rng.randint(2, 4)
    at = rng.randrange(len(plain) - size + 1)
    return " ".join(plain[at : at + size])
