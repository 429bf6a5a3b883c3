"""Outputs of a verb, tried before its work: hours are not lost to a folder that takes no files."""

import errno
import os
from contextlib import suppress
from pathlib import Path

from worldline import jsonl
from worldline.paths import parent_made


def ready(*paths: Path | None) -> None:
    """See that files can be written. Nothing is left of the trial.

    Raises:
        DataError: one of them cannot be; it names the file and why.
    """
    for path in paths:
        if path is None:
            continue
        try:
            _tried(path)
        except OSError as error:
            raise jsonl.unwritable(path, error) from error


def _tried(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    there = path.exists()
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        with parent_made(path).open("ab"):
            pass
        if not there:
            path.unlink()
    finally:
        for folder in made:  # the deepest first; one that is not empty is another's by now
            with suppress(OSError):
                folder.rmdir()
