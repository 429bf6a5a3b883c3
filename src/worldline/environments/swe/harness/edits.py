"""What file tools of several harnesses share: replacing texts, numbering lines, searching."""

import fnmatch
import posixpath
import shlex
from collections.abc import Sequence

from worldline.environments.swe.files import Files
from worldline.environments.swe.harness.base import Refused
from worldline.environments.swe.shell import FreshShell
from worldline.environments.swe.workspace import Workspace

SEARCH_S = 15.0


def numbered(lines: Sequence[str], first: int, mark: str) -> str:
    """Lines with their numbers."""
    return "\n".join(f"{number}{mark}{line}" for number, line in enumerate(lines, first))


def replaced(content: str, old: str, new: str, *, everywhere: bool) -> tuple[str, int]:
    """The content with `new` for `old`, and how often `old` stood there; unchanged if that is 0,
    or more than 1 and not meant `everywhere`."""
    count = content.count(old) if old else 0
    if count == 0 or (count > 1 and not everywhere):
        return content, count
    return content.replace(old, new), count


def matching(files: Files, folder: str, pattern: str) -> list[str]:
    """Files below a folder that a glob pattern matches, newest first, then by path."""
    if pattern.startswith("/"):
        folder, pattern = "/", pattern.lstrip("/")
    found = [
        (name, time)
        for name, time in files.walk(folder)
        if _matches(posixpath.relpath(name, folder), pattern)
    ]
    return [name for name, _ in sorted(found, key=lambda one: (-one[1], one[0]))]


def _matches(path: str, pattern: str) -> bool:
    parts, wanted = path.split("/"), pattern.split("/")
    if len(parts) > 40 or len(wanted) > 20 or pattern.count("*") > 20:
        return False
    return _fits(parts, wanted)


def _fits(parts: list[str], wanted: list[str]) -> bool:
    """Whether names fit patterns of names; ``**`` fits any number of them."""
    reached = {0}
    for one in wanted:
        if one == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
            continue
        reached = {
            at + 1 for at in reached if at < len(parts) and fnmatch.fnmatchcase(parts[at], one)
        }
    return len(parts) in reached


def searched(space: Workspace, pattern: str, path: str, options: Sequence[str]) -> list[str]:
    """Lines of a recursive `grep` in the sandbox; `options` say what a pattern is.

    Raises:
        Refused: the pattern is none, or the path is not there.
    """
    flags = ["-r", "--exclude-dir=.git", "--exclude-dir=__pycache__", "-I", *options]
    command = ["grep", *flags, "-e", pattern, "--", path]
    printed = FreshShell(space).run(shlex.join(command), SEARCH_S)
    if printed.code is None or printed.code > 1:
        raise Refused(printed.output.strip() or "the search took too long")
    return sorted_by_file(printed.output.split("\n")[:-1])


def sorted_by_file(rows: list[str]) -> list[str]:
    """Rows of a search, file by file in order of path; the order within a file stays."""
    return sorted(rows, key=lambda row: row.partition(":")[0])
