"""Records inside JSON results: which entity a value is about.

A record is an object that carries its own id (``reservation_id``, ``id``, ``flight_number``). Its
key is ``name=value``; a later result about the same entity replaces it.
"""

from collections import deque
from typing import Any

MAX_RECORDS = 60
MAX_DEPTH = 5
NAMES = ("name", "title", "index", "path", "cid")
"""Fields that name an object where it has no id."""
_ENDINGS = ("_id", "Id", "ID", "_number", "_uuid", "_key", "_code")


def is_id(name: str) -> bool:
    """Whether a field of this name identifies what it stands in."""
    return name in ("id", "uuid", "key") or name.endswith(_ENDINGS)


def own_key(items: list[Any]) -> list[str] | None:
    """What tells the objects of an array apart, an id or a name of each; `None` if nothing does."""
    if not isinstance(items[0], dict) or not all(isinstance(one, dict) for one in items):
        return None
    for field in sorted(items[0], key=_rank):
        if (is_id(field) or field in NAMES) and _scalar(items[0][field]):
            found = [one.get(field) for one in items]
            if all(_scalar(v) for v in found) and len(set(found)) == len(found):
                return [f"{field}={v}" for v in found]
    return None


def _rank(field: str) -> tuple[bool, bool, str]:
    return field != "id", not is_id(field), field


def only_id(arguments: dict[str, Any]) -> str | None:
    """The name of the only argument, when it identifies something."""
    if len(arguments) != 1:
        return None
    name, value = next(iter(arguments.items()))
    return name if is_id(name) and _scalar(value) else None


def records(value: Any, arguments: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    """Records in a result, by key; outer ones first.

    With `whole`, a result that does not carry the id it was asked by is filed under that id.
    """
    found: dict[str, Any] = {}
    name = only_id(arguments) if whole else None
    if name is not None and isinstance(value, dict) and name not in value:
        found[f"{name}={arguments[name]}"] = value
    todo = deque([(value, 0)])
    while todo and len(found) < MAX_RECORDS:
        one, depth = todo.popleft()
        if isinstance(one, dict):
            own = next((k for k, v in one.items() if is_id(k) and _scalar(v)), None)
            if own is not None:
                found.setdefault(f"{own}={one[own]}", one)
        if depth < MAX_DEPTH:
            inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            todo += [(v, depth + 1) for v in inner if isinstance(v, dict | list)]
    return found


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and len(str(value)) <= 120
