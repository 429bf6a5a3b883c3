"""What a session changed, read from the overlay's upper folder: a state diff for free."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

Kind = Literal["made", "changed", "deleted"]


class Change(NamedTuple):
    """A path (absolute, as the agent sees it) and what became of it."""

    path: str
    kind: Kind


def changes(upper: Path, lower: Path) -> Iterator[Change]:
    """Every file, link and folder that differs from the system as it was, in order of path.

    Folders count only where made or deleted. Nothing is followed and nothing is opened: names and
    types are all that is read.
    """
    yield from _folder(upper, lower, "")


def _folder(upper: Path, lower: Path, at: str) -> Iterator[Change]:
    with os.scandir(upper) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        path, below = f"{at}/{entry.name}", lower / entry.name
        info = entry.stat(follow_symlinks=False)
        was_there = os.path.lexists(below)
        if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
            yield Change(path, "deleted")
        elif stat.S_ISDIR(info.st_mode):
            if not was_there:
                yield Change(path, "made")
            yield from _folder(Path(entry.path), below, path)
        else:
            yield Change(path, "changed" if was_there else "made")
