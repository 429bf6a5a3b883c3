"""A working copy of what is known of files, and what every change makes doubtful.

A name may be a link to another file or directory. Only what the session made itself, a snapshot
gave, or a long listing showed to be a file is certainly none; a change makes everything else
doubtful that may be another name of what changed.
"""

import posixpath
from typing import Any

from worldline.domains.terminal.shell.filefacts import HERE, LINKS, FileFacts, join, parent
from worldline.facts import FactOrigin, fact


class Files(FileFacts):
    """A working copy of the file facts; `changed` and `stale` are what differs from the ledger."""

    def copy(self) -> "Files":
        """A copy to try something on; it rests on nothing yet."""
        twin = Files(self.facts, self.stale, self.turn, self.cwd)
        twin.changed = dict(self.changed)
        return twin

    def put(
        self, path: str, value: dict[str, Any], origin: FactOrigin, complete: bool = True
    ) -> None:
        """Establish a fact, fresh from this turn. A look at something keeps who may write there."""
        before = self._fact(path)
        seen = before.value if before is not None and before.id not in self.stale else {}
        if "writable" in seen and seen.get("type") == value["type"]:
            value = {"writable": seen["writable"], **value}
        new = fact("file", path, value, origin=origin, turn=self.turn, complete=complete)
        self.changed[new.id] = new
        self.stale.discard(new.id)

    def write(self, path: str, content: str | None, origin: FactOrigin) -> None:
        """The session put `content` (or something unknown) into `path`."""
        nature = self._nature(path)
        self._doubt(through_link="found" in nature)
        self._doubt_shared(path)
        self._shadow(path)
        value: dict[str, Any] = {"type": "file", "content": content, "own": True, **nature}
        self.put(path, value, origin, complete=content is not None)
        self._list(path, True)

    def _nature(self, path: str) -> dict[str, bool]:
        """What is known of the name that is written to: ``made`` new by the session, ``plain`` (no
        link), ``found`` there before and perhaps a link, or nothing of the kind."""
        before = self._fact(path)
        if self.kind(path, strict=True) == "absent" or (before and before.value.get("made")):
            return {"made": True}
        if self.regular(path):
            return {"plain": True}
        mine = before is not None and before.value.get("own") and not before.value.get("found")
        there = before is not None or self._listed(path)
        return {"found": True} if there and not mine else {}

    def make_folder(self, path: str, origin: FactOrigin) -> None:
        """The session made an empty directory."""
        self.put(path, {"type": "dir", "entries": [], "own": True}, origin)
        self._list(path, True)

    def remove(self, path: str, origin: FactOrigin) -> None:
        """The session removed `path` and everything below."""
        if self.kind(path) != "file":
            self._doubt_linked(path)
        self._doubt(through_link=False)
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
        self._doubt(through_link="found" in self._nature(path))
        self._doubt_shared(path)
        self._forget_below(path)
        self._shadow(path)
        self._list(path, True)
        self._stale(f"file:{path}")
        self._stale_above(path)

    def _stale_above(self, path: str) -> None:
        """Listings that may have a new name: of the folder above, and of those above a folder that
        may have been made on the way."""
        while path not in ("/", HERE):
            path = parent(path)
            there = self.kind(path) == "dir"
            self._stale(f"file:{path}")
            if there:
                return

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

    def _doubt(self, *, through_link: bool) -> None:
        """Something was written: what may be a link to it is no longer known.

        Args:
            through_link: the name written to was there before and may be a link itself, so that
                any file that was there before may be what changed.
        """
        for id, one in {**self.facts, **self.changed}.items():
            value = one.value
            if one.kind != "file":
                continue
            if through_link and (value.get("type") == "absent" or "entries" in value):
                self._stale(id)  # a link that led nowhere: its target is made now
            if value.get("content") is None or one.origin == "given":
                continue
            mine = value.get("own") and not value.get("found")
            sure = value.get("made") or value.get("plain")
            if not sure and (through_link or not mine):
                self._stale(id)

    def _doubt_shared(self, path: str) -> None:
        """A file that was there before may have other names; those that a snapshot calls writable
        have none."""
        before = self._fact(path)
        given = before is not None and (before.origin == "given" or "writable" in before.value)
        if before is None or not given or before.value.get("type") == "dir":
            return
        if before.value.get("writable") is True:
            return
        for id, one in {**self.facts, **self.changed}.items():
            alone = one.kind != "file" or one.value.get("writable") or one.value.get("made")
            if not alone and one.key != path and one.value.get("content") is not None:
                self._stale(id)

    def disown(self, path: str) -> None:
        """What was just put at `path` has the mode of something that may not be written."""
        found = self._fact(path)
        if found is not None:
            self.put(
                path, {**found.value, "own": False, "writable": False}, found.origin, found.complete
            )

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
            unclear = above.startswith(HERE) != one.key.startswith(HERE)
            if listed and one.key != above and (unclear or not self.sure(one.key)):
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
