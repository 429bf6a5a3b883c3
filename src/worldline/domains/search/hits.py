"""Search hits in a result, whatever the tool calls their fields."""

from collections.abc import Iterator
from typing import Any

import msgspec

from worldline.domains.search.dialects import nested, numbered

MAX_HITS = 200
MAX_DEPTH = 6
SNIPPET = 400
_URLS = ("url", "link", "filingUrl", "filing_url", "href")
_TITLES = ("title", "name")
_SNIPPETS = ("snippet", "content", "description", "text", "summary")
_DATES = ("date", "filedAt", "filing_date", "published", "published_date")


class Hit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One result of a search. A field the tool does not give is empty."""

    url: str
    title: str = ""
    snippet: str = ""
    date: str = ""
    more: str = ""
    """What a record without a title says of itself."""


def hits(body: Any) -> list[Hit]:
    """The hits in a parsed observation of either tool dialect, in order."""
    if isinstance(body, numbered.Results):
        return [_numbered(one) for one in body.results[:MAX_HITS]]
    if isinstance(body, nested.Tree):
        return [_hit(one) for one in _records(nested.plain(body))][:MAX_HITS]
    return []


def records(body: Any) -> list[dict[str, Any]]:
    """The hits of a JSON observation with all their fields."""
    return list(_records(nested.plain(body))) if isinstance(body, nested.Tree) else []


def _numbered(result: numbered.Result) -> Hit:
    return Hit(
        result.url,
        result.get("Title") or "",
        (result.get("Snippet") or "")[:SNIPPET],
        result.get("Date") or "",
    )


def _records(value: Any) -> Iterator[dict[str, Any]]:
    """Objects with an address in lists of the value: outermost lists first, none inside a hit."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for one in level:
            if isinstance(one, list):
                found = [item for item in one if isinstance(item, dict) and _url(item)]
                yield from found
                below += [item for item in one if isinstance(item, dict | list) and not _url(item)]
            elif isinstance(one, dict):
                below += [item for item in one.values() if isinstance(item, dict | list)]
        level = below


def _url(record: Any) -> str:
    found = _first(record, _URLS) if isinstance(record, dict) else ""
    return found if "://" in found else ""


def _hit(record: dict[str, Any]) -> Hit:
    title, snippet = _first(record, _TITLES), _first(record, _SNIPPETS)
    more = "" if title else ", ".join(_said(record))[:SNIPPET]
    return Hit(_url(record), title, snippet[:SNIPPET], _first(record, _DATES), more)


def _said(record: dict[str, Any]) -> Iterator[str]:
    for name, value in record.items():
        if isinstance(value, str | int) and name not in _URLS and value != "":
            yield f"{name} {value}"


def _first(record: dict[str, Any], names: tuple[str, ...]) -> str:
    return next((record[n] for n in names if isinstance(record.get(n), str) and record[n]), "")
