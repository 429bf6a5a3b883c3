"""The objects with scores in a judge's reply: which stand in verdict tags, which stand loose.

A judge quotes what it grades, and what it grades may hold tags, verdicts and braces of its own. So
the reply is walked once: whatever stands inside an object that was read is text of that object, and
thoughts are what leads the reply. Reading is linear in the length of the reply (at most `MOST`
openings are tried).
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

TAG = "final_evaluation"
MOST = 64
"""Braces of a reply from which on an object is tried."""
SCANS = 8
"""How often the whole reply may be gone through for ends of objects."""
_LITERAL_MOST = 20_000
"""Characters of a text that is read as a Python literal, where it is no JSON."""

_TOKEN = re.compile(
    rf"<\s*+(?P<close>/?)\s*+(?:(?P<verdict>{TAG})|think(?:ing)?)\s*+>|\{{", re.IGNORECASE
)
_THOUGHTS_END = re.compile(r"<\s*+/\s*+think(?:ing)?\s*+>", re.IGNORECASE)
_SIGN = re.compile(r'[{}"\\]')
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"?|,(?=\s*[}\]])|[^",]++|,', re.DOTALL)
_CURLY = ("\u201c", "\u201d", "\u201e", "\u201f")
_ODD = str.maketrans({**dict.fromkeys(_CURLY, '"'), **dict.fromkeys("\xa0\u202f\u3000", " ")})


class Object(NamedTuple):
    """An object that has scores, and whether its text had to be mended to be one."""

    value: dict[str, Any]
    repaired: bool


class Walk:
    """What a reply holds."""

    def __init__(self, text: str) -> None:
        self.blocks: list[list[Object]] = []
        """The objects in each pair of verdict tags; a pair with nothing in it is none."""
        self.loose: list[Object] = []
        """Those outside of tags."""
        self._text, self._tries = text, MOST
        self._left = SCANS * len(text)
        self._lead = self._at = 0
        self._open: list[Object] | None = None
        self._start = 0
        while (found := _TOKEN.search(text, self._at)) is not None:
            self._at = found.end()
            if found[0] == "{":
                self._object(found.start())
            elif found["verdict"]:
                self._verdict(found)
            else:
                self._thoughts(found)
        if self._open is not None:
            self._close(len(text))

    def _verdict(self, tag: re.Match[str]) -> None:
        if self._open is not None:
            # An opening tag in a block without an object: the one before was only spoken of.
            self._close(tag.start(), spoken=not tag["close"] and not self._open)
        if not tag["close"]:
            self._open, self._start = [], tag.end()

    def _close(self, end: int, *, spoken: bool = False) -> None:
        held, self._open = self._open or [], None
        if held or (self._text[self._start : end].strip() and not spoken):
            self.blocks.append(held)

    def _thoughts(self, tag: re.Match[str]) -> None:
        if tag["close"]:  # its opening tag was in the prompt: what came before were thoughts
            self.blocks, self.loose, self._open = [], [], None
            self._lead = tag.end()
            return
        ended = _THOUGHTS_END.search(self._text, tag.end())
        leads = not self._text[self._lead : tag.start()].strip()
        if leads:
            self._at = self._lead = ended.end() if ended else len(self._text)
        elif ended is not None and not _TOKEN.search(self._text, tag.end(), ended.start()):
            self._at = ended.end()

    def _object(self, start: int) -> None:
        if not self._tries or self._left <= 0:
            return
        end = _balanced(self._text, start)
        self._left -= (end or len(self._text)) - start
        body = self._text[start:end]
        told = body.lower()
        if end is not None and "scores" not in told:
            # A brace in prose may seem to hold a verdict's own tags: then it holds nothing.
            self._at = self._at if TAG in told else end
            return
        self._tries -= 1
        found = None if end is None else loaded(body)
        if end is not None and found is not None and has_scores(found.value):
            (self.loose if self._open is None else self._open).append(found)
            self._at = end


def _balanced(text: str, start: int) -> int | None:
    """Where the object that begins here ends; braces in quoted texts do not count."""
    if text[start + 1 : start + 40].lstrip()[:1] in _CURLY:  # these are its quotes
        text = text.translate(_ODD)
    depth, quoted, skip = 0, False, -1
    for sign in _SIGN.finditer(text, start):
        if sign.start() == skip:
            continue
        if sign[0] == "\\":
            skip = sign.end() if quoted else -1
        elif sign[0] == '"':
            quoted = not quoted
        elif not quoted:
            depth += 1 if sign[0] == "{" else -1
            if not depth:
                return sign.end()
    return None


def has_scores(value: dict[str, Any]) -> bool:
    """Whether it has the field, however it is written."""
    return any(isinstance(name, str) and name.lower() == "scores" for name in value)


def loaded(text: str) -> Object | None:
    """The object that a text is, if it can be read as one."""
    for mended, repaired in _readings(text):
        try:
            value = json.loads(
                mended,
                strict=False,
                object_pairs_hook=_pairs,
                parse_constant=lambda name: None,
            )
        except (ValueError, RecursionError):
            continue
        return Object(value, repaired) if isinstance(value, dict) else None
    if len(text) > _LITERAL_MOST:
        return None
    try:
        with warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
    return Object(value, True) if isinstance(value, dict) else None


def _readings(text: str) -> Iterator[tuple[str, bool]]:
    yield text, False
    yield _without_trailing_commas(text), False
    straight = text.translate(_ODD)
    if straight != text:
        yield _without_trailing_commas(straight), True


def _without_trailing_commas(text: str) -> str:
    pieces = [found[0] for found in _PIECE.finditer(text)]
    kept: list[str] = []
    for piece, after in zip(pieces, [*pieces[1:], ""], strict=True):
        if piece != "," or after.lstrip()[:1] not in ("}", "]"):
            kept.append(piece)
    return "".join(kept)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that comes twice with different values has none, whatever its case."""
    found: dict[str, Any] = {}
    names: dict[str, str] = {}
    for name, value in pairs:
        known = names.setdefault(name.strip().lower(), name)
        found[known] = value if found.get(known, value) == value else None
    return found
