"""Moves of an explorer where tools are called: notes, stored pages, and calls that are wrong."""

import json
from collections.abc import Mapping
from typing import Any

from worldline.collect.explorers.search.calls import Maker, call, phrases
from worldline.collect.explorers.search.mind import Mind

_MEMORY = "dict_memory"


def _key(mind: Mind) -> str:
    return phrases(mind, "keys")[:60]


def _value(mind: Mind) -> Any:
    """Something worth keeping: mostly a sentence that was seen."""
    rng = mind.rng
    match rng.randrange(12):
        case 0:
            return rng.randrange(100_000)
        case 1 if mind.facts:
            return dict(rng.sample(mind.facts, min(len(mind.facts), rng.randint(1, 3))))
        case 2 if mind.urls:
            return {"url": rng.choice(mind.urls), "read": rng.random() < 0.5}
        case 3:
            return [mind.term() for _ in range(rng.randint(1, 5))]
        case 4 if mind.titles:
            return rng.choice(mind.titles)
        case 5 if mind.facts:
            return rng.choice(mind.facts)[1]
        case 6:
            return rng.choice((True, None, round(rng.random() * 90, 2), "", "–", "?"))
        case 7:
            return f"{mind.sentence()}\n{mind.sentence()}"
        case _:
            return mind.sentence()


def _add(mind: Mind, dialect: str) -> str:
    pairs = {_key(mind): _value(mind) for _ in range(mind.rng.choice((1, 1, 1, 2, 3)))}
    mind.notes.update(pairs)
    return call(_MEMORY, operation="add", dict=pairs)


def _update(mind: Mind, dialect: str) -> str | None:
    if not mind.notes:
        return None
    some = _some(mind, 2)
    pairs = {key: _value(mind) for key in some}
    mind.notes.update(pairs)
    return call(_MEMORY, operation="update", dict=pairs)


def _retrieve(mind: Mind, dialect: str) -> str:
    keys = _some(mind, 4)
    if mind.rng.random() < 0.2 or not keys:
        keys.append(mind.rng.choice(mind.gone) if mind.gone else _key(mind))
    return call(_MEMORY, operation="retrieve", key_list=keys)


def _remove(mind: Mind, dialect: str) -> str | None:
    if not mind.notes:
        return None
    keys = _some(mind, 2)
    for key in keys:
        mind.notes.pop(key, None)
    mind.gone += keys
    return call(_MEMORY, operation="remove", key_list=keys)


def _lost(mind: Mind, dialect: str) -> str:
    """Something that is not stored, to be read or removed, perhaps beside what is."""
    keys = [mind.rng.choice(mind.gone) if mind.gone and mind.rng.random() < 0.5 else _key(mind)]
    if mind.notes and mind.rng.random() < 0.4:
        keys += _some(mind, 1)
    operation = mind.rng.choice(("retrieve", "remove", "remove"))
    return call(_MEMORY, operation=operation, key_list=keys)


def _list(mind: Mind, dialect: str) -> str:
    return call(_MEMORY, operation="retrieve_all")


def _clear(mind: Mind, dialect: str) -> str:
    mind.gone += mind.notes
    mind.notes.clear()
    return call(_MEMORY, operation="remove_all")


def _some(mind: Mind, most: int) -> list[str]:
    """Some of the keys in use."""
    keys = list(mind.notes)
    return mind.rng.sample(keys, min(len(keys), mind.rng.randint(1, most)))


# the data storage


def _save(mind: Mind, dialect: str) -> str | None:
    if dialect != "json" or not mind.urls:
        return None
    key = mind.worded(mind.rng.choice(("{a}", "page_{n}", "{a}_{b}", "doc{n}.{a}", "{a} {b}")))
    if mind.stored and mind.rng.random() < 0.15:
        key = mind.rng.choice(mind.stored)
    url = mind.rng.choice(mind.urls[-10:])
    if mind.rng.random() < 0.08:
        url = f"{url}/{mind.gibberish()}"
    if " " not in key:
        mind.stored.append(key)
    return call("parse_html_page", url=url, key=key)


def _stored(mind: Mind, dialect: str) -> str | None:
    if dialect != "json" or not mind.stored:
        return None
    key = mind.rng.choice(mind.stored[-4:]) if mind.rng.random() < 0.9 else mind.term()
    start = mind.rng.choice((0, 0, mind.rng.randrange(4_000), mind.rng.randrange(60_000)))
    match mind.rng.randrange(4):
        case 0:
            return call("read_stored_page", key=key)
        case 1:
            return call("read_stored_page", key=key, start=start)
        case _:
            end = start + mind.rng.choice((80, 400, 1_200, 2_500, -10, 30_000))
            return call("read_stored_page", key=key, start=start, end=max(end, 1))


# calls that are wrong


def _unknown_tool(mind: Mind, dialect: str) -> str:
    argument = mind.rng.choice(("query", "q", "input", "url", "text"))
    return call(phrases(mind, "tools"), **{argument: mind.term()})


def _bad_arguments(mind: Mind, dialect: str) -> str:
    rng, term = mind.rng, mind.term()
    query = "query" if dialect == "awb" else "search_query"
    page = "web_extractor" if dialect == "awb" else "browse"
    url = mind.urls[-1] if mind.urls else f"https://{mind.host()}/"
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("web_search", {query: [term]}),
        ("web_search", {query: rng.randrange(1_000)}),
        ("web_search", {query: None}),
        ("web_search", {"q": term}),
        ("web_search", {query: term, rng.choice(("limit", "lang", "engine", "page")): 5}),
        ("web_search", {}),
        (page, {}),
        (page, {"url": [url]}),
        (page, {"url": url, "page": rng.choice(("2", 1.5, None))}),
        (page, {"url": url, rng.choice(("query", "format", "selector")): term}),
        (page, {"link": url}),
        (_MEMORY, {"operation": rng.choice(("get", "set", "delete", "list", "ADD", term))}),
        (_MEMORY, {"operation": "add"}),
        (_MEMORY, {"operation": "add", "dict": {}}),
        (_MEMORY, {"operation": "add", "dict": term}),
        (_MEMORY, {"operation": "update", "key_list": [term]}),
        (_MEMORY, {"operation": "retrieve"}),
        (_MEMORY, {"operation": "retrieve", "key_list": term}),
        (_MEMORY, {"operation": "remove", "key_list": []}),
        (_MEMORY, {"operation": "retrieve", "dict": {term: ""}}),
        (_MEMORY, {"dict": {term: 1}}),
    ]
    wrong += _of_dialect(mind, dialect, term)
    name, arguments = rng.choice(wrong)
    return call(name, **arguments)


def _of_dialect(mind: Mind, dialect: str, term: str) -> list[tuple[str, dict[str, Any]]]:
    if dialect == "awb":
        return [
            ("web_search", {"query": term, "queries": [mind.term()]}),
            ("web_search", {"queries": []}),
            ("web_search", {"queries": term}),
            ("web_search", {"queries": [mind.term() for _ in range(6)]}),
            ("web_search", {"queries": [term, mind.rng.randrange(99)]}),
        ]
    return [
        ("web_search", {"search_query": term, "number_of_results": mind.rng.choice((0, 50, -1))}),
        ("web_search", {"search_query": term, "number_of_results": "five"}),
        ("parse_html_page", {"key": term}),
        ("parse_html_page", {"url": f"https://{mind.host()}/", "key": f"{term} {mind.term()}"}),
        ("read_stored_page", {"key": term, "start": -mind.rng.randrange(1, 90)}),
        ("read_stored_page", {"start": 0}),
    ]


def _broken(mind: Mind, dialect: str) -> str:
    """Text that is no call."""
    good = call("web_search", query=mind.term())
    match mind.rng.randrange(7):
        case 0:
            return good[: -mind.rng.randint(1, 12)]
        case 1:
            return good.replace('"', "'")
        case 2:
            return f"web_search({mind.term()!r})"
        case 3:
            return json.dumps([mind.term()], ensure_ascii=False)
        case 4:
            return json.dumps({"tool": "web_search", "query": mind.term()}, ensure_ascii=False)
        case 5:
            return json.dumps({"name": "web_search", "arguments": mind.term()}, ensure_ascii=False)
        case _:
            return f"I will search for {mind.term()} now."


MOVES: Mapping[str, Maker] = {
    "add": _add,
    "update": _update,
    "retrieve": _retrieve,
    "remove": _remove,
    "lost": _lost,
    "list": _list,
    "clear": _clear,
    "save": _save,
    "stored": _stored,
    "unknown_tool": _unknown_tool,
    "bad_arguments": _bad_arguments,
    "broken": _broken,
}
