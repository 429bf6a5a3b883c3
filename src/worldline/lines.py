"""Lines of a file that is only ever appended to, by a process that may be killed at any moment."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worldline import jsonl
from worldline.errors import DataError


class WholeLine(NamedTuple):
    """A line that was written to its end: its value, where it starts, its bytes without the end."""

    value: Any
    start: int
    size: int


def append(file: int, size: int, data: bytes) -> int:
    """Append all of `data` to a file of `size` bytes, or nothing of it; returns the new size.

    Args:
        file: descriptor, open for appending.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    try:
        written = 0
        while written < len(data):
            written += os.write(file, data[written:])
    except BaseException:
        os.ftruncate(file, size)
        raise
    return size + len(data)


def whole_lines(path: Path, file: int, kind: type[Any], aside: Path) -> Iterator[WholeLine]:
    """The lines of a file, each as a `kind`; what a killed process left half is cut off.

    Args:
        path: the file's name, for errors.
        file: its descriptor.
        aside: where a torn last line is moved.

    Raises:
        DataError: a line other than the last is broken: no process of ours wrote that.
    """
    decoder = msgspec.json.Decoder(kind)
    start, raw = 0, b"\n"
    torn: tuple[int, bytes] | None = None
    with os.fdopen(os.dup(file), "rb") as reader:
        reader.seek(0)
        for number, raw in enumerate(reader, 1):
            if torn is not None:
                raise _broken(path, number - 1)
            value = _decode(decoder, kind, raw)
            if value is None:
                torn = (start, raw)
            else:
                yield WholeLine(value, start, len(raw.rstrip(b"\n")))
            start += len(raw)
    if torn is not None:
        _set_aside(torn[1], aside)
        os.ftruncate(file, torn[0])
    elif not raw.endswith(b"\n"):
        append(file, start, b"\n")


def _set_aside(torn: bytes, aside: Path) -> None:
    with aside.open("ab") as file:
        file.write(torn.rstrip(b"\n") + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _decode(decoder: Any, kind: type[Any], raw: bytes) -> Any:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:  # lone surrogates are JSON too, but not to the fast decoder
        return jsonl.convert(jsonl.loads(raw.decode("utf-8", "surrogatepass")), kind)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None


def _broken(path: Path, number: int) -> DataError:
    return DataError(
        "is not a result",
        file=path,
        line=number,
        remedy="The file was changed or damaged. Restore it, or give another output file.",
    )
