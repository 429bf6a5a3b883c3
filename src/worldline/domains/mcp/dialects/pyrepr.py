"""Python's printed objects as data: parse and print, without evaluating anything.

A recorded MCP result is often ``str(CallToolResult(...))``::

    meta=None content=[TextContent(type='text', text='ok', annotations=None)] isError=False

Values become plain JSON values; an object becomes a dict whose first key is `CLASS`, and values it
holds by position stand under `ARGS`. Printing follows Python's own rules for quotes and escapes.
Parsing is one pass with bounded depth; whatever is not of this form raises `ValueError`.
"""

import re
from typing import Any

CLASS = "$class"
ARGS = "$args"
MAX_DEPTH = 40

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")
_KEYWORD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NUMBER = re.compile(r"-?\d{1,400}(\.\d{1,400})?(e[+-]\d{1,3})?")
_ESCAPE = re.compile(
    r"\\(?:([\\'\"nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[0-9a-f]{5}|0010[0-9a-f]{4})|)"
)
"""An escape; a backslash alone where it is none that Python prints."""
_SIMPLE = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"None": None, "True": True, "False": False}


def parse_fields(text: str) -> dict[str, Any]:
    """``a=1 b='x'`` as a dict, in order. Raises `ValueError` when it is not of this form."""
    fields: dict[str, Any] = {}
    at = 0
    while True:
        name, at = _field_name(text, at)
        if name in fields:
            raise ValueError("repeated field")
        fields[name], at = _value(text, at, 0)
        if at == len(text):
            return fields
        at = _expect(text, at, " ")


def parse_literal(text: str) -> Any:
    """A printed list or dict, as a server prints rows it has read.

    Raises:
        ValueError: another text, or one that Python would print otherwise.
    """
    if text[:1] not in ("[", "{") or text[-1:] not in ("]", "}"):
        raise ValueError("no list and no dict")
    value, end = _value(text, 0, 0)
    if end != len(text) or render(value) != text:
        raise ValueError("not as Python prints it")
    return value


def render_fields(fields: dict[str, Any]) -> str:
    """The inverse of `parse_fields`."""
    return " ".join(f"{name}={render(value)}" for name, value in fields.items())


def render(value: Any) -> str:
    """A value as Python prints it."""
    if isinstance(value, list):
        return f"[{', '.join(map(render, value))}]"
    if not isinstance(value, dict):
        return repr(value)
    if CLASS not in value:
        return "{" + ", ".join(f"{key!r}: {render(item)}" for key, item in value.items()) + "}"
    parts = [render(item) for item in value.get(ARGS, ())]
    parts += [f"{k}={render(v)}" for k, v in value.items() if k not in (CLASS, ARGS)]
    return f"{value[CLASS]}({', '.join(parts)})"


def decode(text: str, at: int, quote: str) -> tuple[str, int]:
    """The string literal whose text begins at `at`; ends at its quote, or where the text is cut.

    Returns the string and the index of the closing quote, of a broken escape, or the end.
    """
    end = _closing(text, at, quote)
    raw, parts, done = text[at:end], [], 0
    if "\\" not in raw:
        return raw, end
    for found in _ESCAPE.finditer(raw):
        parts.append(raw[done : found.start()])
        if found[0] == "\\":
            return "".join(parts), at + found.start()
        parts.append(_unescape(found))
        done = found.end()
    parts.append(raw[done:])
    return "".join(parts), end


def _closing(text: str, at: int, quote: str) -> int:
    """The index of the quote that ends a literal, or the end of the text."""
    end = text.find(quote, at)
    while end >= 0:
        back = end
        while back > at and text[back - 1] == "\\":
            back -= 1
        if (end - back) % 2 == 0:
            return end
        end = text.find(quote, end + 1)
    return len(text)


def encode(text: str, quote: str) -> str:
    """`text` as Python prints it between these quotes, the quotes left out."""
    if quote == "'":
        return repr(text + '"')[1:-2]
    return repr(text + "'")[1:-2]


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return _SIMPLE[match[1]]
    return chr(int(match[2] or match[3] or match[4], 16))


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    char = text[at : at + 1]
    if char in ("'", '"'):
        value, end = decode(text, at + 1, char)
        return value, _expect(text, end, char)
    if char == "[":
        return _list(text, at + 1, depth)
    if char == "{":
        return _dict(text, at + 1, depth)
    number = _NUMBER.match(text, at)
    if number:
        return (float if number[1] or number[2] else int)(number[0]), number.end()
    name = _NAME.match(text, at)
    if name is None:
        raise ValueError("no value here")
    if name[0] in _WORDS:
        return _WORDS[name[0]], name.end()
    return _object(text, _expect(text, name.end(), "("), name[0], depth)


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    items = []
    while not text.startswith("]", at):
        if items:
            at = _expect(text, at, ", ")
        item, at = _value(text, at, depth + 1)
        items.append(item)
    return items, at + 1


def _dict(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    items: dict[str, Any] = {}
    while not text.startswith("}", at):
        if items:
            at = _expect(text, at, ", ")
        key, at = _value(text, at, depth + 1)
        if not isinstance(key, str) or key in items or key in (CLASS, ARGS):
            raise ValueError("not a key we can keep")
        items[key], at = _value(text, _expect(text, at, ": "), depth + 1)
    return items, at + 1


def _object(text: str, at: int, name: str, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {CLASS: name}
    first = True
    while not text.startswith(")", at):
        if not first:
            at = _expect(text, at, ", ")
        first = False
        field = _KEYWORD.match(text, at)
        if field is None:
            value, at = _value(text, at, depth + 1)
            found.setdefault(ARGS, []).append(value)
        elif field[1] in found:
            raise ValueError("repeated field")
        else:
            found[field[1]], at = _value(text, field.end(), depth + 1)
    return found, at + 1


def _field_name(text: str, at: int) -> tuple[str, int]:
    name = _NAME.match(text, at)
    if name is None or "." in name[0]:
        raise ValueError("no field here")
    return name[0], _expect(text, name.end(), "=")


def _expect(text: str, at: int, what: str) -> int:
    if not text.startswith(what, at):
        raise ValueError(f"expected {what!r}")
    return at + len(what)
