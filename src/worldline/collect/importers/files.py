"""Files of recordings: one, a folder of them, or a pattern; documents that hold one value or many.

What is damaged is handed over with its file, line and field; everything else is read.
"""

import glob
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from worldline import jsonl
from worldline.collect.importers import BadLine, OnBad, convert_lines
from worldline.errors import DataError, cause
from worldline.paths import is_dir, is_file, is_missing
from worldline.trajectory import Trajectory

T = TypeVar("T")

MOST_BYTES = 512 << 20
"""A file that is read as a whole may be so large."""


def files(path: str | Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files meant by `path`, sorted: itself, those in it, or those that a pattern matches.

    Args:
        suffixes: of files in folders, each also with ``.gz``. A file named outright may have any.

    Raises:
        DataError: there is none.
    """
    path, ends = Path(path), " or ".join(suffixes)
    if is_dir(path):
        names = (*suffixes, *(f"{one}.gz" for one in suffixes))
        found = sorted(one for one in path.rglob("*") if one.name.endswith(names) and one.is_file())
    elif not is_file(path) and glob.has_magic(str(path)):
        start = Path(path.anchor) if path.is_absolute() else Path()
        pattern = str(path.relative_to(path.anchor)) if path.is_absolute() else str(path)
        found = sorted(one for one in start.glob(pattern) if one.is_file())
    elif is_missing(path):
        raise DataError("there is no such file or folder", file=path, remedy="Check the path.")
    else:
        found = [path]
    if not found:
        remedy = f"Files of this format end in {ends}." if ends else "Check the pattern."
        raise DataError("no recordings there", file=path, remedy=remedy)
    return found


def whole(path: Path) -> bytes:
    """A file's bytes, through gzip when its name ends in ``.gz``; not more than `MOST_BYTES`."""
    try:
        with jsonl.open_bytes(path) as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(
            f"cannot be read ({cause(error)})", file=path, remedy="Check the path and the file."
        ) from error
    if len(data) > MOST_BYTES:
        raise DataError(
            f"is larger than {MOST_BYTES >> 20} MiB", file=path, remedy="Cut it into several files."
        )
    return data


def documents(
    path: str | Path,
    suffixes: tuple[str, ...],
    convert: Callable[[Any, Path, int | None], list[T]],
    bad: OnBad | None,
) -> Iterator[T]:
    """What `convert(value, file, line)` makes of each document.

    ``.jsonl`` files hold one a line; others hold one, or a list of them.
    """
    for file in files(path, (*suffixes, ".jsonl")):
        if file.name.endswith((".jsonl", ".jsonl.gz")):
            try:
                for made in convert_lines(file, convert, bad):
                    yield from made
            except DataError as error:  # the file itself, or with no `bad` any line
                if bad is None:
                    raise
                bad(BadLine(0, b"", error))
            continue
        values = attempt(lambda f=file: _values(f), bad)
        for value in values or ():
            yield from attempt(lambda v=value, f=file: convert(v, f, None), bad) or ()


def distinct(found: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """The same trajectories; ids that come again get a number."""
    seen: Counter[str] = Counter()
    for one in found:
        seen[one.id] += 1
        number = seen[one.id]
        yield one if number == 1 else msgspec.structs.replace(one, id=f"{one.id}#{number}")


def attempt(make: Callable[[], list[T]], bad: OnBad | None) -> list[T] | None:
    """What `make` gives; where it cannot, the reason goes to `bad`, if there is one."""
    try:
        return make()
    except DataError as error:
        if bad is None:
            raise
        bad(BadLine(error.line or 0, b"", error))
        return None


def _values(path: Path) -> list[Any]:
    try:
        value = jsonl.loads(whole(path).decode("utf-8-sig", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"is not JSON ({error})", file=path, remedy="It must hold one JSON value in UTF-8."
        ) from error
    return value if isinstance(value, list) else [value]
