"""Which addresses each query has found, in their order."""

from collections.abc import Sequence
from typing import Any

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import Call, call_key
from worldline.domains.search.hits import Hit
from worldline.domains.search.memo import Ranked, changed, memo_of

LIMITS = ("number_of_results", "top_n_results", "num_results", "max_results", "limit", "count")
"""Arguments that say how many results are wanted."""
MOST = 200
"""Queries that are kept."""


def limit_of(call: Call) -> int | None:
    """How many results a call asks for at most, if it says so."""
    asked = next((call.arguments[name] for name in LIMITS if name in call.arguments), None)
    return asked if isinstance(asked, int) and not isinstance(asked, bool) and asked > 0 else None


def learned(ledger: Ledger, call: Call, found: Sequence[Hit]) -> Ledger:
    """The ledger once a query has found these; a batch does not say which query found what."""
    if "queries" in call.arguments or not any(isinstance(v, str) for v in call.arguments.values()):
        return ledger
    name = _key(call.name, call.arguments)
    kept = dict(memo_of(ledger).ranked)
    before = kept.pop(name, None)
    if before is None or len(before.urls) <= len(found):
        row = call_key(call.name, call.arguments)
        before = Ranked(tuple(one.url for one in found), row, limit_of(call))
    kept[name] = before
    for old in list(kept)[:-MOST]:
        del kept[old]
    return changed(ledger, ranked=kept)


def before(ledger: Ledger, call: Call, queries: Sequence[str]) -> Ranked | None:
    """What the first query of a call has found before."""
    arguments = call.arguments
    if isinstance(arguments.get("queries"), list):
        arguments = {"query": queries[0]}
    return memo_of(ledger).ranked.get(_key(call.name, arguments))


def _key(name: str, arguments: dict[str, Any]) -> str:
    return call_key(name, {k: v for k, v in arguments.items() if k not in LIMITS})
