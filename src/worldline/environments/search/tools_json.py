"""The tools of the ``json`` dialect: everything is one JSON object a result.

A list of hits is JSON text inside a string of that object, as such tools print it.
"""

import json
import re
from typing import Any

from worldline.domains.search.dialects import nested
from worldline.environments.search import extracting
from worldline.environments.search.engine import Engine, Hit
from worldline.environments.search.extracting import ToolError
from worldline.environments.search.fields import day_of
from worldline.environments.search.tools_awb import extract, readable

SHOWN = 3_000
"""Characters ``read_stored_page`` shows if not told otherwise."""
MOST = 20_000
LATEST = 99_999_999
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def wrapped(key: str, text: str) -> str:
    """A text as a tool's only result."""
    return json.dumps({key: text}, ensure_ascii=False, separators=(",", ":"))


def search(engine: Engine, arguments: dict[str, Any]) -> str:
    """``web_search``: hits as JSON text in ``results``."""
    asked = readable(arguments["search_query"])
    first, last = (_day(arguments, name) for name in ("start_date", "end_date"))
    days = None if first is last is None else (first or 1, last or LATEST)
    hits = engine.search(asked, arguments.get("number_of_results", 10), days)
    return wrapped("results", json.dumps([_record(hit) for hit in hits], ensure_ascii=False))


def _record(hit: Hit) -> dict[str, Any]:
    found = hit.document
    return {
        "url": found.url,
        "title": found.title,
        "content": hit.snippet,
        "date": found.date or None,
        "score": round(hit.score, 4),
    }


def _day(arguments: dict[str, Any], name: str) -> int | None:
    given = arguments.get(name)
    if given is None:
        return None
    if not _DAY.fullmatch(given):
        raise ToolError(f"Error: {name} must be YYYY-MM-DD, got {given[:80]!r}")
    return day_of(given)


def browse(engine: Engine, arguments: dict[str, Any], chars: int) -> str:
    """``browse``: a page, or a part of it, in ``page_content``."""
    return wrapped("page_content", extract(engine, arguments, chars))


class Storage:
    """The data storage of one session: pages as plain text by key, the oldest first, and the
    addresses they came from."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.urls: dict[str, str] = {}

    def save(self, engine: Engine, arguments: dict[str, Any]) -> str:
        """``parse_html_page``: store a page; tells all keys."""
        key = arguments["key"]
        found = extracting.fetched(engine, arguments["url"])
        overwrites = key in self.pages
        self.pages[key], self.urls[key] = found.text, found.url
        saved = nested.Saved(key, tuple(self.pages), overwrites)
        return wrapped("results", nested.render_body(saved))

    def read(self, arguments: dict[str, Any]) -> str:
        """``read_stored_page``: characters ``[start, end)`` of a stored page."""
        key, start = arguments["key"], arguments.get("start", 0)
        end = arguments.get("end", start + SHOWN)
        if key not in self.pages:
            there = ", ".join(self.pages) or "none"
            raise ToolError(f"Error: no page is stored under {key[:80]!r}; stored: {there}")
        text = self.pages[key]
        if start >= min(end, len(text)):
            raise ToolError(f"Error: no characters from {start} to {end}: it has {len(text)}")
        if end - start > MOST:
            raise ToolError(f"Error: {end - start} characters at once; at most {MOST} are allowed")
        return wrapped("results", text[start:end])
