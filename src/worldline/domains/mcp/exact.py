"""JSON text that renders back exactly as it came: the value, and the way it was printed.

Servers print JSON in a few ways (compact, spaced, indented, escaped to ASCII). `parse` reads an
object or an array and the way; where the two do not give the same text again (``1e5``, a repeated
key, ``\\/``, mixed spacing) there is no parse and the text stays text.
"""

import json
from typing import Any

import msgspec

from worldline import jsonl

MAX_DEPTH = 64
"""Deeper values stay text: every later step may walk them without fear of the stack."""
_INT = range(-(2**63), 2**64)


class Style(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a JSON text was printed; `before` and `after` are the blanks around it."""

    indent: int | str | None = None
    item: str = ", "
    key: str = ": "
    ascii: bool = True
    before: str = ""
    after: str = ""

    def render(self, value: Any) -> str:
        """The value printed in this way."""
        if isinstance(self.indent, int) and self._plain_layout:
            try:
                one_line = json.dumps(value, ensure_ascii=self.ascii, allow_nan=False).encode()
                body = msgspec.json.format(one_line, indent=self.indent).decode()
                return f"{self.before}{body}{self.after}"
            except (msgspec.DecodeError, UnicodeEncodeError):
                pass  # half a character: only Python's own printer writes it
        body = json.dumps(
            value,
            indent=self.indent,
            separators=(self.item, self.key),
            ensure_ascii=self.ascii,
            allow_nan=False,
        )
        return f"{self.before}{body}{self.after}"

    @property
    def _plain_layout(self) -> bool:
        """Whether the faster printer lays JSON out in just this way."""
        return self.indent not in (None, 0) and (self.item, self.key) == (",", ": ")


def parse(text: str) -> tuple[Any, Style] | None:
    """The object or array in `text` and its style, or `None` when it would not come back exactly.

    Linear in the length of the text; never raises.
    """
    body = text.strip(" \t\r\n")
    if body[:1] not in ("{", "[") or body[-1:] not in ("}", "]"):
        return None
    try:
        value = jsonl.loads(body)
    except (ValueError, RecursionError):
        return None
    if not keepable(value):
        return None
    before, _, after = text.partition(body)
    for style in _candidates(body, before, after):
        if style.render(value) == text:
            return value, style
    return None


def keepable(value: Any) -> bool:
    """Whether a JSON value is shallow, and its integers fit 64 bits as every reader expects."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below = []
        for one in level:
            if isinstance(one, dict):
                below.extend(one.values())
            elif isinstance(one, list):
                below.extend(one)
            elif isinstance(one, int) and one not in _INT:
                return False
        if not below:
            return True
        level = below
    return False


def _candidates(body: str, before: str, after: str) -> list[Style]:
    """The few styles that could have printed `body`, judged by its first line break."""
    ascii_only = body.isascii()
    line = body.find("\n")
    if line < 0:
        pairs = [(", ", ": "), (",", ":"), (",", ": "), (", ", ":")]
        return [Style(None, item, key, ascii_only, before, after) for item, key in pairs]
    blanks = body[line + 1 :]
    width = len(blanks) - len(blanks.lstrip(" \t"))
    indent = "\t" * width if blanks.startswith("\t") else width
    return [Style(indent, ",", key, ascii_only, before, after) for key in (": ", ":")]
