"""What search tools do not return: the form of each tool, JSON, the page store."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import Call
from worldline.domains.search import memory, page_checks, pages, result_checks
from worldline.domains.search.dialects import nested, numbered
from worldline.domains.search.hits import hits, records
from worldline.domains.search.ledger import address, body_of, fields_of
from worldline.domains.search.memo import memo_of
from worldline.domains.search.verdicts import breach, cut, place, still
from worldline.prediction import Violation

MESSAGE = 400
"""Characters of a message in place of results, at most."""
STEADY = ("web_search", *pages.READERS)
"""Tools that answer the same call in the same way."""


def violations(ledger: Ledger, call: Call, observation: str) -> Iterator[Violation]:
    """The breaches of one observation."""
    body = body_of(ledger.dialect, observation)
    found = hits(body)
    yield from _form(ledger, call, body, observation)
    if not address(call) and call.name != memory.NAME:
        yield from result_checks.violations(ledger, call, body, found, observation)
    if call.name in STEADY:
        yield from result_checks.same_call(ledger, call, observation)
    yield from page_checks.violations(ledger, call, observation, found)
    if isinstance(body, nested.Tree | nested.Saved):
        yield from _store(ledger, call, nested.saved_in(body))
        yield from _records(ledger, body, observation)
        yield from _fields(ledger, call, body)
    yield from _broken_json(ledger, call, body, observation)


def _form(ledger: Ledger, call: Call, body: Any, observation: str) -> Iterator[Violation]:
    """A search returns results or a message, a reader returns no results."""
    severe = still(ledger)
    if call.name in pages.READERS and hits(body):
        listed = isinstance(body, nested.Tree) or not body.head
        if listed:
            message = "the call reads a page, and these are results of a search"
            yield breach("page_form", message, severe=severe, span=(0, len(observation)))
    if ledger.dialect != "awb" or call.name != "web_search" or isinstance(body, numbered.Results):
        return
    short = isinstance(body, nested.Text) and len(observation) <= MESSAGE
    if not short or observation.startswith("#"):
        yield breach(
            "result_form",
            "a search returns numbered results or a short message",
            severe=severe,
            span=(0, len(observation)),
        )


def _records(ledger: Ledger, body: Any, observation: str) -> Iterator[Violation]:
    """Hits of one list have the same fields, the best comes first."""
    rows = records(body)
    fields = {tuple(one) for one in rows}
    if len(fields) > 1:
        odd = next(one for one in rows if tuple(one) != tuple(rows[0]))
        names = set(odd) ^ set(rows[0])
        message = f"records of one list differ in their fields: {', '.join(sorted(names))[:200]}"
        yield breach("record_fields", message, severe=still(ledger))
    scores = [one["score"] for one in rows if isinstance(one.get("score"), int | float)]
    for before, score in pairwise(scores):
        if score > before:
            message = f"a result of score {score} stands below one of {before}"
            span = place(observation, str(score))
            yield breach("result_order", message, severe=still(ledger), span=span)
            return


def _fields(ledger: Ledger, call: Call, body: Any) -> Iterator[Violation]:
    """A tool answers with the fields of its earlier answers, in their order."""
    before = memo_of(ledger).fields
    for name, now in fields_of(call.name, body).items():
        then = before.get(name)
        if then is not None and then != now and call.name != memory.NAME:
            message = f"{name} had the fields {', '.join(then)[:200]}, not {', '.join(now)[:200]}"
            yield breach("record_fields", message, severe=still(ledger))


def _store(ledger: Ledger, call: Call, saved: nested.Saved | None) -> Iterator[Violation]:
    if saved is None:
        return
    asked = call.arguments.get("key")
    if isinstance(asked, str) and asked != saved.key:
        yield breach("other_key", f"saved under {cut(saved.key)}, not {cut(asked)}")
        return
    before = tuple(one for one in ledger.facts.values() if one.kind == "file")
    keys = [one.key for one in before]
    if not memo_of(ledger).store_shown:  # it may have held more before the session was seen
        keys = [key for key in saved.keys if saved.overwrites or key != saved.key]
    expected = keys if saved.key in keys else [*keys, saved.key]
    if list(saved.keys) != expected:
        severe = all(one.origin != "model" for one in before)
        message = f"the store holds {', '.join(expected)[:200]}"
        yield breach("stored_keys", message, severe=severe, because=before)
    if saved.overwrites != (saved.key in keys):
        message = "the warning of an overwritten key is out of place"
        yield breach("stored_keys", message, severe=False)


def _broken_json(ledger: Ledger, call: Call, body: Any, observation: str) -> Iterator[Violation]:
    """The dialect's tools answer with one JSON object; refusals and notes are plain text."""
    if ledger.dialect != "json" or call.name == memory.NAME:
        return
    starts = observation.lstrip().startswith(("{", "[{", '["'))
    if isinstance(body, nested.Tree):
        inner = next((t for t in nested.texts(body) if t.startswith(('[{"', '{"'))), None)
        if inner is not None:
            message = "a string starts as JSON and is none"
            span = place(observation, inner)
            yield breach("broken_json", message, severe=still(ledger), span=span)
        return
    answered = memo_of(ledger).structured.get(call.name, 0) > 0
    if answered or (starts and still(ledger)):  # a short text may be a refusal
        yield breach(
            "broken_json",
            "starts as JSON and is none" if starts else "the tool has answered in JSON so far",
            severe=still(ledger) and (starts or len(observation) > MESSAGE),
            span=(0, len(observation)),
        )
