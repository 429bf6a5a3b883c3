"""Valid arguments from a JSON Schema, with values an agent would use."""

from typing import Any

from worldline.collect.explorers.mcp.hand import Hand
from worldline.domains.mcp.shapes import resolve
from worldline.domains.mcp.tools import Tool

_COLOURS = ("FF0000", "00AA55", "#336699", "blue", "FFCC00", "808080", "4472C4")
_OPTIONAL = 0.3
"""How likely an optional argument is given."""


def arguments(hand: Hand, tool: Tool) -> dict[str, Any]:
    """Arguments that fit the tool's schema; those that were used or seen before come again."""
    schema = tool.input_schema or {}
    needed = schema.get("required") or []
    return {
        name: value(hand, name, resolve(schema, inner), schema)
        for name, inner in tool.properties.items()
        if name in needed or hand.chance(_OPTIONAL)
    }


def value(hand: Hand, name: str, schema: Any, root: Any, depth: int = 0) -> Any:
    """A value for an argument of this name."""
    schema = resolve(root, schema) if isinstance(schema, dict) else {}
    if hand.pool.get(name) and hand.chance(0.75):
        return hand.rng.choice(hand.pool[name])
    for key in ("const", "default"):
        if schema.get(key) is not None and hand.chance(0.3):
            return schema[key]
    if schema.get("enum"):
        return hand.rng.choice(schema["enum"])
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return value(hand, name, hand.rng.choice(choices), root, depth)
    kind = schema.get("type")
    kind = hand.rng.choice(kind) if isinstance(kind, list) else kind
    return _of_type(hand, name, kind, schema, root, depth)


def _of_type(
    hand: Hand, name: str, kind: Any, schema: dict[str, Any], root: Any, depth: int
) -> Any:
    match kind:
        case "boolean":
            return hand.chance(0.5)
        case "integer" | "number":
            return _number(hand, schema, whole=kind == "integer")
        case "null":
            return None
        case "array":
            return _array(hand, name, schema, root, depth)
        case "object":
            return _object(hand, schema, root, depth)
        case _:
            return _string(hand, name)


def _number(hand: Hand, schema: dict[str, Any], *, whole: bool) -> int | float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = min(schema.get("maximum", low + hand.rng.choice((1, 3, 10, 60))), low + 1_000)
    if whole or hand.chance(0.7):
        return hand.rng.randint(int(low), max(int(low), int(high)))
    return round(hand.rng.uniform(low, high), 2)


def _array(hand: Hand, name: str, schema: dict[str, Any], root: Any, depth: int) -> list[Any]:
    if "color" in name:
        return [hand.rng.randint(0, 255) for _ in range(3)]
    if depth > 3:
        return []
    single = name[:-1] if name.endswith("s") else name
    inner = schema.get("items", {"type": "string"})
    many = hand.rng.randint(max(1, schema.get("minItems", 1)), 4)
    return [value(hand, single, inner, root, depth + 1) for _ in range(many)]


def _object(hand: Hand, schema: dict[str, Any], root: Any, depth: int) -> dict[str, Any]:
    if depth > 3:
        return {}
    inner = schema.get("properties")
    if not isinstance(inner, dict):
        return {hand.words.one("thing"): hand.rng.randint(0, 50)}
    needed = schema.get("required") or []
    return {
        name: value(hand, name, one, root, depth + 1)
        for name, one in inner.items()
        if name in needed or hand.chance(_OPTIONAL)
    }


def _string(hand: Hand, name: str) -> str:
    words, low = hand.words, name.lower()
    if "color" in low:
        return hand.rng.choice(_COLOURS)
    if "cell" in low:
        return f"{hand.rng.choice('ABCDEFG')}{hand.rng.randint(1, 20)}"
    if "path" in low or "file" in low:
        return f"/home/user/{words.slug('-')}.{hand.rng.choice(('txt', 'md', 'json', 'csv'))}"
    if "url" in low or "uri" in low:
        return f"https://{words.one('unit')}.example/{words.slug('-')}"
    if "date" in low or low.endswith("timestamp"):
        return words.date()
    if any(part in low for part in ("name", "id", "style", "sheet", "branch")):
        return words.slug(hand.rng.choice("-_"))
    if any(part in low for part in ("text", "content", "description", "message", "thought")):
        return hand.text()
    if "title" in low or "header" in low or "topic" in low:
        return words.title()
    return hand.rng.choice((words.one("thing"), words.one("topic"), words.slug("-")))
