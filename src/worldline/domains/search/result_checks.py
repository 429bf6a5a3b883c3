"""What results cannot be: their numbers, addresses and dates, limits, what was shown before."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import Call, call_key
from worldline.domains.search import ranking
from worldline.domains.search.dialects import nested, numbered
from worldline.domains.search.hits import Hit
from worldline.domains.search.verdicts import Places, breach, cut, still
from worldline.prediction import Violation

PER_QUERY = 10
NOTHING = "No results found for: "
MESSAGES = (NOTHING, "Error: ")
"""How a line begins that stands in place of a query's results."""
_SITE = re.compile(r'(?<!\S)site:(?:https?://)?([^\s/"]{1,253})', re.IGNORECASE)
_WORD = re.compile(r"\w+")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def violations(
    ledger: Ledger, call: Call, body: Any, found: list[Hit], observation: str
) -> Iterator[Violation]:
    """The breaches of one observation.

    Args:
        body: the parsed observation.
        found: its hits.
    """
    where = Places(observation)
    if isinstance(body, numbered.Results):
        yield from _numbers(body, len(asked(call)))
        yield from _lines(ledger, body, where)
    yield from _counts(ledger, call, body, found, where)
    yield from _as_shown(ledger, found, where)
    yield from _twice(ledger, call, found, where)
    yield from _filters(ledger, call, found, where)
    if found or isinstance(body, nested.Tree) or observation.startswith(NOTHING):
        yield from _ranks(ledger, call, found)  # a refusal is no list


def asked(call: Call) -> list[str]:
    """The queries of a call, in order."""
    several = call.arguments.get("queries")
    if isinstance(several, list) and several:
        return [str(one) for one in several]
    named = (call.arguments.get(name) for name in ("query", "search_query"))
    return [next((one for one in named if isinstance(one, str)), "")]


def _numbers(body: numbered.Results, queries: int) -> Iterator[Violation]:
    """They count from 1; a batch may start again with each query."""
    expected, starts = 1, 1
    for one in body.results:
        if one.number == 1 and expected > 1:
            expected, starts = 1, starts + 1
        if one.number != expected:
            message = f"result [{one.number}] where [{expected}] comes next"
            yield breach("result_number", message)
            return
        expected += 1
    if starts > queries:
        yield breach("result_number", f"{starts} lists of results for {queries} queries")


def _lines(ledger: Ledger, body: numbered.Results, where: Places) -> Iterator[Violation]:
    """Each has its title, snippet and date, and nothing stands between."""
    severe = still(ledger)
    stray = list(body.head)
    for one in body.results:
        labels = [field.label for field in one.fields if field.label]
        if labels != list(numbered.LABELS):
            message = f"result [{one.number}] has the lines {', '.join(labels) or 'none'}"
            span = where(one.url)
            yield breach("result_form", message, severe=severe, span=span)
            return
        stray += [line for f in one.fields if not f.label for line in f.text.split("\n")]
        day = one.get("Date") or ""
        if day != "N/A" and not _is_date(day):
            span = where(f"Date: {day}")
            yield breach("result_date", f"no date: {cut(day)}", severe=severe, span=span)
    for line in stray:
        if not line.strip() or line.startswith(MESSAGES):
            continue
        span = where(line)
        yield breach("result_form", f"belongs to no result: {cut(line)}", severe=severe, span=span)


def _is_date(text: str) -> bool:
    try:
        return bool(datetime.strptime(text, "%b %d, %Y"))
    except ValueError:
        return False


def _counts(
    ledger: Ledger, call: Call, body: Any, found: list[Hit], where: Places
) -> Iterator[Violation]:
    """As many lists as queries, and in each no more results than were asked for."""
    queries, severe = asked(call), still(ledger)
    if isinstance(body, numbered.Results):
        lists = sum(one.number == 1 for one in body.results)
        refusals = sum(line.startswith(MESSAGES) for line in where.observation.split("\n"))
        # a single list may count on through the whole batch
        if lists + refusals != len(queries) and (lists > 1 or len(queries) == 1):
            message = f"{lists + refusals} answers to {len(queries)} queries"
            yield breach("batch_count", message, severe=severe)
    limit = ranking.limit_of(call)
    is_numbered = isinstance(body, numbered.Results)
    most = limit if limit is not None else PER_QUERY * len(queries) if is_numbered else None
    if most is not None and len(found) > most:
        message = f"{len(found)} results, {most} were asked for"
        yield breach("too_many_results", message, severe=severe)
    for line in where.observation.split("\n"):
        said = line[len(NOTHING) :] if line.startswith(NOTHING) else ""
        words = _WORD.findall(said)
        if words and all(words != _WORD.findall(one) for one in queries):
            message = f"nobody asked for {cut(said)}"
            yield breach("other_query", message, severe=severe, span=where(line))


def _as_shown(ledger: Ledger, found: list[Hit], where: Places) -> Iterator[Violation]:
    """An address keeps its title and its date."""
    for one in found:
        before = ledger.get("entity", one.url)
        if before is None or not isinstance(before.value, dict):
            continue
        for name, now in (("title", one.title), ("date", one.date)):
            then = before.value.get(name)
            if then and now and then != now:
                yield breach(
                    f"other_{name}",
                    f"{one.url[:120]} had the {name} {cut(then)}, not {cut(now)}",
                    severe=still(ledger, before),
                    span=where(now),
                    because=(before,),
                )


def _twice(ledger: Ledger, call: Call, found: list[Hit], where: Places) -> Iterator[Violation]:
    """One list holds an address once."""
    if len(asked(call)) > 1:
        return
    there: set[str] = set()
    for one in found:
        if one.url in there:
            yield breach(
                "repeated_address",
                f"{one.url[:120]} stands twice in one list",
                severe=still(ledger),
                span=where(one.url),
            )
        there.add(one.url)


def _filters(ledger: Ledger, call: Call, found: list[Hit], where: Places) -> Iterator[Violation]:
    """Results are of the host and the days that were asked for."""
    queries = asked(call)
    hosts = _SITE.findall(queries[0]) if len(queries) == 1 else []
    first, last = (_day(call, name) for name in ("start_date", "end_date"))
    for one in found:
        host = _host(one.url)
        if hosts and host and not f".{host}".endswith(tuple(f".{one.lower()}" for one in hosts)):
            message = f"{host[:120]} is not of the site {hosts[-1][:120]}"
            span = where(one.url)
            yield breach("outside_filter", message, severe=still(ledger), span=span)
        day = one.date if _DAY.fullmatch(one.date) else ""
        if day and ((first and day < first) or (last and day > last)):
            message = f"{day} is not between {first or 'the start'} and {last or 'today'}"
            span = where(day)
            yield breach("outside_filter", message, severe=still(ledger), span=span)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _day(call: Call, name: str) -> str:
    given = call.arguments.get(name)
    return given if isinstance(given, str) and _DAY.fullmatch(given) else ""


def _ranks(ledger: Ledger, call: Call, found: list[Hit]) -> Iterator[Violation]:
    """The same query finds the same pages in the same order, as many as are asked for."""
    before = ranking.before(ledger, call, asked(call))
    row = ledger.get("row", before.row) if before is not None else None
    if before is None or row is None:
        return
    now = [one.url for one in found]
    limit = ranking.limit_of(call)
    wanted = before.urls if limit is None else before.urls[:limit]
    settled = limit is not None or before.limit is None
    if settled and len(asked(call)) == 1 and len(wanted) > len(now):
        message = f"{len(now)} results, the same query had {len(wanted)}"
        yield breach("other_results", message, severe=still(ledger, row), because=(row,))
        return
    for number, (then, url) in enumerate(zip(wanted, now, strict=False), 1):
        if then != url:
            message = f"result {number} of this query was {then[:120]}"
            yield breach("other_results", message, severe=still(ledger, row), because=(row,))
            return


def same_call(ledger: Ledger, call: Call, observation: str) -> Iterator[Violation]:
    """What was asked before is answered as before."""
    row = ledger.get("row", call_key(call.name, call.arguments))
    if row is None or not row.complete or not isinstance(row.value, str):
        return
    if row.value.rstrip() != observation.rstrip():
        yield breach(
            "other_answer",
            f"the same call returned {cut(row.value)}",
            severe=still(ledger, row),
            because=(row,),
        )
