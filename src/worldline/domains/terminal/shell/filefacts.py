"""What is known of files: the `file` facts of a ledger.

A fact's value is ``{"type": file|dir|link|other|absent, "content"?, "entries"?, ...}`` with marks:

* ``own``: this session made it, and may write there; ``made``: there was nothing before.
* ``plain``: certainly no link; ``found``: there before the session wrote to it, so perhaps one.
* ``ragged``: the line end at the end of the content is not known.
* ``open_end``: nor how many blank lines follow it.
* ``dots: false``: hidden names are not in the listing.
* ``followed``: absent for programs that follow links; a link that leads nowhere may be there.

A fact that may have changed since it was established is *stale*: the model may be told, but no
certain answer rests on it.

Paths are absolute; a path under an unknown current directory begins with ``./``.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Literal

from worldline.facts import Fact

FileKind = Literal["file", "dir", "link", "absent", "unknown"]
LINKS = ("link", "other")
"""Types that are not followed; once seen, never forgotten."""
HERE = "."
"""The current directory where its path is not known."""

DEPTH = 64
"""Directories deep that paths are followed."""

VOLATILE = ("/proc", "/sys", "/dev", "/run", "/var/run", "/var/log", "/var/lib", "/var/cache")
"""Trees that change without anybody in the session touching them."""


def volatile(path: str, *, tree: bool = False) -> bool:
    """Whether what is at `path` may change by itself.

    Args:
        tree: everything below counts too.
    """
    name = posixpath.basename(path)
    if any(path == root or path.startswith(root + "/") for root in VOLATILE):
        return True
    if name.endswith((".log", ".pid", ".lock", ".sock")) or "histor" in name:
        return True
    below = path.rstrip("/") + "/"
    return tree and (path in (HERE, "..") or any(root.startswith(below) for root in VOLATILE))


def join(cwd: str | None, path: str) -> str | None:
    """The full path that `path` names, if the text alone decides (``..`` may cross a link)."""
    if not path:
        return None
    base = path if path.startswith("/") else f"{cwd or HERE}/{path}"
    parts = [part for part in base.split("/") if part not in ("", ".")]
    if ".." in parts or len(parts) > DEPTH or len(base) > 4_096:
        return None
    head = "/" if base.startswith("/") else "./"
    return head + "/".join(parts) if parts else (head if head == "/" else HERE)


def parent(path: str) -> str:
    """The directory that holds `path`."""
    head, _, _ = path.rpartition("/")
    return head or ("/" if path.startswith("/") else HERE)


class FileFacts:
    """The file facts of a ledger, as far as they still hold. `changed` are newer ones.

    Args:
        facts: the ledger's facts, not changed here.
        stale: ids of facts that may have changed since.
        turn: the turn that new facts are established in.
        cwd: the current directory, which is certainly no link.
    """

    def __init__(
        self,
        facts: Mapping[str, Fact],
        stale: Iterable[str],
        turn: int,
        cwd: str | None = None,
    ) -> None:
        self.facts = facts
        self.stale = set(stale)
        self.turn = turn
        self.cwd = cwd
        self.looked: set[str] = set()
        """Paths whose content or listing a program has read."""
        self.wrote: set[str] = set()
        """Paths that were written, made or removed."""
        self.changed: dict[str, Fact] = {}
        self.used: dict[str, Fact] = {}

    def get(self, path: str) -> Fact | None:
        """The fact of `path`, unless it may have changed. Whoever asks rests on it."""
        id = f"file:{path}"
        if id in self.stale:
            return None
        found = self.changed.get(id) or self.facts.get(id)
        if found is not None:
            self.used[id] = found
        return found

    def kind(self, path: str, *, strict: bool = False) -> FileKind:
        """What is at `path`; ``absent`` only where that is certain.

        Args:
            strict: not even a link that leads nowhere (which a failed read does not tell).
        """
        if path in ("/", HERE):
            return "dir"
        found = self.get(path)
        if found is not None and not (strict and found.value.get("followed")):
            kind = found.value.get("type") or "unknown"
            return "unknown" if kind == "absent" and self._below_file(path) else kind
        if self.cwd is not None and self.cwd.startswith(path + "/"):
            return "dir"
        above = parent(path)
        kind = self.kind(above, strict=strict)
        if kind == "absent":
            return "absent"
        return (
            "absent"
            if kind == "dir" and self.lists(above, posixpath.basename(path)) is False
            else "unknown"
        )

    def _below_file(self, path: str) -> bool:
        """Whether a file has come where a folder would have to be: that is another error."""
        while (path := parent(path)) not in ("/", HERE):
            found = self._fact(path)
            if found is not None and found.value.get("type") not in ("dir", "absent"):
                return True
        return False

    def lists(self, folder: str, name: str) -> bool | None:
        """Whether a directory holds `name`, as far as its listing tells."""
        found = self.get(folder)
        if found is None or not isinstance(found.value.get("entries"), list):
            return None
        if name in found.value["entries"]:
            return True
        hidden = name.startswith(".") and found.value.get("dots") is False
        return False if found.complete and not hidden else None

    def content(self, path: str) -> tuple[str, bool] | None:
        """Text of a file and whether its end is known exactly, if it is known and whole."""
        found = self.get(path)
        if found is None or not found.complete or found.value.get("type") != "file":
            return None
        content = found.value.get("content")
        return None if content is None else (content, not found.value.get("ragged"))

    def entries(self, path: str) -> list[str] | None:
        """Names in a directory without hidden ones, if the listing is whole."""
        found = self.get(path)
        if found is None or not found.complete or found.value.get("type") != "dir":
            return None
        names = found.value.get("entries")
        return None if names is None else [name for name in names if not name.startswith(".")]

    def own(self, path: str) -> bool:
        """Whether the session may certainly write here: it made this, or the snapshot says so."""
        found = self.get(path)
        if found is None:
            return False
        return found.value.get("writable") is True or bool(found.value.get("own"))

    def enterable(self, folder: str, cwd: str | None) -> bool:
        """Whether the session may certainly go into a directory that is there: made here, or given
        with a mode that lets everybody in. Where it is already, it got in."""
        while folder != "/" and not f"{cwd}/".startswith(f"{folder}/"):
            found = self.get(folder)
            given = found is not None and found.origin == "given"
            mode = str(found.value.get("mode")) if found is not None else ""
            if given and not self.own(folder) and not re.fullmatch(r"d(..[xs]){2}..[xt]", mode):
                return False
            folder = parent(folder)
        return True

    def crosses_link(self, path: str) -> bool:
        """Whether `path` goes through, or is, a link (which is not followed)."""
        while path not in ("/", HERE):
            found = self._fact(path)
            if found is not None and found.value.get("type") in LINKS:
                return True
            path = parent(path)
        return False

    def _fact(self, path: str) -> Fact | None:
        """The fact of `path`, stale or not; nobody rests on it."""
        return self.changed.get(f"file:{path}") or self.facts.get(f"file:{path}")

    def _listed(self, path: str) -> bool:
        """Whether a listing has shown `path`."""
        above = self._fact(parent(path))
        names = above.value.get("entries") if above is not None else None
        return isinstance(names, list) and posixpath.basename(path) in names

    def regular(self, path: str) -> bool:
        """Whether a file is certainly no link: given, listed as a file, or made here."""
        found = self._fact(path)
        if found is None or found.value.get("type") != "file":
            return False
        return bool(found.origin == "given" or found.value.get("made") or found.value.get("plain"))

    def sure(self, folder: str) -> bool:
        """Whether a directory is certainly no link."""
        if folder in ("/", HERE, self.cwd):
            return True
        found = None if f"file:{folder}" in self.stale else self._fact(folder)
        if found is None or found.value.get("type") != "dir":
            return False
        return bool(found.origin == "given" or found.value.get("own") or found.value.get("plain"))
