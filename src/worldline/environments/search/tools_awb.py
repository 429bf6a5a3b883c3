"""The tools of the ``awb`` dialect: numbered results and Markdown pages."""

from typing import Any

from worldline.domains.search.dialects import numbered
from worldline.environments.search import extracting, queries
from worldline.environments.search.engine import Engine, Hit
from worldline.environments.search.extracting import ToolError

PER_QUERY = 10
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def search(engine: Engine, arguments: dict[str, Any]) -> str:
    """``web_search``: ten results a query, one query after the other."""
    query, batch = arguments.get("query"), arguments.get("queries")
    if query is not None and batch is not None:
        raise ToolError("Error: give query or queries, not both")
    if query is None and batch is None:
        raise ToolError("Error: query is missing")
    if query is not None:
        return _results(engine, query)
    return "\n\n".join(_told(engine, one) for one in batch or ())


def _told(engine: Engine, query: str) -> str:
    """The results of one query of a batch, or why it has none: the others go on."""
    try:
        return _results(engine, query)
    except ToolError as refused:
        return str(refused)


def _results(engine: Engine, query: str) -> str:
    hits = engine.search(readable(query), PER_QUERY)
    if not hits:
        return f"No results found for: {' '.join(query.split())}"
    found = tuple(_result(number, hit) for number, hit in enumerate(hits, 1))
    return numbered.render_observation(numbered.Observation(numbered.Results(found)))[:-1]


def readable(query: str) -> queries.Asked:
    """A query read.

    Raises:
        ToolError: it is empty or too long.
    """
    if not query.strip():
        raise ToolError("Error: the query is empty")
    if len(query) > queries.MAX_QUERY:
        raise ToolError(
            f"Error: the query has {len(query)} characters; at most {queries.MAX_QUERY} are allowed"
        )
    return queries.asked(query)


def _result(number: int, hit: Hit) -> numbered.Result:
    found = hit.document
    lines = (found.title, hit.snippet, date(found.date))
    fields = tuple(map(numbered.Field, numbered.LABELS, lines))
    return numbered.Result(number, found.url, fields, blanks=1)


def date(day: str) -> str:
    """``2023-01-05`` as results show it: ``Jan 5, 2023``."""
    if not day:
        return "N/A"
    year, month, number = day.split("-")
    return f"{_MONTHS[int(month) - 1]} {int(number)}, {year}"


def extract(engine: Engine, arguments: dict[str, Any], chars: int) -> str:
    """``web_extractor``: a page, or a part of it, as Markdown."""
    return extracting.extracted(
        extracting.fetched(engine, arguments["url"]),
        chars,
        arguments.get("section"),
        arguments.get("goal"),
        arguments.get("page", 1),
    )
