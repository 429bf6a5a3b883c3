"""RE2 and JSONPath with limits: neither a task nor what is observed can make them run away.

RE2 is linear in the length of the text. The JSONPath library's own `match` and `search` back-track,
and are refused, as is what multiplies work: a second ``..``, or a filter that starts at ``$``.
"""

import json
from functools import lru_cache
from itertools import islice
from typing import Any, NoReturn

import jsonpath_rfc9535 as jsonpath
import re2
from jsonpath_rfc9535.lex import tokenize
from jsonpath_rfc9535.node import JSONPathNode
from jsonpath_rfc9535.tokens import TokenType

from worldline import jsonl
from worldline.errors import DataError

LONGEST = 1000
"""Characters of a pattern or a path."""
MEMORY = 4 << 20
"""Bytes that RE2 may use for one pattern; past it, it falls back to a slower linear way."""
NODES = 10_000
"""Nodes that a step of a path may find."""
JSON_CHARS = 4 << 20
LINES = 50
"""Lines of a text that are tried as the start of a JSON value."""
BLANKS = 200
"""Characters behind a JSON value that must be blank up to the line's end."""
BACKTRACKING = ("match", "search")


class TooMuch(Exception):
    """The text is past what a check looks at, so that it cannot be decided."""


@lru_cache(maxsize=512)
def compiled(pattern: str, ignore_case: bool = False) -> Any:
    """An RE2 pattern.

    Raises:
        DataError: it is none, or too long.
    """
    if len(pattern) > LONGEST:
        raise DataError(f"a pattern of {len(pattern):,} characters", remedy=f"Most: {LONGEST:,}.")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        told = error.args[0] if error.args else error
        words = told.decode("utf-8", "replace") if isinstance(told, bytes) else str(error)
        raise DataError(
            f"{pattern!r} is no RE2 pattern ({words})",
            remedy="RE2 has no look-around and no back-references.",
        ) from None


def plain(text: str) -> str:
    """The text as RE2 can take it: half of a character becomes U+FFFD, so that places stay."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


def group(pattern: str, text: str, ignore_case: bool = False) -> str | None:
    """The first group (or all) of the first match; `None` without one."""
    made = compiled(pattern, ignore_case)
    found = made.search(plain(text))
    if found is None:
        return None
    start, end = found.span(1 if made.groups else 0)
    return None if start < 0 else text[start:end]


# JSONPath


class _Environment(jsonpath.JSONPathEnvironment):
    """RFC 9535 without the two functions that match by a back-tracking engine."""

    def setup_function_extensions(self) -> None:
        super().setup_function_extensions()
        for name in BACKTRACKING:
            del self.function_extensions[name]


_ENVIRONMENT = _Environment()


@lru_cache(maxsize=512)
def path(text: str) -> Any:
    """A JSONPath.

    Raises:
        DataError: it is none, is too long, or uses what is refused.
    """
    if len(text) > LONGEST:
        raise DataError(f"a path of {len(text):,} characters", remedy=f"Most: {LONGEST:,}.")
    try:
        tokens = tokenize(text)
        if why := _refused(tokens):
            raise DataError(f"{text!r} is refused: {why}", remedy="See docs/tasks.md, JSONPath.")
        return _ENVIRONMENT.compile(text)
    except (jsonpath.JSONPathError, RecursionError, ValueError, OverflowError) as error:
        words = str(error).partition("\n")[0] or type(error).__name__
        raise DataError(
            f"{text!r} is no JSONPath ({words})", remedy="See RFC 9535, as in $.items[0].name"
        ) from None


def _refused(tokens: list[Any]) -> str | None:
    kinds = [token.type_ for token in tokens]
    if any(t.type_ is TokenType.FUNCTION and t.value in BACKTRACKING for t in tokens):
        return "match() and search() back-track; use `matches` of the check"
    if kinds.count(TokenType.DOUBLE_DOT) > 1:
        return "`..` may stand in it once"
    if kinds.count(TokenType.ROOT) > 1:
        return "a filter may start at @ only"
    return None


def values(query: str, value: Any) -> list[Any]:
    """Values of the nodes that a path finds.

    Raises:
        TooMuch: there are more than `NODES`, or the value is nested too deeply.
    """
    nodes = [JSONPathNode(value=value, location=(), parent=None, root=value)]
    try:
        for segment in path(query).segments:
            nodes = list(islice(segment.resolve(nodes), NODES + 1))
            if len(nodes) > NODES:
                raise TooMuch(f"{query} finds more than {NODES:,} nodes")
    except (jsonpath.JSONPathError, RecursionError):
        raise TooMuch("the JSON is nested too deeply") from None
    return [node.value for node in nodes]


def json_in(text: str) -> Any:
    """The JSON value that a text is or, failing that, the first object or array that fills whole
    lines of it.

    Raises:
        LookupError: there is none.
        TooMuch: the text is too long.
    """
    if len(text) > JSON_CHARS:
        raise TooMuch(f"{len(text):,} characters are too many to look for JSON in")
    try:
        return jsonl.loads(text.strip())
    except (ValueError, RecursionError):
        pass
    for line in islice(compiled(r"(?m)^[ \t]*[\[{]").finditer(plain(text)), LINES):
        try:
            value, end = _DECODER.raw_decode(text, line.end() - 1)
        except (ValueError, RecursionError):
            continue
        after = compiled(r"[^ \t\r]").search(plain(text[end : end + BLANKS]))
        if after is None or after.group() == "\n":
            return value
    raise LookupError("no JSON in it")


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_constant)
