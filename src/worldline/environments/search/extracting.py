"""``web_extractor``: a page as Markdown, whole or in part, a bounded piece at a time.

An address is looked up among the documents and never opened. What cannot be had is told in the
words of such a tool: no host, no page, no section, no further piece.
"""

import math
import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from worldline.environments.search import queries
from worldline.environments.search.engine import Engine
from worldline.environments.search.queries import stop_words
from worldline.environments.search.reading import Document, flat

MAX_URL = 2_000
LISTED = 25
"""Sections that are named when another one was asked for."""
_HEADING = re.compile(r"(#{1,6}) (.{1,300})")
_LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")


class ToolError(Exception):
    """The tool's own refusal; its text is the observation."""


class Section(NamedTuple):
    """A heading and where its text stands, as lines ``[start, end)`` of the page."""

    name: str
    level: int
    start: int
    end: int


def fetched(engine: Engine, url: str) -> Document:
    """The document at an address.

    Raises:
        ToolError: there is none.
    """
    where = normal(url)
    found = engine.find(where)
    if found is not None:
        return found
    host = where.partition("://")[2].partition("/")[0]
    if not engine.knows(host):
        raise ToolError(f"Error: could not resolve host: {host}")
    raise ToolError(f"Error: 404 Not Found: {flat(url)}")


def normal(url: str) -> str:
    """An address as documents have it.

    Raises:
        ToolError: it is none, or not of the web.
    """
    shown = flat(url)[:200]
    try:
        parts = urlsplit(url.strip())
        host = parts.hostname
    except ValueError:
        raise ToolError(f"Error: invalid URL: {shown!r}") from None
    if len(url) > MAX_URL:
        raise ToolError(f"Error: the URL has {len(url)} characters; {MAX_URL} at most")
    if parts.scheme.lower() not in ("http", "https", ""):
        raise ToolError(f"Error: unsupported URL scheme {parts.scheme.lower()!r}: use https")
    if not parts.scheme or not host or any(one.isspace() for one in host):
        raise ToolError(f"Error: invalid URL: {shown!r}")
    path = quote(unquote(parts.path or "/"), safe="/", errors="replace")
    return f"https://{host}{path}" + (f"?{parts.query}" if parts.query else "")


def extracted(
    document: Document,
    chars: int,
    section: str | None = None,
    goal: str | None = None,
    page: int = 1,
) -> str:
    """What the tool shows of a page.

    Args:
        chars: of one piece.
        section: a heading; its text alone.
        goal: what the reader is after; only the passages that fit it best.
        page: which piece, from 1.

    Raises:
        ToolError: there is no such section or piece, or nothing fits the goal.
    """
    text = document.page if section is None else _section(document.page, section)
    if goal is not None:
        text = _passages(text, goal, chars)
    pieces = _pieces(text, chars)
    if not 1 <= page <= len(pieces):
        raise ToolError(f"Error: there is no page {page}: the text has {_pages(len(pieces))}")
    if len(pieces) == 1:
        return pieces[0]
    more = f'; "page": {page + 1} shows more' if page < len(pieces) else ""
    return f"{pieces[page - 1]}\n\n[Page {page} of {len(pieces)}{more}]"


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count} pages"


# sections


@lru_cache(maxsize=64)
def sections(page: str) -> tuple[Section, ...]:
    """The headings of a page, in order; what stands in a fence is none."""
    found: list[Section] = []
    open_: list[tuple[str, int, int]] = []
    lines, fenced = page.split("\n"), False

    def end(level: int, at: int) -> None:
        while open_ and open_[-1][1] >= level:
            name, deep, start = open_.pop()
            found.append(Section(name, deep, start, at))

    for at, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        heading = None if fenced else _HEADING.fullmatch(line[:310])
        if heading is not None:
            level = len(heading[1])
            end(level, at)
            open_.append((plain(heading[2]), level, at))
    end(0, len(lines))
    return tuple(sorted(found, key=lambda one: one.start))


def plain(text: str) -> str:
    """Markdown of one line without its marks and links."""
    return flat(_LINK.sub(r"\1", text[:400]).replace("*", "").replace("`", ""))


def _section(page: str, wanted: str) -> str:
    there = sections(page)
    key = flat(wanted).casefold().lstrip("# ")
    for fits in (str.__eq__, str.startswith, str.__contains__):
        for one in there:
            if key and fits(one.name.casefold(), key):
                return "\n".join(page.split("\n")[one.start : one.end]).strip()
    names = list(dict.fromkeys(one.name for one in there))
    more = f"; and {len(names) - LISTED} more" if len(names) > LISTED else ""
    listed = f" Sections: {'; '.join(names[:LISTED])}{more}" if names else ""
    raise ToolError(f"Error: no section {flat(wanted)[:120]!r} on this page.{listed}")


# passages


def _passages(text: str, goal: str, chars: int) -> str:
    blocks = _blocks(text)
    scores = _scores(blocks, goal)
    ranked = sorted((-score, at) for at, score in enumerate(scores) if score > 0)
    if not ranked:
        raise ToolError(f"No passage of this page fits the goal: {flat(goal)[:300]}")
    kept: list[int] = []
    room = chars
    for _, at in ranked:
        if kept and len(blocks[at]) > room:
            break
        kept.append(at)
        room -= len(blocks[at]) + 2
    return "\n\n".join(_with_headings(blocks, sorted(kept)))


def _with_headings(blocks: list[str], kept: list[int]) -> list[str]:
    """The kept blocks, each first one of a section below its heading."""
    shown, last = [], ""
    for at in kept:
        heading = next((blocks[i] for i in range(at, -1, -1) if blocks[i].startswith("#")), "")
        if heading and heading != last and heading != blocks[at]:
            shown.append(heading)
        shown.append(blocks[at])
        last = heading
    return shown


def _scores(blocks: list[str], goal: str) -> list[float]:
    """How much of the goal each block holds; rare words count more, headings nothing."""
    stems = queries.stemmer()
    wanted = set(stems(" ".join(one for one in queries.words_of(goal) if one not in stop_words())))
    held = [wanted & set(stems(one)) if not one.startswith("#") else set() for one in blocks]
    weight = {
        word: math.log(1 + len(blocks) / n)
        for word in wanted
        if (n := sum(word in one for one in held))
    }
    return [round(sum(weight[word] for word in sorted(one)), 6) for one in held]


# pieces


def _blocks(text: str) -> list[str]:
    """Paragraphs, a fenced block being one."""
    blocks: list[list[str]] = [[]]
    fenced = False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        if line or fenced:
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(one) for one in blocks if one]


@lru_cache(maxsize=64)
def _pieces(text: str, chars: int) -> tuple[str, ...]:
    """The text cut between blocks into pieces of at most `chars`; a longer block is cut at lines,
    a longer line anywhere."""
    pieces: list[str] = []
    for part, glue in _parts(text, chars):
        if pieces and len(pieces[-1]) + len(glue) + len(part) <= chars:
            pieces[-1] += glue + part
        else:
            pieces.append(part)
    return tuple(pieces) or ("",)


def _parts(text: str, chars: int) -> list[tuple[str, str]]:
    """What may not be cut, each with what joins it to the part before."""
    parts: list[tuple[str, str]] = []
    for block in _blocks(text):
        if len(block) <= chars:
            parts.append((block, "\n\n"))
            continue
        for number, line in enumerate(block.split("\n")):
            glue = "\n" if number else "\n\n"
            cuts = range(0, max(len(line), 1), chars)
            parts += [(line[at : at + chars], "" if at else glue) for at in cuts]
    return parts
