"""Escape codes, as pyte reads them and beyond, carried out without ever failing."""

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple

import pyte
from pyte.screens import Char
from wcwidth import wcwidth

LONGEST = 4_096
"""Characters of a code that are held back until its end comes."""
_HIDDEN = "P_^X"
_STRINGS = re.compile(r"\x1b[P_^X][^\x1b]*(?:\x1b\\)?|\x1b\[\?2004[hl]\r?")
"""Private strings, which no screen shows, and the switches of bracketed paste."""
_UNFINISHED = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*|\[\?2004[hl]|[P_^X][^\x1b]*\x1b?|\][^\x1b\x07]*\x1b?)?\Z"
)
_NEVER = "\u2028\u2029"
"""Separators, which terminals take for control characters."""


class Stream(pyte.Stream):
    """The codes, with those that pyte does not read."""

    csi: ClassVar = {
        **pyte.Stream.csi,
        "s": "keep_cursor",
        "u": "kept_cursor",
        "S": "scroll_up",
        "T": "scroll_down",
        "Z": "back_tab",
    }
    events = pyte.Stream.events | set(csi.values())

    @property
    def plain(self) -> bool:
        """No code has begun: what comes next is text."""
        return bool(self._taking_plain_text)

    def _send_to_parser(self, data: str) -> bool | None:
        """One character on; a code whose number is none (``²``, thousands of digits) is dropped."""
        try:
            return super()._send_to_parser(data)
        except ValueError:
            return self._taking_plain_text


class Incoming:
    """What a program wrote as text, in whole codes however it came: half a character, half a code
    and a string that no screen shows are held back."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held, self._inside = "", False

    def text(self, data: bytes) -> str:
        """What can be carried out now. Undecodable bytes are ``\\xNN``."""
        text = self._held + self._decoder.decode(data)
        if self._inside:
            text = text[text.find("\x1b") :] if "\x1b" in text else ""
            self._inside = not text
        end = _UNFINISHED.search(text)
        held = end[0] if end else ""
        text = text[: len(text) - len(held)]
        if len(held) >= LONGEST:
            self._inside = held[1] in _HIDDEN
            text, held = text if self._inside else text + held, ""
        self._held = held
        return _STRINGS.sub("", text)


class Piece(NamedTuple):
    """`text` takes cells, `marks` none: they belong to its last character (accents, selectors of
    emoji). `wide`: it is one character of two cells."""

    text: str
    marks: str
    wide: bool


def drawable(data: str) -> Iterator[Piece]:
    """A text in pieces; control characters are left out."""
    text, marks, wide = "", "", False
    for char in data:
        width = wcwidth(char)
        if width > 0 and (marks or wide or width > 1):
            yield Piece(text, marks, wide)
            text, marks, wide = char, "", width > 1
        elif width > 0:
            text += char
        elif width == 0 and char not in _NEVER:
            marks += char
    yield Piece(text, marks, wide)


class Tolerant:
    """Passes on what the stream reads; codes with parameters that nothing takes do nothing."""

    def __init__(self, screen: pyte.Screen) -> None:
        for name in Stream.events:
            setattr(self, name, _harmless(getattr(screen, name)))


def _harmless(call: Callable[..., None]) -> Callable[..., None]:
    def called(*args: Any, **kwargs: Any) -> None:
        with suppress(TypeError, ValueError, IndexError, KeyError, OverflowError):
            call(*args, **kwargs)

    return called


class Cells(dict[str, Char]):
    """Cells with the same attributes, by character."""

    def __init__(self, attributes: Char) -> None:
        self.attributes = attributes

    def __missing__(self, char: str) -> Char:
        self[char] = made = self.attributes._replace(data=char)
        return made
