"""Literals as Python prints them, read without running anything.

A page's text reaches a state through `repr`, so a literal is taken only if Python would print the
very same characters for its value: what is read is rendered back exactly.
"""

import re
from typing import NamedTuple

Scalar = str | bool | int | float | tuple[int, ...]

_END = re.compile(r"(?:'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\")")
_ESCAPE = re.compile(
    r"\\(?:([\\'\"nrt])|x([0-9a-f]{2})|u([0-9a-f]{4})|U(000[1-9a-f][0-9a-f]{4}|0010[0-9a-f]{4}))"
)
_PLAIN = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,20})?(?:e[+-]\d{1,3})?(?![\w.])")
_WORD = re.compile(r"(?:True|False)(?!\w)")
_BOX = re.compile(r'"\((-?\d{1,9}(?:,-?\d{1,9})+)\)"')


class Read(NamedTuple):
    """A literal's value, and the index behind it."""

    value: Scalar
    end: int


def string(text: str, at: int) -> tuple[str, int] | None:
    """The string literal at `at` and where it ends; `None` if Python would not print it so."""
    found = _END.match(text, at)
    if found is None:
        return None
    source = found[0]
    value = source[1:-1]
    if "\\" in value:
        value = _ESCAPE.sub(_unescape, value)
    return (value, found.end()) if repr(value) == source else None


def scalar(text: str, at: int) -> Read | None:
    """A string, a number, `True` or `False`, or a box ``"(12,40,90,60)"`` of whole numbers."""
    if text.startswith(("'", '"'), at):
        if box := _BOX.match(text, at):
            numbers = tuple(int(one) for one in box[1].split(","))
            return Read(numbers, box.end()) if write(numbers) == box[0] else None
        found = string(text, at)
        return Read(*found) if found else None
    if word := _WORD.match(text, at):
        return Read(word[0] == "True", word.end())
    if number := _NUMBER.match(text, at):
        return _number(number[0], number.end())
    return None


def write(value: Scalar) -> str:
    """A value as the source prints it: `repr`, but for boxes."""
    if isinstance(value, tuple):
        return '"(' + ",".join(str(number) for number in value) + ')"'
    return repr(value)


def _number(source: str, end: int) -> Read | None:
    value: int | float
    try:
        value = int(source)
    except ValueError:
        value = float(source)
    return Read(value, end) if repr(value) == source else None


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return _PLAIN[match[1]]
    code = int(match[2] or match[3] or match[4], 16)
    return chr(code) if code < 0x110000 else match[0]
