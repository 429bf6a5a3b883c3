"""An answer that repeats its call, and gets it wrong."""

import re
from collections.abc import Iterator
from typing import Any

from worldline.domains.mcp.checks_sql import Finding
from worldline.domains.mcp.kinds import kind, words
from worldline.domains.mcp.observations import Body, Plain
from worldline.domains.mcp.reading import leaf
from worldline.domains.mcp.records import is_id, only_id
from worldline.domains.mcp.tools import Target
from worldline.domains.mcp.world import PATHS, Told, World

_ODD = re.compile(r"[\W_]+")
_CLASSES = ((str.isalpha, "a"), (str.isdigit, "0"))


def plainly(value: Any) -> str:
    """A value as it is compared: servers trim, write small and turn ``Hello World`` to a slug."""
    return _ODD.sub("", str(value)).casefold()


def echoed(world: World, target: Target, value: Any) -> Iterator[Finding]:
    """The answer repeats an argument and gets it wrong."""
    if not isinstance(value, dict):
        return
    found = set(words(target.name))
    alone = only_id(target.arguments) if kind(target).effect == "read" else None
    changing = found & {"update", "set", "edit", "modify", "cancel", "close"}
    for name, asked in target.arguments.items():
        if name not in value or not isinstance(asked, str | int) or isinstance(asked, bool):
            continue
        told = name == alone or (is_id(name) and changing)
        told = told or world.echoes.get(f"{target.label}.{name}", 0) >= 2
        given = value[name]
        if told and isinstance(given, str | int) and not _alike(asked, given):
            shown = str(given)[:80]
            yield Finding(
                "other_entity",
                f"asked for {name} {str(asked)[:80]!r}, answered for {shown!r}",
                shown,
                is_id(name) and _names_another(asked, given, value),
            )


def _alike(one: Any, other: Any) -> bool:
    one, other = plainly(one), plainly(other)
    return one == other or (one.isdecimal() and other.isdecimal() and int(one) == int(other))


def _names_another(asked: Any, given: Any, value: dict[str, Any]) -> bool:
    """Whether an id is another thing's: no alias (``me``), no second name, no short form.

    A key (``PROJ-1``) and the number of the same thing are of other signs; an answer to a key
    holds it elsewhere.
    """
    one, other = plainly(asked), plainly(given)
    elsewhere = any(_alike(asked, v) for v in value.values() if isinstance(v, str | int))
    digits = any(sign.isdigit() for sign in one)
    return digits and _signs(asked) == _signs(given) and not elsewhere and not _within(one, other)


def _within(one: str, other: str) -> bool:
    return other.startswith(one) or one.endswith(other) or other.endswith(one)


def _signs(value: Any) -> frozenset[str]:
    """Which kinds of signs a name consists of: letters, digits, each sign that is neither."""
    return frozenset(
        next((name for is_one, name in _CLASSES if is_one(sign)), sign) for sign in str(value)
    )


def told_otherwise(world: World, target: Target, body: Body) -> Iterator[Finding]:
    """A confirmation in the tool's own words names something else than the call."""
    end = leaf(body)
    if not isinstance(end, Plain):
        return
    for form in world.told.get(target.label, ()):
        names = None if form.failed else filled(form, end.text.strip())
        for hole, name in zip(form.holes, names or (), strict=False):
            asked = target.arguments.get(hole)
            if not isinstance(asked, str) or plainly(asked) in plainly(name):
                continue
            if plainly(name) not in plainly(asked):
                message = f"the call says {hole} {asked[:80]!r}, not {name[:80]!r}"
                # A place or a person has several names, what the call made has the one it gave.
                yield Finding("other_entity", message, name, hole in PATHS or is_id(hole))


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
