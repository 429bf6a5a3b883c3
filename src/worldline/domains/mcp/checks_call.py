"""What an answer cannot be, given the call and what the session has established.

Each rule is a generator of `Finding`: its name, a sentence, and the piece of the observation that
it is about. All of them claim that the answer is impossible.
"""

import re
from collections.abc import Iterator
from typing import Any

from worldline.domains.mcp.checks_sql import Finding
from worldline.domains.mcp.kinds import kind, words
from worldline.domains.mcp.observations import Body, Plain, ToolResult
from worldline.domains.mcp.reading import is_error, leaf, structured_of, text_of
from worldline.domains.mcp.records import is_id, only_id
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.values import NOTHING, data
from worldline.domains.mcp.world import (
    Told,
    World,
    body_of_text,
    file_of,
    mirrors,
    objects,
    refused,
)

_COUNT = re.compile(r"(?:total|total_count|count|total_\w{1,40}|num_\w{1,40})$")
_PAGED = re.compile(r"limit|offset|page|cursor|start|skip|max|top|size|first|count", re.IGNORECASE)
_FOUND = re.compile(r"Found (\d{1,6}) [\w ]{1,60}:?(?: in [^\n]{0,100})?:\n")
_LISTED = re.compile(r"(?m)^ {0,4}[-*] ")
_RANK = re.compile(r"score|rank|relevan|distance|match|position|snippet|highlight|similar", re.I)
_CODE = re.compile(r"(?:return|exit) code: (\d{1,3})\s{0,3}$")


def call_findings(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """Everything that an answer to this call breaks."""
    value = data(body)
    yield from _flag(world, target, body)
    yield from _structured(world, target, body)
    yield from _counts(target, value, text_of(body))
    if refused(body):
        return
    yield from _echo(world, target, value)
    yield from _told(world, target, body)
    yield from _asked(target, value)
    yield from _items(target, value)
    yield from _gone(world, target, value)
    yield from _same(world, target, value)
    yield from _files(world, target, body)
    yield from _added(world, target, body)


def _echo(world: World, target: Target, value: Any) -> Iterator[Finding]:
    """The answer repeats an argument and gets it wrong."""
    if not isinstance(value, dict):
        return
    found = set(words(target.name))
    alone = only_id(target.arguments) if kind(target).effect == "read" else None
    changing = found & {"update", "set", "edit", "modify", "cancel", "close"}
    for name, asked in target.arguments.items():
        if name not in value or not isinstance(asked, str | int) or isinstance(asked, bool):
            continue
        sure = name == alone or (is_id(name) and changing)
        sure = sure or world.echoes.get(f"{target.label}.{name}", 0) >= 2
        given = value[name]
        if sure and isinstance(given, str | int) and not _alike(asked, given):
            shown = str(given)[:80]
            yield (
                "other_entity",
                f"asked for {name} {str(asked)[:80]!r}, answered for {shown!r}",
                shown,
            )


def _alike(one: Any, other: Any) -> bool:
    return str(one).strip().lower() == str(other).strip().lower()


def _told(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """A confirmation in the tool's own words names something else than the call."""
    end = leaf(body)
    if not isinstance(end, Plain):
        return
    for form in world.told.get(target.label, ()):
        names = None if form.failed else filled(form, end.text.strip())
        for hole, name in zip(form.holes, names or (), strict=False):
            asked = target.arguments.get(hole)
            if isinstance(asked, str) and asked not in name and name not in asked:
                yield (
                    "other_entity",
                    f"the call says {hole} {asked[:80]!r}, not {name[:80]!r}",
                    name,
                )


def filled(form: Told, text: str) -> tuple[str, ...] | None:
    """What stands where the form repeats arguments; `None` where the text is of another form."""
    found, at = [], 0
    for i, piece in enumerate(form.between):
        last = i == len(form.between) - 1
        start = len(text) - len(piece) if last else text.find(piece, at)
        if start < at or not text.startswith(piece, start) or (i == 0 and start):
            return None
        if i:
            found.append(text[at:start])
        at = start + len(piece)
    return (
        tuple(found) if all(0 < len(name) <= 200 and "\n" not in name for name in found) else None
    )


def _flag(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """What the answer says and the mark of failure exclude each other."""
    if not isinstance(body, ToolResult):
        return
    marked = body.fields.get("isError", body.fields.get("is_error")) is True
    code = _CODE.search(text_of(body)[-80:])
    if marked and code is not None and code[1] == "0":
        yield "flag", "marked as an error, and the command ended with code 0", "isError=True"
    end = leaf(body)
    if isinstance(end, Plain):
        for form in world.told.get(target.label, ()):
            if form.failed != is_error(body) and filled(form, end.text.strip()) is not None:
                mark = "a failure" if form.failed else "a success"
                yield "flag", f"the tool has said this of {mark}; now it is marked otherwise", ""
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
        yield "structured", "structured content says something else than the text beside it", ""


def _form(value: Any) -> Any:
    """Fields and lengths of a value, its plain values left out."""
    if isinstance(value, dict):
        return {key: _form(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_form(inner) for inner in value]
    return type(value).__name__


def _counts(target: Target, value: Any, text: str) -> Iterator[Finding]:
    """A count beside a list that it does not count."""
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        paged = any(
            _PAGED.search(name) for name in (*target.arguments, *value) if not _COUNT.match(name)
        )
        for name, count in value.items():
            whole = isinstance(count, int) and not isinstance(count, bool) and _COUNT.match(name)
            if len(lists) != 1 or not whole:
                continue
            listed = len(lists[0])
            if count < listed or (count > listed == 0 and not paged):
                yield "count", f"{name} is {count}, and {listed} are listed", str(count)
    found = _FOUND.match(text)
    if found is not None and not re.search(r"more|truncat|\.\.\.", text):
        listed = len(_LISTED.findall(text, found.end()))
        if listed != int(found[1]):
            yield "count", f"{found[1]} are counted, and {listed} are listed", found[1]


def _asked(target: Target, value: Any) -> Iterator[Finding]:
    """Asked for things by name, the answer holds another one."""
    if kind(target).effect != "read" or len(target.arguments) != 1:
        return
    ((name, asked),) = target.arguments.items()
    if name not in ("names", "ids") or not isinstance(asked, list) or not asked:
        return
    wanted = {str(one).lower() for one in asked}
    lists = value.values() if isinstance(value, dict) else [value]
    for items in lists:
        for item in items if isinstance(items, list) else ():
            own = item.get(name[:-1]) if isinstance(item, dict) else None
            if isinstance(own, str | int) and str(own).lower() not in wanted:
                yield "not_asked", f"{str(own)[:80]!r} is not one of the {name} asked for", str(own)


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
    for item in value:
        if frozenset(item) in fields and item not in given[0]:
            yield "not_given", "the answer holds an object that the call did not give", _first(item)
    shared = [k for k in given[0][0] if k.lower().endswith("name") or is_id(k)]
    for key in shared:
        wanted = [one.get(key) for one in given[0]]
        for item in value:
            if key in item and item[key] not in wanted:
                yield (
                    "not_given",
                    f"{key} {str(item[key])[:80]!r} is none the call gave",
                    str(item[key]),
                )


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
                    yield "deleted", f"{own[:80]!r} was deleted and is shown again", own


def _same(world: World, target: Target, value: Any) -> Iterator[Finding]:
    """An object has other values than a moment ago, and nothing has changed since."""
    for key, one in objects(target, value):
        for name, before in world.shown.get(key, {}).items():
            now = one[name]
            ranked = _RANK.search(name) or isinstance(before, dict) or isinstance(now, float)
            if now == before or ranked or _clipped(now) or _clipped(before):
                continue
            own = key.rpartition("|")[2][:80]
            shown = "" if isinstance(now, list) else str(now)
            yield "record_changed", f"{own}: {name} was {str(before)[:80]!r}", shown


def _clipped(value: Any) -> bool:
    return isinstance(value, str) and value.endswith(("...", "…"))


def _files(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """A directory's listing lacks a file that was written, or holds one that was deleted."""
    found = words(target.name)
    folder = target.arguments.get("path")
    if found not in (["list", "directory"], ["list", "files"]) or len(target.arguments) != 1:
        return
    end = leaf(body)
    if not isinstance(folder, str) or not isinstance(end, Plain):
        return
    names = {line.split("] ", 1)[-1].strip() for line in end.text.split("\n")}
    for path, there in world.files.items():
        parent, _, name = path.rpartition("/")
        if parent.rstrip("/") == folder.rstrip("/") and (name in names) != there:
            state = "was written and is not listed" if there else "was deleted and is listed"
            yield "listing", f"{path[:120]} {state}", "" if there else name


def _added(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """A document's whole text lacks what was added to it."""
    path, end = file_of(target), leaf(body)
    found = set(words(target.name))
    whole = found & {"get", "read"} and found & {"text", "content"} and len(target.arguments) == 1
    if path is None or not whole or not isinstance(end, Plain):
        return
    shown = " ".join(end.text.split())
    for text in world.added.get(path, ()):
        if " ".join(text.split()) not in shown:
            yield "added", f"{text[:80]!r} was added to {path[:80]}, and is not there", ""
