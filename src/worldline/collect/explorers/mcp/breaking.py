"""Calls broken on purpose: what agents get wrong, so that servers show how they refuse it."""

import json
from typing import Any

from worldline.collect.explorers.base import Move
from worldline.collect.explorers.mcp.hand import ODD, Hand
from worldline.domains.mcp.actions import call_text
from worldline.domains.mcp.shapes import resolve
from worldline.domains.mcp.tools import Tool

_TYPES: tuple[Any, ...] = ("seven", 42, -1, 3.5, True, None, [], {}, ["a", 1], {"value": "x"}, "")


def broken(hand: Hand, action: str) -> Move | None:
    """A variant of a call that should not work, or `None` where none is found."""
    try:
        call = json.loads(action)
        name, arguments = call["name"], dict(call["arguments"])
    except (ValueError, KeyError, TypeError):
        return None
    tool = hand.tools.get(name)
    if tool is None:
        return None
    ways = [_missing, _missing, _type, _type, _type, _surplus, _choice, _nowhere, _odd, _extreme]
    hand.rng.shuffle(ways)
    if hand.chance(0.12):
        return Move(call_text(_other_name(hand, name), arguments), "break: unknown tool")
    if hand.chance(0.1):
        return _malformed(hand, name, arguments)
    for way in ways:
        changed = way(hand, tool, arguments)
        if changed is not None and changed != arguments:
            return Move(call_text(name, changed), f"break: {way.__name__[1:]}")
    return None


def _missing(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    needed = [n for n in (tool.input_schema or {}).get("required") or [] if n in arguments]
    if not needed:
        return None
    gone = set(hand.rng.sample(needed, 1 if hand.chance(0.8) else len(needed)))
    return {name: value for name, value in arguments.items() if name not in gone}


def _type(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    if not arguments:
        return None
    name = hand.rng.choice(list(arguments))
    others = [v for v in _TYPES if type(v) is not type(arguments[name])]
    return {**arguments, name: hand.rng.choice(others)}


def _surplus(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
    name = hand.rng.choice((hand.words.one("quality"), "verbose", "limit", "force", "recursive"))
    return {**arguments, name: hand.rng.choice((True, 10, "yes", hand.words.one("thing")))}


def _choice(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    schema = tool.input_schema or {}
    limited = [
        name for name in arguments if "enum" in (resolve(schema, tool.properties.get(name)) or {})
    ]
    if not limited:
        return None
    return {**arguments, hand.rng.choice(limited): hand.words.one("quality")}


def _nowhere(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """A name, path or id that does not exist."""
    texts = [name for name, value in arguments.items() if isinstance(value, str)]
    if not texts:
        return None
    name = hand.rng.choice(texts)
    old, new = arguments[name], hand.words.slug("-")
    if "/" in old:
        new = f"{old.rpartition('/')[0]}/{new}{old[old.rfind('.') :] if '.' in old else ''}"
    return {**arguments, name: new}


def _odd(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    texts = [name for name, value in arguments.items() if isinstance(value, str)]
    return {**arguments, hand.rng.choice(texts): hand.rng.choice(ODD)} if texts else None


def _extreme(hand: Hand, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
    numbers = [n for n, v in arguments.items() if isinstance(v, int | float) and v is not True]
    numbers = [n for n in numbers if arguments[n] is not False]
    if not numbers:
        return None
    return {**arguments, hand.rng.choice(numbers): hand.rng.choice((-1, 0, -7, 999, 10**7))}


def _other_name(hand: Hand, name: str) -> str:
    verb, thing = hand.words.one("verb"), hand.words.one("thing")
    parts = name.replace("-", "_").split("_")
    made = (
        f"{name}s",
        f"{verb}_{parts[-1]}",
        f"{parts[0]}_{thing}",
        f"{verb}_{thing}",
        name.replace("_", "-") if "_" in name else name.upper(),
        name.capitalize(),
    )
    return hand.rng.choice([one for one in made if one not in hand.tools])


def _malformed(hand: Hand, name: str, arguments: dict[str, Any]) -> Move:
    text = call_text(name, arguments)
    cut = hand.rng.randint(len(text) // 2, len(text) - 1)
    made = (
        (text[:cut], "cut"),
        (text.replace('"', "'"), "quotes"),
        (text[:-1] + ",}", "comma"),
        (f"{name}({', '.join(f'{k}={v!r}' for k, v in arguments.items())})", "python"),
        (json.dumps({"tool": name, "args": arguments}, ensure_ascii=False), "shape"),
        (json.dumps({"name": name, "arguments": json.dumps(arguments)}), "string"),
        (json.dumps({"name": name, "arguments": json.dumps(arguments)[:-1]}), "broken string"),
        (json.dumps({"name": name, "arguments": list(arguments.values())}), "list"),
        (json.dumps({"name": name}), "none"),
        (f"I will now call {name} for you.", "prose"),
    )
    text, what = hand.rng.choice(made)
    return Move(text, f"break: {what}")
