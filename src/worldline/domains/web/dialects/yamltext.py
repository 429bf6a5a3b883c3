"""Texts inside an aria snapshot: bare, or quoted where YAML would misread them.

The rules are those of ``packages/isomorphic/yaml.ts`` of Playwright 1.63; a text is taken as quoted
(or bare) only if those rules would write it that way.
"""

import re

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n"} | {
    "\r": "\\r",
    "\t": "\\t",
}
_PLAIN = {escape[1]: char for char, escape in _ESCAPES.items()}
_TO_ESCAPE = re.compile(r'[\\"\x00-\x1f\x7f-\x9f]')
_ESCAPE = re.compile(r'\\(?:x([0-9a-f]{2})|([\\"bfnrt]))')
_QUOTED = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"')
_SPACE = r"[\s\ufeff]"  # what JavaScript calls white space
_ODD = re.compile(
    rf"^{_SPACE}|{_SPACE}$|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|^-|[\n:](?:{_SPACE}|$)"
    rf"|{_SPACE}#|[\n\r]|^[&*\],?!>|@\"'#%\[]|[{{}}`]"
)
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})
_NUMBER = re.compile(
    r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?|[+-]?Infinity|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+"
)


def needs_quotes(text: str) -> bool:
    """Whether Playwright quotes this text."""
    return (
        not text
        or _ODD.search(text) is not None
        or text.lower() in _WORDS
        or _NUMBER.fullmatch(text) is not None
    )


def write_value(text: str) -> str:
    """A text as it stands behind a colon."""
    if not needs_quotes(text):
        return text
    return '"' + _TO_ESCAPE.sub(_escaped, text) + '"'


def read_value(source: str) -> str | None:
    """The text of a value; `None` if Playwright would have written it another way."""
    text = source
    if source.startswith('"'):
        if _QUOTED.fullmatch(source) is None:
            return None
        text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _PLAIN[m[2]], source[1:-1])
    return text if write_value(text) == source else None


def write_key(key: str) -> str:
    """A key, in single quotes where it must be."""
    return "'" + key.replace("'", "''") + "'" if needs_quotes(key) else key


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    return _ESCAPES.get(char) or f"\\x{ord(char):02x}"
