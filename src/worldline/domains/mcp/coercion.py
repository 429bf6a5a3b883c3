"""What lenient servers make of arguments that do not fit their schema.

Servers convert: FastMCP reads ``"5"`` as a number and ``'["a"]'`` as an array; others drop an
optional ``null``, ignore what they do not know, never look at a range. None of them gets a number
out of ``many``, or a field that was not given.
"""

import json
from typing import Any

from worldline.domains.mcp.schema import Breach, breaches

_TRUTHS = frozenset(["true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0"])


def convertible(schema: dict[str, Any] | None, arguments: dict[str, Any]) -> bool:
    """Whether a lenient server may take arguments of which a strict one would refuse some."""
    return all(_convertible(one) for one in breaches(schema, arguments))


def _convertible(breach: Breach) -> bool:
    if breach.rule != "type":
        return False
    value, wanted = breach.value, breach.wanted
    if wanted in ("integer", "number"):
        return _number(value)
    if wanted == "boolean":
        return not isinstance(value, str) or value.strip().lower() in _TRUTHS
    if wanted == "object" and isinstance(value, str):
        return isinstance(_read(value), dict)
    return True  # anything may be printed as a text, and stand alone in an array


def _number(value: Any) -> bool:
    """Whether a value is read as a number somewhere; an empty text is often no value at all."""
    if not isinstance(value, str):
        return not isinstance(value, dict | list)
    try:
        float(value.strip().replace(",", "") or "0")
    except ValueError:
        return value.strip().lower() in ("null", "none", "undefined")
    return True


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
