"""Two ways of refusing arguments that many servers share: pydantic's (Python) and zod's (Node).

A style writes the whole refusal of a call from its schema and its arguments. It counts only where
it has written a session's first refusal exactly; and only mistakes are written whose fate does not
depend on the value (a text that may read as a number is converted by some servers).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worldline.domains.mcp.schema import Breach, breaches
from worldline.domains.mcp.tools import Tool

PYDANTIC_VERSION = re.compile(r"errors\.pydantic\.dev/(\d+\.\d+)/v/")
LONGEST = 50
"""Characters of a value that pydantic prints whole."""
_CONVERTED = frozenset(
    {
        ("boolean", "integer"),
        ("boolean", "number"),
        ("integer", "number"),
        ("integer", "boolean"),
        ("number", "boolean"),
        ("array", "string"),  # read as JSON by some
        ("object", "string"),
        ("integer", "string"),
        ("number", "string"),
        ("boolean", "string"),
    }
)
"""(wanted, given) that some servers convert."""
_PYDANTIC = {
    "string": ("Input should be a valid string", "string_type"),
    "integer": ("Input should be a valid integer", "int_type"),
    "number": ("Input should be a valid number", "float_type"),
    "boolean": ("Input should be a valid boolean", "bool_type"),
    "array": ("Input should be a valid list", "list_type"),
    "object": ("Input should be a valid dictionary", "dict_type"),
}
_ZOD_WANTED = frozenset({"string", "number", "boolean", "array", "object"})


def version_of(text: str) -> str:
    """The part of a refusal that belongs to the server's installation, not to the call."""
    found = PYDANTIC_VERSION.search(text)
    return found[1] if found else ""


def write(style: str, tool: Tool, arguments: dict[str, Any], version: str) -> str | None:
    """The refusal of a call in a style, or `None` where that is not certain."""
    found = breaches(tool.input_schema, arguments)
    if not found or any((one.wanted, one.given) in _CONVERTED for one in found):
        return None
    return STYLES[style](tool, arguments, found, version)


def _zod(
    tool: Tool, arguments: dict[str, Any], found: Sequence[Breach], version: str
) -> str | None:
    if any(one.wanted not in _ZOD_WANTED for one in found):
        return None
    start = f"MCP error -32602: Input validation error: Invalid arguments for tool {tool.name}: "
    return start + "\n".join(map(_zod_issue, found))


def _zod_issue(one: Breach) -> str:
    given = {"": "undefined", "integer": "number"}.get(one.given, one.given)
    return f"Invalid input: expected {one.wanted}, received {given} at {one.field}"


def _pydantic(
    tool: Tool, arguments: dict[str, Any], found: Sequence[Breach], version: str
) -> str | None:
    title = (tool.input_schema or {}).get("title")
    plain = all(set(tool.properties[one.field]) <= _PLAIN for one in found)
    if not isinstance(title, str) or not version or not plain:
        return None
    noun = "validation error" if len(found) == 1 else "validation errors"
    lines = [f"Error executing tool {tool.name}: {len(found)} {noun} for {title}"]
    for one in found:
        says, code = _PYDANTIC.get(one.wanted, ("", ""))
        value: Any = one.value
        if one.rule == "required":
            says, code, value = "Field required", "missing", arguments
        shown = _shown(value)
        if not says or shown is None:
            return None
        kind = f"[type={code}, input_value={shown}, input_type={type(value).__name__}]"
        lines += [one.field, f"  {says} {kind}"]
        lines.append(
            f"    For further information visit https://errors.pydantic.dev/{version}/v/{code}"
        )
    return "\n".join(lines)


_PLAIN = frozenset({"type", "title", "description", "default", "items", "additionalProperties"})
"""A field that says more than this may be checked by a type of its own."""


def _shown(value: Any) -> str | None:
    """A value as pydantic prints it: long ones lose their middle, which is sure for ASCII alone."""
    text = repr(value)
    if len(text) <= LONGEST:
        return text
    return f"{text[:25]}...{text[-24:]}" if text.isascii() else None


_Writer = Callable[[Tool, dict[str, Any], Sequence[Breach], str], str | None]
STYLES: Mapping[str, _Writer] = {"zod": _zod, "pydantic": _pydantic}


def recognised(tool: Tool, arguments: dict[str, Any], text: str) -> str | None:
    """The style that writes exactly this text for this call."""
    version = version_of(text)
    for style in STYLES:
        if write(style, tool, arguments, version) == text:
            return style
    return None
