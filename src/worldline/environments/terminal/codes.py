"""Escape codes, as pyte reads them and beyond, carried out without ever failing."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

import pyte
from pyte.screens import Char


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
