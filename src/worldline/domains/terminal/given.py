"""Facts as they are given: a snapshot may have been edited by hand."""

from typing import Any

from worldline.facts import Fact

_TEXTS = ("type", "mode", "target")


def well_formed(one: Fact) -> bool:
    """Whether a given fact has the shape that its kind promises; others are not taken in."""
    if one.kind == "file":
        return isinstance(one.value, dict) and one.key.startswith("/") and _file(one.value)
    if one.kind == "cwd":
        return isinstance(one.value, str) and one.value.startswith("/")
    return one.kind not in ("env", "entity") or isinstance(one.value, str)


def _file(value: dict[str, Any]) -> bool:
    if not all(isinstance(value.get(name), str | None) for name in _TEXTS):
        return False
    if not isinstance(value.get("type"), str):
        return False
    names = value.get("entries")
    listed = names is None or (isinstance(names, list) and all(_name(name) for name in names))
    return listed and isinstance(value.get("content"), str | None)


def _name(name: Any) -> bool:
    return isinstance(name, str) and name not in ("", ".", "..") and "/" not in name
