"""A JSON Schema as one readable line: ``{path: string, head?: integer 1..}``.

References inside the schema are resolved, so that a model sees the shape and not a pointer. A shape
is bounded in depth and size, whatever the schema.
"""

import json
from typing import Any

MAX_PARTS = 150
MAX_DEPTH = 8
MAX_CHOICES = 16


def shape(schema: Any) -> str:
    """The shape of a schema; ``any`` where it says nothing."""
    return _Shape(schema).of(schema, 0, ())


def signature(schema: dict[str, Any] | None) -> str:
    """The arguments of a tool: ``(path: string, head?: integer)``."""
    if schema is None:
        return "(...)"
    text = shape(schema)
    return f"({text[1:-1]})" if text.startswith("{") and text.endswith("}") else f"({text})"


def resolve(root: Any, schema: Any) -> Any:
    """The schema a chain of local ``$ref`` ends in; `None` when it leads nowhere or elsewhere."""
    for _ in range(16):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        schema = _point(root, schema["$ref"])
    return None


def _point(root: Any, ref: str) -> Any:
    if ref == "#":
        return root
    if not ref.startswith("#/"):
        return None
    for step in ref[2:].split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        root = root.get(step) if isinstance(root, dict) else None
    return root


class _Shape:
    """One rendering: the root that references point into, and how many parts are left."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.left = MAX_PARTS

    def of(self, schema: Any, depth: int, refs: tuple[str, ...]) -> str:
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH:
            return "..."
        if not isinstance(schema, dict):
            return "nothing" if schema is False else "any"
        ref = schema.get("$ref")
        if isinstance(ref, str):
            inner = resolve(self.root, schema)
            if ref in refs or inner is None:
                return ref.rpartition("/")[2] or "any"
            return self.of(inner, depth, (*refs, ref))
        return self._plain(schema, depth, refs) + _default(schema)

    def _plain(self, schema: dict[str, Any], depth: int, refs: tuple[str, ...]) -> str:
        if "const" in schema:
            return _value(schema["const"])
        if isinstance(schema.get("enum"), list):
            shown = [_value(one) for one in schema["enum"][:MAX_CHOICES]]
            return " | ".join(shown + ["..."] * (len(schema["enum"]) > MAX_CHOICES)) or "nothing"
        for word, sign in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
            if isinstance(schema.get(word), list) and schema[word]:
                parts = [self.of(one, depth + 1, refs) for one in schema[word][:MAX_CHOICES]]
                return sign.join(dict.fromkeys(parts))
        kinds = schema.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        return " | ".join(self._typed(kind, schema, depth, refs) for kind in kinds[:8])

    def _typed(self, kind: Any, schema: dict[str, Any], depth: int, refs: tuple[str, ...]) -> str:
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object(schema, depth, refs)
        if kind == "array":
            item = self.of(schema.get("items", True), depth + 1, refs)
            return f"({item})[]" if " " in item and not item.startswith("{") else f"{item}[]"
        if not isinstance(kind, str):
            return "any"
        return kind + _limits(schema)

    def _object(self, schema: dict[str, Any], depth: int, refs: tuple[str, ...]) -> str:
        fields = schema.get("properties")
        needed = schema.get("required")
        needed = needed if isinstance(needed, list) else []
        parts = []
        for name, inner in (fields if isinstance(fields, dict) else {}).items():
            if self.left <= 0:
                parts.append("...")
                break
            mark = "" if name in needed else "?"
            parts.append(f"{name}{mark}: {self.of(inner, depth + 1, refs)}")
        rest = schema.get("additionalProperties")
        if isinstance(rest, dict):
            parts.append(f"[key]: {self.of(rest, depth + 1, refs)}")
        if not parts:
            return "{}" if rest is False or fields == {} else "object"
        return "{" + ", ".join(parts) + "}"


def _limits(schema: dict[str, Any]) -> str:
    low = schema.get("minimum", schema.get("minLength", schema.get("exclusiveMinimum")))
    high = schema.get("maximum", schema.get("maxLength", schema.get("exclusiveMaximum")))
    text = "" if low is None and high is None else f" {_bound(low)}..{_bound(high)}"
    if isinstance(schema.get("format"), str):
        text += f" {schema['format'][:40]}"
    if isinstance(schema.get("pattern"), str):
        text += f" /{schema['pattern'][:80]}/"
    return text


def _bound(value: Any) -> str:
    return "" if value is None else _value(value)


def _default(schema: dict[str, Any]) -> str:
    given = schema.get("default")
    return "" if given is None else f" = {_value(given)}"


def _value(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "..."
    return text if len(text) <= 60 else f"{text[:57]}..."
