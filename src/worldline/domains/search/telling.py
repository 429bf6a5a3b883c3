"""What a model is told before it answers: results, pages and notes that bear on the action.

A search engine asked twice mostly answers the same, a page keeps its title, a snippet is part of
its page: so the same call's earlier result comes first, then what is known of the address or title
asked for, then hits of other searches that share its words.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from worldline.domains.base import Ledger
from worldline.domains.common import block, clip
from worldline.domains.mcp.actions import Call, call_key
from worldline.domains.mcp.prompt import describe
from worldline.domains.search import lookups, memory
from worldline.domains.search.ledger import address, call_of, step_of
from worldline.domains.search.memo import memo_of
from worldline.facts import Fact, fact

RESULT_CHARS = 3_000
PAGE_CHARS = 1_500
MAX_HITS = 5
_WORD = re.compile(r"\w{3,40}")
_KEY = re.compile(r"\{\{([^{}\n]{1,200})\}\}")


def chosen(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """The facts that fit the budget of characters, most telling first."""
    picked: list[Fact] = []
    for one in _candidates(ledger, action):
        size = len(line(one)) + 1
        if size <= budget and all(one.id != other.id for other in picked):
            picked.append(one)
            budget -= size
    return picked


def text(facts: Sequence[Fact]) -> str:
    """The facts block."""
    return block(line(one) for one in facts)


def line(one: Fact) -> str:
    """One fact as the model reads it."""
    when = "at the start" if one.turn == 0 else f"at turn {one.turn}"
    match one.kind:
        case "tool":
            return f"Tool {one.value}"
        case "row":
            return _row(one, when)
        case "entity":
            return f"Seen {when}: {one.key} {_json(one.value)}"
        case "page":
            return f"Page {_flat(one.key)}, as seen {when}:\n{clip(str(one.value), PAGE_CHARS)}"
        case "file":
            where = one.value.get("url") if isinstance(one.value, dict) else ""
            return f"The page store holds the key {_flat(one.key)}" + (
                f": {where}" if where else ""
            )
        case "memory":
            doubt = "" if one.complete else " (it may have changed)"
            return f"In memory{doubt}: {_flat(one.key)} = {_json(one.value)}"
        case _:
            return _reader(one.value)


def _row(one: Fact, when: str) -> str:
    if one.key.startswith("search "):
        return f"No page {_flat(one.key[7:])} {when}; similar then: {_json(one.value)}"
    if isinstance(one.value, dict):
        shown = ", ".join(one.value.get("shown", {}))
        return f"{_flat(one.key)}: {one.value.get('of')} results, shown so far: {shown or 'none'}"
    return f"This same call returned {when}:\n{clip(str(one.value), RESULT_CHARS)}"


def _reader(place: dict[str, Any]) -> str:
    if place["title"] is None:
        return "No page is open: the last search found none"
    return f"The open page is {_flat(place['title'])}"


def _candidates(ledger: Ledger, action: str) -> Iterator[Fact]:
    found = _of_step(ledger, action) if ledger.dialect == "react" else _of_call(ledger, action)
    # what the previous turn showed stands right above; it need not be said again
    held = ("cwd", "memory", "file")
    for one in found:
        if one.turn < ledger.turn or one.kind in held or one.origin == "given":
            yield one


def _of_step(ledger: Ledger, action: str) -> Iterator[Fact]:
    step = step_of(action)
    if step is None:
        return
    if step.name == "Search":
        yield from _got(ledger, ("page", step.argument), ("row", f"search {step.argument}"))
        return
    reader = ledger.get("cwd", lookups.OPEN)
    if reader is None:
        return
    yield reader
    yield from _got(ledger, ("row", f"lookup {step.argument.lower()}"))
    if reader.value["title"] is not None:
        yield from _got(ledger, ("page", reader.value["title"]))


def _of_call(ledger: Ledger, action: str) -> Iterator[Fact]:
    call = call_of(action)
    if call is None:
        return
    tool = memo_of(ledger).box.offered.get(call.name)
    if tool is not None:
        yield fact("tool", tool.label, describe(tool), origin="given")
    yield from _got(ledger, ("row", call_key(call.name, call.arguments)))
    url = address(call)
    if url:
        yield from _got(ledger, ("entity", url), ("page", url))
    if call.name == memory.NAME:
        yield from memory.entries(ledger)
    yield from _stored(ledger, call)
    if not url and call.name != memory.NAME:
        yield from _alike(ledger, call)


def _stored(ledger: Ledger, call: Call) -> Iterator[Fact]:
    """Keys of the page store: those a prompt names, or all when another is saved."""
    named = set(_KEY.findall(" ".join(_texts(call.arguments))))
    for one in ledger.facts.values():
        if one.kind == "file" and (one.key in named or "key" in call.arguments):
            yield one


def _alike(ledger: Ledger, call: Call) -> list[Fact]:
    """Hits of earlier searches that share most words with this one."""
    wanted = _words(" ".join(_texts(call.arguments)))
    scored = []
    for one in ledger.facts.values():
        if one.kind == "entity":
            shared = len(wanted & _words(f"{one.key} {_json(one.value)}"))
            if shared * 2 >= len(wanted) > 0:
                scored.append((-shared, -one.turn, one.id, one))
    return [one for *_, one in sorted(scored, key=lambda found: found[:3])[:MAX_HITS]]


def _got(ledger: Ledger, *names: tuple[Any, str]) -> Iterator[Fact]:
    for kind, key in names:
        one = ledger.get(kind, key)
        if one is not None:
            yield one


def _texts(value: Any) -> Iterable[str]:
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict | list):
            todo.extend(one.values() if isinstance(one, dict) else one)
        elif isinstance(one, str):
            yield one


def _words(text: str) -> set[str]:
    return {one.lower() for one in _WORD.findall(text)}


def _flat(text: str) -> str:
    return " ".join(text.split())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
