"""What search tools do not return: numbered results, JSON results, the page store."""

from collections.abc import Iterator
from typing import Any

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import Call
from worldline.domains.search.dialects import nested, numbered
from worldline.domains.search.hits import Hit, hits
from worldline.domains.search.ledger import body_of
from worldline.domains.search.memo import memo_of
from worldline.prediction import Violation

PER_QUERY = 10
MESSAGE = 400
"""Characters of a message in place of results, at most."""
_LIMITS = ("number_of_results", "top_n_results", "num_results", "max_results", "limit", "count")


def violations(ledger: Ledger, call: Call, observation: str) -> Iterator[Violation]:
    """The breaches of one observation."""
    body = body_of(ledger.dialect, observation)
    if isinstance(body, numbered.Results):
        yield from _numbers(body, _queries(call))
        yield from _lines(body)
    elif ledger.dialect == "awb":
        yield from _unnumbered(call, body, observation)
    found = hits(body)
    yield from _too_many(call, found)
    yield from _other_titles(ledger, found)
    if isinstance(body, nested.Tree | nested.Saved):
        yield from _store(ledger, call, nested.saved_in(body))
    yield from _broken_json(ledger, call, body, observation)


def _queries(call: Call) -> int:
    queries = call.arguments.get("queries")
    return len(queries) if isinstance(queries, list) and queries else 1


def _numbers(body: numbered.Results, queries: int) -> Iterator[Violation]:
    """They count from 1; a batch may start again with each query."""
    expected, starts = 1, 1
    for one in body.results:
        if one.number == 1 and expected > 1:
            expected, starts = 1, starts + 1
        if one.number != expected:
            yield _error("result_number", f"result [{one.number}] where [{expected}] comes next")
            return
        expected += 1
    if starts > queries:
        yield _error("result_number", f"{starts} lists of results for {queries} queries")
    if len(body.results) > PER_QUERY * queries:
        yield _warning("too_many_results", f"{len(body.results)} results for {queries} queries")


def _lines(body: numbered.Results) -> Iterator[Violation]:
    for one in body.results:
        labels = [field.label for field in one.fields if field.label]
        if labels != list(numbered.LABELS):
            yield _warning(
                "result_form", f"result [{one.number}] has the lines {', '.join(labels) or 'none'}"
            )
            return


def _unnumbered(call: Call, body: Any, observation: str) -> Iterator[Violation]:
    message = isinstance(body, nested.Text) and len(observation) <= MESSAGE
    if call.name == "web_search" and not message:
        yield _warning("result_form", "a search returns numbered results or a short message")


def _too_many(call: Call, found: list[Hit]) -> Iterator[Violation]:
    asked = next((call.arguments[name] for name in _LIMITS if name in call.arguments), None)
    if isinstance(asked, int) and not isinstance(asked, bool) and 0 < asked < len(found):
        yield _warning("too_many_results", f"{len(found)} results, {asked} were asked for")


def _other_titles(ledger: Ledger, found: list[Hit]) -> Iterator[Violation]:
    for one in found:
        before = ledger.get("entity", one.url)
        title: Any = (
            before.value.get("title") if before and isinstance(before.value, dict) else None
        )
        if before is not None and title and one.title and title != one.title:
            yield Violation(
                rule="other_title",
                severity="warning",
                message=f"{one.url[:120]} had the title {title[:80]!r}, not {one.title[:80]!r}",
                because=(before.id,),
            )


def _store(ledger: Ledger, call: Call, saved: nested.Saved | None) -> Iterator[Violation]:
    if saved is None:
        return
    asked = call.arguments.get("key")
    if isinstance(asked, str) and asked != saved.key:
        yield _error("other_key", f"saved under {saved.key[:80]!r}, not {asked[:80]!r}")
        return
    before = [one for one in ledger.facts.values() if one.kind == "file"]
    keys = [one.key for one in before]
    if not memo_of(ledger).store_shown:  # it may have held more before the session was seen
        keys = [key for key in saved.keys if saved.overwrites or key != saved.key]
    expected = keys if saved.key in keys else [*keys, saved.key]
    if list(saved.keys) != expected:
        severe = all(one.origin != "model" for one in before)
        yield Violation(
            rule="stored_keys",
            severity="error" if severe else "warning",
            message=f"the store holds {', '.join(expected)[:200]}",
            because=tuple(one.id for one in before),
        )
    if saved.overwrites != (saved.key in keys):
        yield _warning("stored_keys", "the warning of an overwritten key is out of place")


def _broken_json(ledger: Ledger, call: Call, body: Any, observation: str) -> Iterator[Violation]:
    answered = memo_of(ledger).structured.get(call.name, 0) > 0
    if answered and not isinstance(body, nested.Tree):
        starts = observation.lstrip()[:1] in ("{", "[")
        yield _warning(
            "broken_json",
            "starts as JSON and is none" if starts else "the tool has answered in JSON so far",
        )


def _error(rule: str, message: str) -> Violation:
    return Violation(rule=rule, severity="error", message=message)


def _warning(rule: str, message: str) -> Violation:
    return Violation(rule=rule, severity="warning", message=message)
