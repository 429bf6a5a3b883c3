"""JSON in the style it was written in, so that it can be written back exactly."""

import json
from typing import Any

import msgspec

from worldline import jsonl


class Json(msgspec.Struct, frozen=True):
    """A JSON value and the style it was written in."""

    value: Any
    spaced: bool = True
    ascii: bool = True
    before: str = ""
    after: str = ""


def parse_json(text: str) -> Json | None:
    """JSON text, if it can be written back exactly; else `None`."""
    body = text.strip(" \n\r\t")
    if not body or body[0] not in '[{"':
        return None
    start = text.index(body[0])
    before, after = text[:start], text[start + len(body) :]
    try:
        value = jsonl.loads(body)
    except (ValueError, RecursionError):
        return None
    for ascii in (True, False):
        for spaced in (True, False):
            found = Json(value, spaced, ascii, before, after)
            if render_json(found) == text:
                return found
    return None


def render_json(found: Json) -> str:
    """The JSON text again."""
    separators = (", ", ": ") if found.spaced else (",", ":")
    text = json.dumps(found.value, ensure_ascii=found.ascii, separators=separators)
    return f"{found.before}{text}{found.after}"


def fields(text: str) -> dict[str, Any] | None:
    """The fields of a text that is a JSON object, however it is written; no name twice."""
    try:
        value = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON.

    Raises:
        ValueError: a name stands there twice, with two values.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise ValueError(f"{name[:40]!r} has two values")
        found[name] = value
    return found
