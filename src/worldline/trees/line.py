"""One node on one line: ``[ref] kind "main text" name=value flag``.

Strings are JSON strings, so that text of pages and screens, newlines and quotes included, can
neither end a line nor look like an attribute. The form is the same in views and edit scripts of
every dialect.

A line of a longer text (kind ``:``) is written as it is, ``: the text``, or as a JSON string where
blanks at its end could be lost: ``: "the text "``.
"""

import json
import re

from worldline.trees.node import TEXT, Node, Value

_BARE = re.compile(r"[A-Za-z_@#*][\w.:/$@#*-]*+")
_REF = re.compile(r"\[([^\s\[\]\"]+)\] ?")
# Python refuses numbers of more than 4,300 digits.
_NUMBERS = re.compile(r"-?[0-9]{1,400}(?:,-?[0-9]{1,400})+,?|-?[0-9]{1,400},|,")
_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,399})")
_TOKEN = re.compile(r"[^\s\"=]+")
_DECODER = json.JSONDecoder(strict=False)
_WORDS: dict[str, Value] = {"true": True, "false": False, "null": None}


def write(node: Node, main: str, *, ref: bool = True) -> str:
    """The node's line, without indentation.

    Args:
        main: the attribute written as a bare string.
        ref: whether the source's own id is written (a view shows it as the handle).
    """
    if node.kind == TEXT and node.ref is None and (plain := _plain(node, main)) is not None:
        return plain
    parts = [f"[{node.ref}]"] if ref and node.ref is not None else []
    parts.append(name_text(node.kind))
    text = node.get(main)
    if isinstance(text, str):
        parts.append(quoted(text))
    place = 0
    for name, value in node.attrs:
        if name == main and isinstance(text, str):
            continue
        place += 1
        parts.append(pair(name, value))
    return " ".join(parts)


def _plain(node: Node, main: str) -> str | None:
    """``: the text``; `None` for a node with anything but a text."""
    if not node.attrs:
        return TEXT
    (name, text), *more = node.attrs
    if more or name != main or not isinstance(text, str):
        return None
    bare = text and text == text.rstrip() and not text.startswith('"') and text.isprintable()
    return f"{TEXT} {text if bare else quoted(text)}"


def pair(name: str, value: Value) -> str:
    """``name=value``, or the bare name of a flag (``"odd name"=null``: a string is a text)."""
    if value is None and _BARE.fullmatch(name):
        return name
    return f"{name_text(name)}={value_text(value)}"


def name_text(name: str) -> str:
    """A kind or an attribute's name: bare where that is unambiguous."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """A JSON string; lone surrogates and other alphabets stand as they are."""
    return json.dumps(text, ensure_ascii=False)


def value_text(value: Value) -> str:
    """A value as it is written behind ``=``."""
    match value:
        case bool():
            return "true" if value else "false"
        case tuple():
            numbers = ",".join(str(number) for number in value)
            return f"{numbers}," if len(value) < 2 else numbers
        case int():
            return str(value)
        case str():
            return quoted(value)
        case None:
            return "null"
        case _:
            return f"{value!r}f"


class LineError(ValueError):
    """The line is not written as a node."""


def read(line: str, main: str, order: tuple[str, ...] = (), depth: int = 0) -> Node:
    """The node of a line.

    The main text goes first among the attributes, or where `order` puts it.

    Raises:
        LineError: it says what is wrong.
    """
    if line == TEXT or line.startswith(f"{TEXT} "):
        return _text_node(line[2:], main, depth)
    at, ref = 0, None
    if head := _REF.match(line):
        ref, at = head[1], head.end()
    kind, at = _word(line, at)
    attrs: list[tuple[str, Value]] = []
    if line.startswith(' "', at) and not _named(line, at + 1):
        text, at = string(line, at + 1)
        attrs.append((main, text))
    attrs += attributes(line, at)
    if len({name for name, _ in attrs}) < len(attrs):
        raise LineError("an attribute is given twice")
    if attrs and attrs[0][0] == main:
        rest = attrs[1:]
        attrs = place(tuple(rest), main, attrs[0][1], order, first=True)
    return Node(kind, tuple(attrs), depth, ref)


def _text_node(rest: str, main: str, depth: int) -> Node:
    text, end = string(rest, 0) if rest.startswith('"') else (rest, len(rest))
    if end < len(rest):
        raise LineError(f"expected nothing behind the string, not {rest[end : end + 20]!r}")
    return Node(TEXT, ((main, text),) if text else (), depth)


def attributes(line: str, at: int) -> list[tuple[str, Value]]:
    """The attributes of a line from `at` on, each behind one blank."""
    found: list[tuple[str, Value]] = []
    while at < len(line):
        if line[at] != " ":
            raise LineError(f"expected a blank before {line[at : at + 20]!r}")
        name, at = _word(line, at + 1)
        if line.startswith("=", at):
            value, at = _value(line, at + 1)
            found.append((name, value))
        else:
            found.append((name, None))
    return found


def place(
    attrs: tuple[tuple[str, Value], ...],
    name: str,
    value: Value,
    order: tuple[str, ...],
    *,
    first: bool = False,
) -> list[tuple[str, Value]]:
    """The attributes with a new one where `order` puts it.

    A name outside `order` goes to the end (or the beginning, if `first`).
    """
    if name not in order:
        return [(name, value), *attrs] if first else [*attrs, (name, value)]
    before = set(order[: order.index(name)])
    at = max((i + 1 for i, (other, _) in enumerate(attrs) if other in before), default=0)
    return [*attrs[:at], (name, value), *attrs[at:]]


def _named(line: str, at: int) -> bool:
    """Whether the string at `at` is a quoted attribute name (``"odd name"=1``)."""
    try:
        _, end = string(line, at)
    except LineError:
        return False
    return line.startswith("=", end)


def _word(line: str, at: int) -> tuple[str, int]:
    if line.startswith('"', at):
        return string(line, at)
    if found := _TOKEN.match(line, at):
        return found[0], found.end()
    raise LineError("expected a name" if at < len(line) else "the line ends too early")


def string(line: str, at: int) -> tuple[str, int]:
    """The JSON string that opens at `at`, and where it ends.

    Raises:
        LineError: there is none.
    """
    if not line.startswith('"', at):
        raise LineError(f"expected a string at {line[at : at + 20]!r}")
    try:
        text, end = _DECODER.raw_decode(line, at)
    except ValueError:
        raise LineError("a string is not closed, or has a bad escape") from None
    return text, end


def _value(line: str, at: int) -> tuple[Value, int]:
    if line.startswith('"', at):
        return string(line, at)
    end = line.find(" ", at)
    end = len(line) if end < 0 else end
    word = line[at:end]
    if word in _WORDS:
        return _WORDS[word], end
    if _NUMBERS.fullmatch(word):
        return tuple(int(number) for number in word.split(",") if number), end
    if _INT.fullmatch(word):
        return int(word), end
    if word.endswith("f"):
        try:
            return float(word[:-1]), end
        except ValueError:
            pass
    return word, end
