"""What an answer cannot be, given the call and what the session has established.

Each rule is a generator of `Finding`. One that is `sure` claims that the answer is impossible: what
reality may say, by another writer, an alias or a page of results, is none of these.
"""

import re
from collections.abc import Iterator
from typing import Any

from worldline.domains.mcp.checks_echo import echoed, filled, plainly, told_otherwise
from worldline.domains.mcp.checks_files import added, listed
from worldline.domains.mcp.checks_sql import Finding
from worldline.domains.mcp.kinds import kind, words
from worldline.domains.mcp.observations import Body, Plain, ToolResult
from worldline.domains.mcp.reading import is_error, leaf, structured_of, text_of
from worldline.domains.mcp.records import is_id
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.values import NOTHING, data
from worldline.domains.mcp.world import (
    World,
    body_of_text,
    mirrors,
    objects,
    refused,
)

_COUNT = re.compile(r"(?:total|total_count|count|total_\w{1,40}|num_\w{1,40})$")
_FOUND_ONES = frozenset(
    ["results", "items", "hits", "matches", "occurrences", "entries", "records", "rows"]
)
"""Lists that hold what was found."""
_PAGED = re.compile(
    r"limit|offset|page|cursor|start|skip|max|top|size|first|count|more|next|trunc|partial|has_",
    re.IGNORECASE,
)
_PART = re.compile(r"more|truncat|\.\.\.|…|show|first|top|page|limit|of \d", re.IGNORECASE)
_FOUND = re.compile(r"Found (\d{1,6}) [\w ]{1,60}:?(?: in [^\n]{0,100})?:\n")
_LISTED = re.compile(r"[-*] ")
_MARKED = re.compile(r"delet|remov|trash|archiv|inactive|cancel|former|histor|event", re.IGNORECASE)
"""What an object says that is shown as one that was."""
_RANK = re.compile(r"score|rank|relevan|distance|match|position|snippet|highlight|similar", re.I)
_CODE = re.compile(r"(?:return|exit) code: (\d{1,3})\s{0,3}$")


def call_findings(
    world: World, target: Target, body: Body, *, closed: bool = False
) -> Iterator[Finding]:
    """Everything that an answer to this call breaks; `closed`: nobody else changes anything."""
    value = data(body)
    yield from _flag(world, target, body)
    yield from _structured(world, target, body)
    yield from _counts(target, value, text_of(body))
    if refused(body):
        return
    yield from echoed(world, target, value)
    yield from told_otherwise(world, target, body)
    yield from _asked(target, value)
    yield from _items(target, value)
    yield from _gone(world, target, value)
    yield from _same(world, target, value, closed)
    yield from listed(world, target, body)
    yield from added(world, target, body)


def _flag(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """What the answer says and the mark of failure exclude each other."""
    if not isinstance(body, ToolResult):
        return
    marked = body.fields.get("isError", body.fields.get("is_error")) is True
    code = _CODE.search(text_of(body)[-80:])
    if marked and code is not None and code[1] == "0":
        message = "marked as an error, and the command ended with code 0"
        yield Finding("flag", message, "isError=True")
    end = leaf(body)
    if isinstance(end, Plain):
        for form in world.told.get(target.label, ()):
            if form.failed != is_error(body) and filled(form, end.text.strip()) is not None:
                mark = "a failure" if form.failed else "a success"
                message = f"the tool has said this of {mark}; now it is marked otherwise"
                yield Finding("flag", message)
                return


def _structured(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """Structured content and the text beside it are one and the same value."""
    structured = structured_of(body)
    if structured is None or not isinstance(body, ToolResult) or mirrors(body):
        return
    shown = data(body_of_text(body))
    inner = structured
    if isinstance(structured, dict) and len(structured) == 1 and _form(shown) != _form(inner):
        (inner,) = structured.values()
    same_form = shown is not NOTHING and _form(shown) == _form(inner)
    if same_form or world.mirrored.get(target.label, 0) >= 1:
        message = "structured content says something else than the text beside it"
        yield Finding("structured", message)


def _form(value: Any) -> Any:
    """Fields and lengths of a value, its plain values left out."""
    if isinstance(value, dict):
        return {key: _form(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_form(inner) for inner in value]
    return type(value).__name__


def _counts(target: Target, value: Any, text: str) -> Iterator[Finding]:
    """A count beside the list that it counts by name, and nothing says that it is a part."""
    if isinstance(value, dict):
        lists = {name: inner for name, inner in value.items() if isinstance(inner, list)}
        paged = any(
            _PAGED.search(name) for name in (*target.arguments, *value) if not _COUNT.match(name)
        )
        for name, count in value.items():
            whole = isinstance(count, int) and not isinstance(count, bool) and _COUNT.match(name)
            if len(lists) != 1 or not whole or not _counted(target, name, next(iter(lists))):
                continue
            listed = len(next(iter(lists.values())))
            if (count < listed or count > listed == 0) and not paged:
                yield Finding("count", f"{name} is {count}, and {listed} are listed", str(count))
    found = _FOUND.match(text)
    lines = text[found.end() :].split("\n") if found else []
    if found is not None and not _PART.search(text) and any(map(_LISTED.match, lines)):
        # A tool may list the best ones alone, and an item may be a list of its own.
        listed = sum(map(bool, map(_LISTED.match, lines)))
        if listed != int(found[1]):
            message = f"{found[1]} are counted, and {listed} are listed"
            yield Finding("count", message, found[1], sure=False)


def _counted(target: Target, count: str, name: str) -> bool:
    """Whether a count of this name is of the list of that name: ``total_hits`` of ``hits``.

    A plain ``count`` is of the only list if that holds what the tool is for; ``errors`` beside it
    are what went wrong on the way.
    """
    noun = re.sub(r"^(?:total|num)_|_?count$", "", count.lower())
    if noun not in ("", "total"):
        return noun == name.lower()
    return name.lower() in _FOUND_ONES or name.lower() in words(target.name)


def _asked(target: Target, value: Any) -> Iterator[Finding]:
    """Asked for things by name, the answer holds another one."""
    if kind(target).effect != "read" or len(target.arguments) != 1:
        return
    ((name, asked),) = target.arguments.items()
    if name not in ("names", "ids") or not isinstance(asked, list) or not asked:
        return
    wanted = {plainly(one) for one in asked}
    lists = value.values() if isinstance(value, dict) else [value]
    for items in lists:
        for item in items if isinstance(items, list) else ():
            own = item.get(name[:-1]) if isinstance(item, dict) else None
            if isinstance(own, str | int) and plainly(own) not in wanted:
                message = f"{str(own)[:80]!r} is not one of the {name} asked for"
                yield Finding("not_asked", message, str(own))


def _items(target: Target, value: Any) -> Iterator[Finding]:
    """A tool that was given objects answers with objects of the same fields: those, or fewer."""
    given = [v for v in target.arguments.values() if isinstance(v, list) and v]
    if kind(target).effect != "write" or len(given) != 1 or len(target.arguments) != 1:
        return
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in (*given[0], *value)):
        return
    fields = {frozenset(one) for one in given[0]}
    known = {_said(one) for one in given[0]}
    for item in value:
        if frozenset(item) in fields and _said(item) not in known:
            message = "the answer holds an object that the call did not give"
            yield Finding("not_given", message, _first(item))
    shared = [k for k in given[0][0] if k.lower().endswith("name") or is_id(k)]
    for key in shared:
        wanted = {plainly(one.get(key)) for one in given[0]}
        for item in value:
            if key in item and plainly(item[key]) not in wanted:
                message = f"{key} {str(item[key])[:80]!r} is none the call gave"
                yield Finding("not_given", message, str(item[key]))


def _said(item: dict[str, Any]) -> str:
    return plainly(sorted(item.items()))


def _first(item: dict[str, Any]) -> str:
    return next((value for value in item.values() if isinstance(value, str)), "")


def _gone(world: World, target: Target, value: Any) -> Iterator[Finding]:
    """What was deleted is shown again."""
    if not world.gone or kind(target).effect != "read":
        return
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo += one
        elif isinstance(one, dict):
            todo += [inner for inner in one.values() if isinstance(inner, list | dict)]
            for name, own in one.items():
                if (name == "name" or is_id(name)) and isinstance(own, str) and own in world.gone:
                    message = f"{own[:80]!r} was deleted and is shown again"
                    yield Finding("deleted", message, own, not _MARKED.search(str(one)))


def _same(world: World, target: Target, value: Any, closed: bool) -> Iterator[Finding]:
    """An object has other values than a moment ago, and the session has changed nothing since."""
    for key, one in objects(target, value):
        for name, before in world.shown.get(key, {}).items():
            now = one[name]
            ranked = _RANK.search(name) or isinstance(before, dict) or isinstance(now, float)
            if now == before or ranked or _clipped(now) or _clipped(before):
                continue
            own = key.rpartition("|")[2][:80]
            shown = "" if isinstance(now, list) else str(now)
            message = f"{own}: {name} was {str(before)[:80]!r}"
            yield Finding("record_changed", message, shown, closed)


def _clipped(value: Any) -> bool:
    return isinstance(value, str) and value.endswith(("...", "…"))
