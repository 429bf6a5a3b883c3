"""What is known of files: the `file` facts of a ledger, read and changed on a working copy.

A fact's value is ``{"type": file|dir|link|absent, "content"?, "entries"?, ...}``. `own` marks what
this session made itself (so it is no link, and may be written). `ragged` marks content of which the
line end before the end of the file was cut by the harness. A fact that may have changed since it
was established is *stale*: the model may be told, but no certain answer rests on it.

Paths are absolute; a path under an unknown current directory begins with ``./``.
"""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from worldline.facts import Fact, FactOrigin, fact

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


class Files:
    """A working copy of the file facts. `changed` and `stale` say how it differs from the ledger.

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

    def copy(self) -> "Files":
        """A copy to try something on; it rests on nothing yet."""
        twin = Files(self.facts, self.stale, self.turn, self.cwd)
        twin.changed = dict(self.changed)
        return twin

    # reading

    def get(self, path: str) -> Fact | None:
        """The fact of `path`, unless it may have changed. Whoever asks rests on it."""
        id = f"file:{path}"
        if id in self.stale:
            return None
        found = self.changed.get(id) or self.facts.get(id)
        if found is not None:
            self.used[id] = found
        return found

    def kind(self, path: str) -> FileKind:
        """What is at `path`; ``absent`` only where that is certain."""
        if path in ("/", HERE):
            return "dir"
        found = self.get(path)
        if found is not None:
            return found.value.get("type") or "unknown"
        above = parent(path)
        kind = self.kind(above)
        if kind == "absent":
            return "absent"
        return (
            "absent"
            if kind == "dir" and self.lists(above, posixpath.basename(path)) is False
            else "unknown"
        )

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
        """Whether this session made what is at `path`, and may write there."""
        found = self.get(path)
        return found is not None and bool(found.value.get("own"))

    def crosses_link(self, path: str) -> bool:
        """Whether `path` goes through, or is, a link (which is not followed)."""
        while path not in ("/", HERE):
            found = self._fact(path)
            if found is not None and found.value.get("type") in LINKS:
                return True
            path = parent(path)
        return False

    # changing

    def put(
        self, path: str, value: dict[str, Any], origin: FactOrigin, complete: bool = True
    ) -> None:
        """Establish a fact, fresh from this turn."""
        new = fact("file", path, value, origin=origin, turn=self.turn, complete=complete)
        self.changed[new.id] = new
        self.stale.discard(new.id)

    def write(self, path: str, content: str | None, origin: FactOrigin) -> None:
        """The session put `content` (or something unknown) into `path`."""
        before = self._fact(path)
        made = self.kind(path) == "absent" or bool(before and before.value.get("made"))
        if not made and not self.regular(path):
            self.doubt_reads(own=before is not None or self._listed(path))
        self._shadow(path)
        value: dict[str, Any] = {"type": "file", "content": content, "own": True}
        if made:
            value["made"] = True
        self.put(path, value, origin, complete=content is not None)
        self._list(path, True)

    def make_folder(self, path: str, origin: FactOrigin) -> None:
        """The session made an empty directory."""
        self.put(path, {"type": "dir", "entries": [], "own": True}, origin)
        self._list(path, True)

    def remove(self, path: str, origin: FactOrigin) -> None:
        """The session removed `path` and everything below."""
        if self.kind(path) != "file":
            self._doubt_linked(path)
        self._forget_below(path)
        self._shadow(path)
        self.put(path, {"type": "absent"}, origin)
        self._list(path, False)

    def touch(self, path: str) -> None:
        """Something unknown happened at `path` or below."""
        if self.crosses_link(path):
            self.touch_everything()
            return
        if self.kind(path) not in ("file", "absent"):
            self._doubt_linked(path)
        if not (self.regular(path) or self.kind(path) == "absent"):
            self.doubt_reads(own=self._fact(path) is not None or self._listed(path))
        self._forget_below(path)
        self._shadow(path)
        self._list(path, True)
        self._stale(f"file:{path}")
        self._stale(f"file:{parent(path)}")

    def link(self, path: str) -> None:
        """`path` is, or may be, another name of something else: it is not followed from here on."""
        directory = self.kind(path) == "dir"
        self.touch(path)
        if not directory:
            self.put(path, {"type": "other"}, "action")

    def touch_everything(self) -> None:
        """Anything may have changed."""
        for id in [*self.facts, *self.changed]:
            if id.startswith("file:"):
                self._stale(id)

    def doubt_reads(self, *, own: bool) -> None:
        """A write through what may be a link: contents that were only read may have changed, and
        if the link was there before, so may what the session wrote into files that were there."""
        for id, one in {**self.facts, **self.changed}.items():
            if one.kind != "file" or one.value.get("content") is None or one.origin == "given":
                continue
            mine = bool(one.value.get("own"))
            if not one.value.get("made") and (own or not mine):
                self._stale(id)

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

    def forget_here(self) -> None:
        """The unknown current directory may have become another one."""
        for id in [*self.facts, *self.changed]:
            if id.startswith(f"file:{HERE}"):
                self._stale(id)

    def settle_here(self, cwd: str) -> None:
        """The unknown current directory turned out to be `cwd`."""
        for id, one in {**self.facts, **self.changed}.items():
            if one.kind == "file" and one.key.startswith(HERE) and id not in self.stale:
                path = join(cwd, one.key)
                if path is not None and f"file:{path}" not in self.facts:
                    moved = fact(
                        "file",
                        path,
                        one.value,
                        origin=one.origin,
                        turn=one.turn,
                        complete=one.complete,
                    )
                    self.changed[moved.id] = moved
        self.forget_here()

    def _shadow(self, path: str) -> None:
        """The same name elsewhere may be the same file: a linked directory, an unknown `HERE`."""
        tail = "/" + posixpath.basename(path)
        for id, one in {**self.facts, **self.changed}.items():
            if one.kind == "file" and one.key != path and one.key.endswith(tail):
                unclear = path.startswith(HERE) != one.key.startswith(HERE)
                if unclear or (one.origin in ("real", "model") and not one.value.get("own")):
                    self._stale(id)

    def _forget_below(self, path: str) -> None:
        below = f"file:{path.rstrip('/')}/"
        for id in [*self.facts, *self.changed]:
            if id.startswith(below):
                self._stale(id)

    def sure(self, folder: str) -> bool:
        """Whether a directory is certainly no link."""
        if folder in ("/", HERE, self.cwd):
            return True
        found = self._fact(folder)
        if found is None or found.value.get("type") != "dir":
            return False
        return bool(found.origin == "given" or found.value.get("own") or found.value.get("plain"))

    def _doubt_linked(self, path: str) -> None:
        """A tree changed: what was known of it by the name of a link to it is doubtful."""
        for id, one in {**self.facts, **self.changed}.items():
            if one.kind == "file" and one.key != path and not self.sure(parent(one.key)):
                self._stale(id)

    def _list(self, path: str, present: bool) -> None:
        """Keep the listing of the directory above true; others may be links to it."""
        self.wrote.add(path)
        above, name = parent(path), posixpath.basename(path)
        for id, one in {**self.facts, **self.changed}.items():
            listed = one.kind == "file" and isinstance(one.value.get("entries"), list)
            if listed and one.key != above and not self.sure(one.key):
                self._stale(id)
        id = f"file:{above}"
        found = None if id in self.stale else self.changed.get(id) or self.facts.get(id)
        if found is None or not isinstance(found.value.get("entries"), list):
            return
        names = [one for one in found.value["entries"] if one != name]
        value = {**found.value, "entries": [*names, name] if present else names}
        self.put(above, value, found.origin, found.complete)

    def _stale(self, id: str) -> None:
        found = self.changed.get(id) or self.facts.get(id)
        if found is not None and found.value.get("type") in LINKS:
            return
        self.changed.pop(id, None)
        if id in self.facts:
            self.stale.add(id)
