"""What a session's answers have established beside their facts, for rules to hold against others.

Names that were deleted, files that were written, texts that were added to a document, how a tool
repeats its arguments, how its answers are wrapped: small, frozen, and forgotten in doubt.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.mcp import commands, sql
from worldline.domains.mcp.kinds import kind, repeatable, words
from worldline.domains.mcp.observations import Body, Json, Plain, ToolResult, render_body
from worldline.domains.mcp.reading import is_error, leaf, structured_of, text_of
from worldline.domains.mcp.records import is_id
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.values import NOTHING, data
from worldline.facts import FactOrigin

MAX_NAMES = 300
LONGEST_ADDED = 300
"""Characters of a text that is looked for again."""
LONGEST_TOLD = 200
"""Characters of a one-line answer whose form is remembered."""
SHORTEST = 4
"""Characters of an argument that an answer does not repeat by chance."""
PATHS = frozenset({"path", "file_path", "filepath", "filename", "file", "destination_filename"})
_TEXTS = frozenset({"text", "content", "paragraph", "contents"})
_ERROR = re.compile(r"\berror\b|\bfail|\binvalid\b|\bnot\b|\bcannot\b|\bno such\b", re.IGNORECASE)
_LATER = re.compile(r"trash|recycl|schedul|soft|queued|pending|archiv|async", re.IGNORECASE)


class Told(msgspec.Struct, frozen=True):
    """A tool's one-line answer: what stands between the arguments that it repeats."""

    between: tuple[str, ...]
    holes: tuple[str, ...]
    """The arguments, one between each two pieces."""
    failed: bool


class World(msgspec.Struct, frozen=True, kw_only=True):
    """Everything here comes from answers that came."""

    tables: sql.Tables = {}
    gone: frozenset[str] = frozenset()
    """Names and ids of what was deleted and not made again."""
    files: Mapping[str, bool] = {}
    """Path -> whether it is there."""
    shown: Mapping[str, Mapping[str, Any]] = {}
    """Objects with an id as they were last shown, as long as nothing has changed."""
    added: Mapping[str, tuple[str, ...]] = {}
    """File -> texts that were added to it, as long as nothing else was done to it."""
    told: Mapping[str, tuple[Told, ...]] = {}
    """Tool -> its one-line answers."""
    echoes: Mapping[str, int] = {}
    """Tool and field -> how often it repeated the argument of its name; -1 once it did not."""
    fields: Mapping[str, frozenset[str]] = {}
    """Kind of a wrapping's objects -> class and fields that all of them had."""
    printed: Mapping[str, tuple[str, int]] = {}
    """Tool -> how its data were printed each time, and how often; 0 once they were not."""
    wrapped: int = 0
    """How many answers were tool results, as long as none was anything else."""
    mirrored: Mapping[str, int] = {}
    """Tool -> how often structured content repeated the text; -1 once it did not."""
    longest: int = 0
    """Characters of the longest answer that was shown whole."""
    shell: Ledger | None = None


def after(world: World, target: Target, body: Body, observation: str, origin: FactOrigin) -> World:
    """The world once a call that reached its tool has been answered."""
    failed = is_error(body)
    value = data(body)
    changes: dict[str, Any] = {
        "tables": sql.learned(world.tables, target, value, failed=refused(body)),
        "longest": max(world.longest, len(observation)),
        **_forms(world, target, body, value),
    }
    text = commands.command(target)
    if text is not None:
        shell = world.shell or commands.started(target)
        changes["shell"] = commands.observed(shell, text, body, origin)
    changes["shown"] = _shown(world, target, value, failed=failed)
    if not failed and not refused(body):
        changes |= _done(world, target, text_of(body))
    elif kind(target).effect == "process":
        changes["added"] = {}
    return msgspec.structs.replace(world, **changes)


def refused(body: Body) -> bool:
    """Whether a one-line text says that the call failed, though nothing marks it as an error."""
    end = leaf(body)
    return is_error(body) or (isinstance(end, Plain) and bool(_ERROR.search(end.text[:60])))


def told(target: Target, text: str, *, failed: bool) -> Told | None:
    """The form of a one-line answer that repeats arguments of its call."""
    text = text.strip()
    names = [k for k, v in target.arguments.items() if isinstance(v, str) and len(v) >= SHORTEST]
    shown = [name for name in names if text.count(target.arguments[name]) == 1]
    if not shown or len(text) > LONGEST_TOLD or "\n" in text:
        return None
    shown.sort(key=lambda name: text.index(target.arguments[name]))
    between, at = [], 0
    for name in shown:
        start = text.index(target.arguments[name])
        if start < at:
            return None
        between.append(text[at:start])
        at = start + len(target.arguments[name])
    pieces = (*between, text[at:])
    return None if len("".join(pieces)) < SHORTEST * 2 else Told(pieces, tuple(shown), failed)


def names_in(value: Any) -> Iterator[str]:
    """The names and ids that an argument gives, however deep."""
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list):
            todo += one
        elif isinstance(one, str) and SHORTEST <= len(one) <= LONGEST_TOLD:
            yield one


def file_of(target: Target) -> str | None:
    """The one file that a call is about."""
    found = [v for k, v in target.arguments.items() if k in PATHS and isinstance(v, str)]
    return found[0] if len(found) == 1 else None


def objects(target: Target, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Objects in an answer that have an id of their own, under a key that two of one thing share.

    A name may be another thing's in another place, and ``flight_number`` another's (a day's
    flight): only ``id`` and ``uuid`` count, and a number, the id of anything, for one tool alone.
    """
    if not repeatable(target) or sql.statement(target) is not None:
        return
    todo, count = [value], 0
    while todo and count < MAX_NAMES:
        one = todo.pop()
        todo += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if not isinstance(one, dict):
            continue
        own = next((k for k in ("id", "uuid") if isinstance(one.get(k), str)), None)
        if own is not None and len(one) > 2 and len(one[own]) >= SHORTEST:
            count += 1
            who = target.label if one[own].isdecimal() else target.server or ""
            yield f"{who}|{','.join(sorted(one))}|{own}={one[own]}", one


def _shown(world: World, target: Target, value: Any, *, failed: bool) -> Mapping[str, Any]:
    if kind(target).effect != "read":
        return world.shown if failed and kind(target).effect == "write" else {}
    new = dict(objects(target, value))
    return {**world.shown, **new} if len(world.shown) < MAX_NAMES else new


def _done(world: World, target: Target, said: str) -> dict[str, Any]:
    """What a call that went well has changed."""
    effect = kind(target).effect
    if effect == "read":
        return {}
    found, named = set(words(target.name)), frozenset(names_in(target.arguments))
    if "delete" in found and effect == "write" and not _LATER.search(said):
        whole = {v for k, v in target.arguments.items() if _deletes(k, v)}
        lists = [v for k, v in target.arguments.items() if k.lower().endswith(("names", "ids"))]
        whole |= {name for one in lists for name in names_in(one)}
        gone = world.gone | whole if len(target.arguments) == 1 else world.gone
    else:
        gone = world.gone - named
    if effect == "process":
        return {"gone": gone, "files": {}, "added": {}}
    return {"gone": gone if len(gone) <= MAX_NAMES else frozenset(), **_files(world, target, found)}


def _deletes(name: str, value: Any) -> bool:
    return isinstance(value, str) and len(value) >= SHORTEST and (is_id(name) or name == "name")


def _files(world: World, target: Target, found: set[str]) -> dict[str, Any]:
    path = file_of(target)
    if path is None:
        return {"files": {}, "added": {}}
    texts = [v for k, v in target.arguments.items() if k in _TEXTS and isinstance(v, str)]
    files = {k: v for k, v in world.files.items() if k != path}
    added = {k: v for k, v in world.added.items() if k != path}
    if found & {"move", "rename", "copy"} or len(files) > MAX_NAMES:
        return {"files": {}, "added": {}}
    if "file" in found and found & {"write", "create", "save"}:
        files[path] = True
    elif "file" in found and "delete" in found:
        files[path] = False
    if found & {"add", "append"} and len(texts) == 1 and 0 < len(texts[0]) <= LONGEST_ADDED:
        added[path] = (*world.added.get(path, ()), texts[0])
    return {"files": files, "added": added}


def _forms(world: World, target: Target, body: Body, value: Any) -> dict[str, Any]:
    """How the answer is worded and wrapped."""
    label, changes = target.label, {}
    end = leaf(body)
    if isinstance(end, Plain):
        form = told(target, end.text, failed=is_error(body))
        before = world.told.get(label, ())
        if form is not None and form not in before and len(before) < 8:
            changes["told"] = {**world.told, label: (*before, form)}
    way = printed_as(end, value)
    if way is not None and not is_error(body):
        before = world.printed.get(label, (way, 0))
        count = (
            before[1] + 1 if before[0] == way and (before[1] or label not in world.printed) else 0
        )
        changes["printed"] = {**world.printed, label: (way, count)}
    if isinstance(value, dict):
        changes["echoes"] = _echoes(world.echoes, target, value)
    if isinstance(body, ToolResult):
        changes["wrapped"] = world.wrapped + (world.wrapped >= 0)
        changes["fields"] = _fields(world.fields, body)
        if structured_of(body) is not None:
            count = world.mirrored.get(label, 0)
            same = count >= 0 and mirrors(body)
            changes["mirrored"] = {**world.mirrored, label: count + 1 if same else -1}
    elif isinstance(body, Plain | Json):
        changes["wrapped"] = -1
    return changes


def printed_as(end: Body, value: Any) -> str | None:
    """The way in which data are printed, where they are long enough to tell."""
    if not isinstance(value, dict | list) or len(value) < 2:
        return None
    if isinstance(end, Json):
        return f"indent {end.style.indent}, {end.style.item!r} and {end.style.key!r}"
    return "as Python prints them"


def _echoes(before: Mapping[str, int], target: Target, value: dict[str, Any]) -> Mapping[str, int]:
    found = dict(before)
    for name, asked in target.arguments.items():
        if name in value and isinstance(asked, str | int):
            key = f"{target.label}.{name}"
            same = found.get(key, 0) >= 0 and value[name] == asked
            found[key] = found.get(key, 0) + 1 if same else -1
    return found


def classes(body: ToolResult) -> Iterator[tuple[str, frozenset[str]]]:
    """The objects of a printed wrapping: what it holds, its class and the names of its fields."""
    if body.style is None:
        yield "result", frozenset(body.fields)
        for block in body.blocks:
            yield block.type, frozenset((str(block.fields.get("$class")), *block.fields))


def _fields(before: Mapping[str, frozenset[str]], body: ToolResult) -> Mapping[str, frozenset[str]]:
    found = dict(before)
    for name, fields in classes(body):
        found[name] = found.get(name, fields) & fields
    return found


def mirrors(body: ToolResult) -> bool:
    """Whether structured content says what the text says, be it in an object of one member."""
    structured = structured_of(body)
    shown = data(body_of_text(body))
    if isinstance(structured, dict) and len(structured) == 1 and shown != structured:
        (structured,) = structured.values()
    if shown is not NOTHING:
        return shown == structured
    return isinstance(structured, str) and structured == render_body(body_of_text(body))


def body_of_text(body: ToolResult) -> Body:
    """The only text of a result, structured content aside."""
    only = body.blocks[0].body if len(body.blocks) == 1 else None
    return Plain("") if only is None else only
