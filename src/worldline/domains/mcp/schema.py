"""Do these arguments fit that JSON Schema? A verdict only where it is certain.

The schemas are foreign text: references are followed inside the schema alone (nothing is ever
fetched), the work is counted and bounded, patterns run only when they are surely fast. Where any of
that gives out, the verdict says why it has none.
"""

import re
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cache
from typing import Any

import msgspec

from worldline.domains.mcp.patterns import affordable

MAX_STEPS = 50_000
"""Keywords evaluated, weighted by what each looks through."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a schema says of a value: `message` for a breach, `unchecked` where nothing is certain.

    Both `None`: the value fits.
    """

    message: str | None = None
    """The breach in the words of the ``jsonschema`` library, which servers built on it print."""
    field: str = ""
    """Path of the field, as ``query.limit``; empty for the whole value."""
    unchecked: str | None = None


class _GaveUp(Exception):
    """The schema cannot be decided safely."""


_steps: ContextVar[list[int]] = ContextVar("_steps")


def check(schema: dict[str, Any] | None, value: Any) -> Verdict:
    """Check a JSON value. Draft 2020-12 unless ``$schema`` names another one. Never raises."""
    if schema is None:
        return Verdict(unchecked="there is no schema")
    from referencing.exceptions import Unresolvable

    token = _steps.set([MAX_STEPS])
    try:
        error = _best_error(schema, value)
    except _GaveUp as reason:
        return Verdict(unchecked=str(reason))
    except RecursionError:
        return Verdict(unchecked="the schema or the value is nested too deeply")
    except Unresolvable:
        return Verdict(unchecked="a reference leads out of the schema")
    except Exception as trouble:  # a foreign schema can break the library in any way
        return Verdict(unchecked=f"the schema cannot be used ({type(trouble).__name__})")
    finally:
        _steps.reset(token)
    if error is None:
        return Verdict()
    return Verdict(message=error.message, field=_field(error))


class Breach(msgspec.Struct, frozen=True, kw_only=True):
    """The one thing that is wrong with some arguments: a field is missing, or of another type."""

    rule: str
    """``required`` or ``type``."""
    field: str
    wanted: str
    """The JSON type the field must have."""
    given: str = ""
    """The JSON type it has."""
    value: Any = None


def sole_breach(schema: dict[str, Any] | None, value: dict[str, Any]) -> Breach | None:
    """What is wrong, if it is one top-level field of a plain type and nothing else."""
    found = breaches(schema, value)
    return found[0] if len(found) == 1 else None


def breaches(schema: dict[str, Any] | None, value: dict[str, Any]) -> list[Breach]:
    """All that is wrong, in the order of the declared fields.

    Empty as well where anything is wrong but missing or mistyped top-level fields of plain types.
    """
    if schema is None:
        return []
    token = _steps.set([MAX_STEPS])
    try:
        errors = list(_errors(schema, value))
    except Exception:  # as in `check`: a foreign schema can break the library in any way
        return []
    finally:
        _steps.reset(token)
    found = [_breach(schema, value, error) for error in errors]
    known = [one for one in found if one is not None]
    order = list(schema.get("properties") or {})
    if len(known) < len(found) or any(one.field not in order for one in known):
        return []
    return sorted(known, key=lambda one: order.index(one.field))


def _breach(schema: dict[str, Any], value: dict[str, Any], error: Any) -> Breach | None:
    field = _missing(error) if error.validator == "required" else _field(error)
    inner = (schema.get("properties") or {}).get(field)
    wanted = inner.get("type") if isinstance(inner, dict) else None
    if not isinstance(wanted, str) or len(error.absolute_path) > 1:
        return None
    if error.validator == "required" and not error.absolute_path:
        return Breach(rule="required", field=field, wanted=wanted)
    if error.validator == "type" and field in value:
        given = json_type(value[field])
        return Breach(rule="type", field=field, wanted=wanted, given=given, value=value[field])
    return None


def _missing(error: Any) -> str:
    """The field that a ``required`` error is about: there is one error for each."""
    names = (name for name in error.validator_value if error.message.startswith(f"{name!r} is "))
    return next(names, "")


def json_type(value: Any) -> str:
    """The JSON type of a value; whole numbers are ``integer``."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}
    return names.get(type(value), "null" if value is None else "number")


def undeclared(schema: dict[str, Any] | None, value: dict[str, Any]) -> list[str]:
    """Top-level arguments the schema says nothing of, where it lets them pass all the same."""
    if schema is None or not isinstance(schema.get("properties"), dict):
        return []
    loose = schema.get("additionalProperties", True) is True
    closed = {"patternProperties", "allOf", "anyOf", "oneOf", "$ref", "unevaluatedProperties"}
    if not loose or closed & schema.keys():
        return []
    return [name for name in value if name not in schema["properties"]]


def _best_error(schema: dict[str, Any], value: Any) -> Any:
    from jsonschema.exceptions import best_match

    return best_match(_errors(schema, value))


def _errors(schema: dict[str, Any], value: Any) -> Any:
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY

    kind = _bounded(validator_for(schema, default=_newest()))
    return kind(schema, registry=REGISTRY).iter_errors(value)


def _newest() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator


@cache
def _bounded(kind: Any) -> Any:
    """The draft's validator with every keyword counted, and patterns guarded."""
    from jsonschema.validators import extend

    keywords = {name: _counted(name, rule) for name, rule in kind.VALIDATORS.items()}
    return extend(kind, keywords)


_Rule = Callable[[Any, Any, Any, Any], Any]


def _counted(name: str, rule: _Rule) -> _Rule:
    def keyword(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        left = _steps.get()
        left[0] -= _cost(name, wanted, value)
        if left[0] < 0:
            raise _GaveUp("the schema takes too long to check")
        if name in ("pattern", "patternProperties"):
            _guard(wanted if isinstance(wanted, dict) else [wanted], value)
        yield from rule(validator, wanted, value, schema) or ()

    return keyword


def _cost(name: str, wanted: Any, value: Any) -> int:
    width = len(wanted) if isinstance(wanted, list | dict) else 1
    size = len(value) if isinstance(value, list | dict) else 1
    if name == "uniqueItems":
        return size * size if any(isinstance(v, list | dict) for v in _items(value)) else size
    if name in ("enum", "const"):
        return 1 + width * (1 if size > 1 else 0) * _nodes(value) + width // 16
    if name in ("$ref", "$dynamicRef", "$recursiveRef"):
        return 25
    if name == "patternProperties":
        return 1 + width * size
    return 1 + (width if name in ("required", "properties", "dependentRequired") else 0) + size // 8


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _nodes(value: Any) -> int:
    """Values inside a value, counted up to the budget."""
    count, todo = 0, [value]
    while todo and count < MAX_STEPS:
        one = todo.pop()
        count += 1
        todo.extend(one.values() if isinstance(one, dict) else _items(one))
    return count


def _guard(patterns: Any, value: Any) -> None:
    texts = [value] if isinstance(value, str) else list(value) if isinstance(value, dict) else []
    longest = max(map(len, texts), default=0)
    if texts and not all(isinstance(p, str) and affordable(p, longest) for p in patterns):
        raise _GaveUp("a pattern of the schema may take too long")


def _field(error: Any) -> str:
    """Path of the field a ``jsonschema`` error is about, a missing or surplus one included."""
    path = [*error.absolute_path]
    if error.validator == "required":
        path += [p for p in error.validator_value if error.message.startswith(f"{p!r} is ")][:1]
    elif error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {})
        path += [p for p in error.instance if p not in known and repr(p) in error.message][:1]
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
    return re.sub(r"^\.", "", text)
