"""A file that appears whole or not at all, and never in place of what is no file.

A regular file (or none) is written beside its name and put there when it is complete, so that a
full disk leaves what was there. A symbolic link stays, and what it points to is written. Pipes and
character devices (``/dev/stdout``, ``/dev/null``, a shell's ``>(...)``) are written in place: there
is nothing to keep, and to replace one would take it from the machine. All else that has a name, as
a folder, a disk or a socket, is refused.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worldline.errors import DataError

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
"""Names of what this process has open already, a regular file included."""


@contextmanager
def whole(path: str | Path, suffix: str = "") -> Iterator[Path]:
    """A name to write to; what is written there stands under `path` when the block ends well.

    Write to it in append mode: it is either new or a stream.

    Args:
        suffix: what the name that is written to must end in.

    Raises:
        DataError: `path` is there and can be no output.
        OSError: it cannot be looked at or put in place.
    """
    path = Path(path)
    if _in_place(path):
        yield path
        return
    path = Path(os.path.realpath(path))
    partial = path.with_name(f"{path.name.removesuffix(suffix)}.partial{suffix}")
    try:
        with suppress(FileNotFoundError):
            partial.unlink()  # of a process that was killed
        yield partial
        partial.replace(path)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _in_place(path: Path) -> bool:
    """Whether it is a stream; `DataError` for what is no output at all."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        return True
    if stat.S_ISREG(mode):
        return str(path).startswith(_STREAMS)
    raise DataError(
        f"is {_KINDS.get(stat.S_IFMT(mode), 'no regular file')} and is left as it is",
        file=path,
        remedy="Name a file.",
    )


_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFBLK: "a disk", stat.S_IFSOCK: "a socket"}
