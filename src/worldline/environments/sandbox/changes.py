"""What a session changed, read from the overlay's upper folder: a state diff for free."""

import errno
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

    Folders count only where made or deleted. Nothing is followed and no file is opened: names and
    types are all that is read. What lies deeper than a path can say is left out.
    """
    todo = _entries(upper, "")
    while todo:  # a stack: an agent's folders may be deeper than calls can be
        path, info = todo.pop()
        was_there = os.path.lexists(f"{lower}{path}")
        if stat.S_ISCHR(info.st_mode) and info.st_rdev == 0:
            yield Change(path, "deleted")
        elif stat.S_ISDIR(info.st_mode):
            if not was_there:
                yield Change(path, "made")
            todo += _entries(upper, path)
        else:
            yield Change(path, "changed" if was_there else "made")


def _entries(upper: Path, at: str) -> list[tuple[str, os.stat_result]]:
    """What a folder holds, last name first; nothing where its path is longer than paths can be."""
    try:
        folder = os.open(f"{upper}{at}", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return []
    try:
        with os.scandir(folder) as found:
            infos = {entry.name: entry.stat(follow_symlinks=False) for entry in found}
    finally:
        os.close(folder)
    return [(f"{at}/{name}", infos[name]) for name in sorted(infos, reverse=True)]
