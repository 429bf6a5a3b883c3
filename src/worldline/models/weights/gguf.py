"""The header of a GGUF file: where its tensors lie and of which type they are.

Only what rewriting one needs; the layout is that of GGUF version 2 and 3, little-endian.
"""

import mmap
import struct
from pathlib import Path
from typing import Any

import msgspec

from worldline.errors import ModelError

_FIXED = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
MAGIC = b"GGUF"


class Tensor(msgspec.Struct, frozen=True):
    """One tensor: `shape` innermost first; `at` is the place of its type in the header."""

    name: str
    shape: tuple[int, ...]
    type: int
    offset: int
    """Bytes from the start of the data."""
    at: int


class Header(msgspec.Struct, frozen=True):
    """The header's bytes and what they say. `numbers` maps a key to its (value, place)."""

    raw: bytes
    numbers: dict[str, tuple[Any, int]]
    tensors: list[Tensor]

    @property
    def alignment(self) -> int:
        """Every tensor, and the data as a whole, starts at a multiple of this."""
        return int(self.numbers.get("general.alignment", (32, 0))[0])

    @property
    def data(self) -> int:
        """Where the data starts in the file."""
        return aligned(len(self.raw), self.alignment)


def aligned(size: int, alignment: int) -> int:
    """`size` rounded up."""
    return -(-size // alignment) * alignment


def header(path: Path) -> Header:
    """Read a file's header.

    Raises:
        ModelError: no GGUF file, or one that ends too early.
    """
    check_magic(path)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).header()
    except (struct.error, ValueError, KeyError, OverflowError, RecursionError) as error:
        raise ModelError("is damaged: its header makes no sense", file=path.name) from error


def check_magic(path: Path) -> None:
    """Raise `ModelError` unless the file can be read and starts as a GGUF file does."""
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise ModelError(
            f"cannot be read ({error.strerror})", file=path, remedy="Check the path."
        ) from error
    if start != MAGIC:
        raise ModelError("is no GGUF file", file=path, remedy="Name a model in GGUF format.")


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self.data, self.at = data, len(MAGIC)

    def header(self) -> Header:
        _, tensors, keys = self.take("I"), self.take("Q"), self.take("Q")
        numbers = dict(filter(None, (self.pair() for _ in range(keys))))
        found = [self.tensor() for _ in range(tensors)]
        return Header(self.data[: self.at], numbers, found)

    def take(self, kind: str) -> Any:
        value = struct.unpack_from(f"<{kind}", self.data, self.at)[0]
        self.at += struct.calcsize(f"<{kind}")
        return value

    def text(self) -> bytes:
        size = self.take("Q")
        start, self.at = self.at, self.at + size
        return self.data[start : self.at]

    def pair(self) -> tuple[str, tuple[Any, int]] | None:
        key, kind = self.text().decode(), self.take("I")
        if kind in _FIXED:
            place = self.at
            return key, (self.take(_FIXED[kind]), place)
        self.skip(kind)
        return None

    def skip(self, kind: int) -> None:
        if kind == _STRING:
            self.text()
        elif kind == _ARRAY:
            inner, count = self.take("I"), self.take("Q")
            if inner in _FIXED:
                self.at += count * struct.calcsize(f"<{_FIXED[inner]}")
            else:
                for _ in range(count):
                    self.skip(inner)
        else:
            raise KeyError(kind)

    def tensor(self) -> Tensor:
        name = self.text().decode()
        shape = tuple(self.take("Q") for _ in range(self.take("I")))
        at = self.at
        return Tensor(name, shape, self.take("I"), self.take("Q"), at)
