"""Pages that a session has read: which of them whole, and what can stand on them."""

import re
from functools import lru_cache
from typing import NamedTuple

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import call_key
from worldline.domains.search import lookups
from worldline.domains.search.ledger import body_of, page_text
from worldline.facts import Fact

READERS = ("web_extractor", "browse")
"""Tools that show a page; with an address alone, from its beginning."""
LEAST_SHARE = 0.5
"""Of the words of a piece that stand on its page: engines leave out marks and put labels in."""
FEW = 6
"""Words of a piece that are too few to tell by their share."""
_MORE = re.compile(r"\[Page (\d{1,6}) of (\d{1,6})[^\]\n]{0,80}\]\s{0,9}$")
_REFUSED = re.compile(r"\s{0,9}(?:Error:|No passage of this page)")
_GONE = re.compile(r"\s{0,9}Error: (?:404 Not Found|could not resolve host)")
_DATED = re.compile(r"^[A-Z][a-z]{2} \d{1,2}, \d{4} \W{1,4}")
"""The day of a page that some engines put before its snippet."""
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


class Page(NamedTuple):
    """The text of a page and the fact it is known from."""

    text: str
    fact: Fact


def whole(ledger: Ledger, url: str) -> Page | None:
    """A page that was shown, or given, from its first line to its last."""
    given = ledger.get("page", url)
    if given is not None and lookups.whole(given):
        return Page(given.value, given)
    for name in READERS:
        row = ledger.get("row", call_key(name, {"url": url}))
        if row is not None and row.complete:
            text = shown(ledger.dialect, row.value)
            if text and not refused(text) and not more(text):
                return Page(text, row)
    return None


@lru_cache(maxsize=64)
def shown(dialect: str, observation: str) -> str:
    """The text of the page in an observation; empty when it is something else."""
    return page_text(body_of(dialect, observation))


def refused(text: str) -> bool:
    """Whether a tool says in place of a page why there is none."""
    return _REFUSED.match(text) is not None


def gone(text: str) -> bool:
    """Whether a tool says that there is no such page."""
    return _GONE.match(text) is not None


def more(text: str) -> bool:
    """Whether a text says that it is a piece of a longer page."""
    return _MORE.search(text[-200:]) is not None


def stray_line(piece: str, page: str) -> str | None:
    """A line of a piece that does not stand on the page it was taken from."""
    there = _lines(page)
    for line in piece.split("\n"):
        bare = line.strip()
        if bare and bare not in there and not _MORE.match(bare):
            return bare
    return None


def stray_words(piece: str, page: str) -> str | None:
    """A number of a piece that is nowhere on its page, or the whole of a piece of other words."""
    piece = _DATED.sub("", piece, count=1)
    words = [one.lower() for one in _WORD.findall(piece)]
    there = _words(page)
    numbers = [one for one in _NUMBER.findall(piece) if one not in there]
    if numbers:
        return numbers[0]
    strange = sum(one not in there for one in words)
    return piece if len(words) >= FEW and strange > len(words) * (1 - LEAST_SHARE) else None


@lru_cache(maxsize=64)
def _lines(page: str) -> frozenset[str]:
    return frozenset(line.strip() for line in page.split("\n"))


@lru_cache(maxsize=64)
def _words(page: str) -> frozenset[str]:
    return frozenset((*_NUMBER.findall(page), *(one.lower() for one in _WORD.findall(page))))
