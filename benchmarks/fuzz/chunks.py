"""Bytes in pieces, as pipes and terminals deliver them: where they are cut must not matter."""

import random
import zlib
from collections.abc import Iterator

SINGLE = 300
"""Data of so many bytes is also given byte by byte."""
LARGE = 40_000
"""Larger data is only cut into few pieces, since its time is measured."""


def raw(text: str) -> tuple[bytes, ...]:
    """A text as UTF-8 and, where that is something else, as bytes that are none."""
    data = text.encode("utf-8", "surrogatepass")
    return (data,) if text.isascii() else (data, text.encode("latin-1", "replace"))


def cuts(data: bytes) -> Iterator[list[bytes]]:
    """The data whole, in pieces of any size, byte by byte; the same for the same data."""
    yield [data]
    draw = random.Random(zlib.crc32(data))
    sizes = (4_096,) if len(data) > LARGE else (1, 2, 3, 7, 100, 5_000)
    pieces, at = [], 0
    while at < len(data):
        size = draw.choice(sizes)
        pieces.append(data[at : at + size])
        at += size
    yield pieces
    if len(data) <= SINGLE:
        yield [data[at : at + 1] for at in range(len(data))]
