"""Where things of the user live: caches, configuration, state. Each can be moved by a variable."""

import errno
import os
import stat
from pathlib import Path

import platformdirs

from worldline.errors import DataError, UsageError


def cache_dir() -> Path:
    """What can be fetched or computed again (``WORLDLINE_CACHE``)."""
    return _made(os.environ.get("WORLDLINE_CACHE") or platformdirs.user_cache_dir("worldline"))


def config_dir() -> Path:
    """What the user wrote: aliases, keys (``WORLDLINE_CONFIG``)."""
    return Path(os.environ.get("WORLDLINE_CONFIG") or platformdirs.user_config_dir("worldline"))


def state_dir() -> Path:
    """What a session leaves: histories (``WORLDLINE_STATE``)."""
    return _made(os.environ.get("WORLDLINE_STATE") or platformdirs.user_state_dir("worldline"))


def is_file(path: str | Path) -> bool:
    """Whether there is such a file; a name that no file can have (too long) is none either."""
    return os.path.isfile(path)  # noqa: PTH113 - which raises for such a name


def is_dir(path: str | Path) -> bool:
    """Whether there is such a folder; see `is_file`."""
    return os.path.isdir(path)  # noqa: PTH112


def parent_made(path: str | Path) -> Path:
    """The path, its folder made where there was none, as files are written wherever they are asked.

    Raises:
        OSError: the folder cannot be made.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def is_stream(path: str | Path) -> bool:
    """Whether it can be read only once: a pipe, as a shell's ``<(...)``, or a socket."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - see `is_file`
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def refuse_stream(path: str | Path) -> None:
    """Refuse an input that can be read only once: its first line says what it is.

    Raises:
        DataError: it is one.
    """
    if is_stream(path):
        raise DataError(
            "is a pipe, which can be read only once",
            file=path,
            remedy="Write it to a file first, and give that.",
        )


def is_missing(path: str | Path) -> bool:
    """Whether nothing has this name; what is there and cannot be looked at is not missing."""
    try:
        os.stat(path)  # noqa: PTH116 - see `is_file`
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
    return False


def _made(name: str) -> Path:
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot be made ({error.strerror})",
            file=path,
            remedy="Set WORLDLINE_CACHE or WORLDLINE_STATE to a folder you may write to.",
        ) from error
    return path
