"""JSON and JSON Lines as the contracts want them: UTF-8, split on ``\\n`` only, nothing lost.

* Lone surrogates survive a round trip: they are written as ``\\udXXX`` escapes, so that the file
  stays valid UTF-8, and read back as the same character.
* NaN and Infinity are refused in both directions.
* ``.gz`` files are read and written transparently. Reading is streaming.
"""

import codecs
import gzip
import hashlib
import json
import math
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, TypeVar, cast, overload

from worldline.errors import DataError, cause
from worldline.paths import parent_made
from worldline.whole import whole


def _escape_surrogate(error: UnicodeError) -> tuple[str, int]:
    bad = cast(UnicodeEncodeError, error)
    return "".join(f"\\u{ord(c):04x}" for c in bad.object[bad.start : bad.end]), bad.end


codecs.register_error("worldline_json_escape", _escape_surrogate)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text} is too large")
    return value


def loads(text: str | bytes) -> Any:
    """Parse strict JSON. Raises `ValueError` on anything else, NaN, Infinity and 1e999 included."""
    return json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)


_COMPACT, _SORTED = (
    json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys
    )
    for sort_keys in (False, True)
)


def dumps(value: Any, *, sort_keys: bool = False) -> bytes:
    """Compact JSON as UTF-8 bytes. Raises `ValueError` on NaN and Infinity."""
    text = (_SORTED if sort_keys else _COMPACT).encode(value)
    return text.encode("utf-8", "worldline_json_escape")


T = TypeVar("T")


@overload
def convert(value: Any, kind: type[T], *, strict: bool = True) -> T: ...
@overload
def convert(value: Any, kind: Any, *, strict: bool = True) -> Any: ...
def convert(value: Any, kind: Any, *, strict: bool = True) -> Any:
    """A JSON value as a type, as `msgspec.convert` does it.

    Raises:
        msgspec.ValidationError: it does not fit; also where half of a character (a lone surrogate)
            stands in a name or a number, which msgspec itself stumbles over.
    """
    import msgspec

    try:
        return msgspec.convert(value, kind, strict=strict)
    except UnicodeEncodeError as error:
        half = f"{ord(error.object[error.start]):04x}"
        raise msgspec.ValidationError(
            f"Half of a character (\\u{half}) where a name or a number must stand"
        ) from error


def sha(value: Any) -> str:
    """Content address of a JSON value: 64 hex digits of SHA-256 over its canonical form."""
    return hashlib.sha256(dumps(value, sort_keys=True)).hexdigest()


class Line(NamedTuple):
    """One line of a JSON Lines file: its 1-based number and its value."""

    number: int
    value: Any


def open_bytes(path: Path, mode: str = "rb") -> IO[bytes]:
    """Open a file for bytes, through gzip when its name ends in ``.gz``.

    No time is written into a gzip file: the same content under the same name gives the same file.
    """
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.GzipFile(path, mode, mtime=0))
    return cast(IO[bytes], path.open(mode))


def raw_lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Stream the lines of a file as (1-based number, bytes with line end). Blank ones are skipped.

    Raises:
        DataError: the file cannot be read.
    """
    path = Path(path)
    try:
        with open_bytes(path) as file:
            for number, raw in enumerate(file, 1):
                if raw.strip():
                    yield number, raw
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=path, remedy="Check the path and the file."
        ) from error


def read(path: str | Path) -> Iterator[Line]:
    """Stream a JSON Lines file. Blank lines are skipped.

    Raises:
        DataError: the file cannot be read, or a line is not JSON; it names file and line.
    """
    for number, raw in raw_lines(path):
        yield Line(number, parse_line(raw, path, number))


def parse_line(raw: bytes, path: str | Path, number: int) -> Any:
    """One line's value; `DataError` with file and line when it is not JSON."""
    try:
        text = raw.decode("utf-8", "surrogatepass")
        return loads(text.removeprefix("\ufeff") if number == 1 else text)
    except (ValueError, RecursionError) as error:
        start = raw[:60].decode("utf-8", "replace")
        raise DataError(
            f"is not JSON ({error}); it starts {start!r}",
            file=path,
            line=number,
            remedy="Each line must hold one JSON value in UTF-8.",
        ) from error


def write(path: str | Path, values: Iterable[Any]) -> int:
    """Write values as JSON Lines; returns how many. The file appears whole or not at all.

    A pipe or character device (``/dev/stdout``) is written in place; see `worldline.whole`.

    Its folder is made where there is none.

    Raises:
        DataError: the file cannot be written, or is a folder or another thing that is no output;
            what was there before is untouched.
    """
    path = Path(path)
    count = 0
    try:
        suffix = path.suffix if path.suffix == ".gz" else ""
        with whole(parent_made(path), suffix) as place, open_bytes(place, "ab") as file:
            for value in values:
                file.write(dumps(value) + b"\n")
                count += 1
    except OSError as error:
        raise unwritable(path, error) from error
    return count


def made_dir(path: Path) -> Path:
    """The folder, made where there is none.

    Raises:
        DataError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def unwritable(path: str | Path, error: OSError) -> DataError:
    """What to say when a file cannot be written."""
    return DataError(
        f"cannot be written ({cause(error)})",
        file=path,
        remedy="Check that the folder exists, may be written to and has room.",
    )
