"""`worldline snapshot terminal DIR`: a folder read into the state of a simulated terminal.

Read only, links not followed, and bounded: what does not fit is named in `omitted`, and the fact it
would have completed says `complete: false`. Secrets are replaced by typed marks.
"""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from worldline.errors import UsageError
from worldline.facts import Fact, fact
from worldline.fit import CHARS_PER_TOKEN, estimate
from worldline.redact import redact
from worldline.scenarios.snapshot import Snapshot


@dataclass(frozen=True)
class Limits:
    """How much of a folder a snapshot takes."""

    files: int = 500
    """Files and folders in all."""
    depth: int = 8
    """Folders below the root."""
    file_bytes: int = 16_384
    """Largest file whose content is taken."""
    total_bytes: int = 262_144
    """Content of all files together."""
    text_tokens: int = 1_200
    """Length of the text that goes into the prompt."""


SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})
"""Folders that are listed in their parent but not entered."""


@dataclass
class _Walk:
    root: Path
    at: PurePosixPath
    limits: Limits
    facts: list[Fact] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)
    redacted: Counter[str] = field(default_factory=Counter)
    taken: int = 0

    def folder(self, folder: Path, depth: int) -> None:
        """Facts of one folder and of everything below it."""
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.add(folder, self.stat(folder), entries=None, complete=False)
            self.omit(folder, f"not listed: {error.strerror}")
            return
        room = max(self.limits.files - len(self.facts), 0)
        kept = entries[:room]
        if len(kept) < len(entries):
            self.omit(folder, f"{len(entries) - len(kept)} of {len(entries)} entries not taken")
        names = [entry.name for entry in entries]
        self.add(folder, self.stat(folder), entries=names, complete=True)
        for entry in kept:
            self.entry(Path(entry.path), depth)

    def entry(self, path: Path, depth: int) -> None:
        """Facts of one entry of a folder."""
        if len(self.facts) >= self.limits.files:
            self.omit(path, "not taken: too many files")
            return
        info = self.stat(path)
        if info is None:
            self.omit(path, "vanished while reading")
        elif stat.S_ISDIR(info.st_mode):
            if path.name in SKIPPED or depth >= self.limits.depth:
                self.add(path, info, entries=None, complete=False)
                self.omit(path, "not entered")
            else:
                self.folder(path, depth + 1)
        elif stat.S_ISREG(info.st_mode):
            self.file(path, info)
        elif stat.S_ISLNK(info.st_mode):
            self.add(path, info, target=str(path.readlink()), complete=True)
        else:
            self.add(path, info, complete=False)
            self.omit(path, "not a file, folder or link")

    def file(self, path: Path, info: os.stat_result) -> None:
        """The fact of one file, with its content where it is small text."""
        content, reason = self.content(path, info)
        if content is None:
            self.omit(path, reason)
            self.add(path, info, complete=False)
            return
        clean, found = redact(content)
        if found:
            self.redacted.update(found)
            self.omit(path, f"secrets replaced: {sum(found.values())}")
        self.add(path, info, content=clean, complete=not found)

    def content(self, path: Path, info: os.stat_result) -> tuple[str | None, str]:
        """Text of a file, or why it is not taken."""
        if info.st_size > self.limits.file_bytes:
            return None, f"content not taken: {info.st_size:,} bytes"
        if self.taken + info.st_size > self.limits.total_bytes:
            return None, "content not taken: the snapshot is full"
        try:
            data = path.read_bytes()[: self.limits.file_bytes + 1]
            text = data.decode("utf-8")
        except OSError as error:
            return None, f"content not taken: {error.strerror}"
        except UnicodeDecodeError:
            return None, "content not taken: not UTF-8 text"
        if "\0" in text or len(data) > self.limits.file_bytes:
            return None, "content not taken: binary, or it grew while reading"
        self.taken += len(data)
        return text, ""

    def add(self, path: Path, info: os.stat_result | None, *, complete: bool, **parts: Any) -> None:
        value: dict[str, Any] = {"type": _kind(info), "size": None, "mode": None, "mtime": None}
        if info is not None:
            value["size"] = info.st_size
            value["mode"] = stat.filemode(info.st_mode)
            value["mtime"] = datetime.fromtimestamp(info.st_mtime, UTC).isoformat(
                timespec="seconds"
            )
            value["writable"] = _writable(path, info)
        self.facts.append(
            fact("file", self.name(path), {**value, **parts}, origin="given", complete=complete)
        )

    def omit(self, path: Path, why: str) -> None:
        self.omitted.append(f"{self.name(path)}: {why}")

    def name(self, path: Path) -> str:
        """What the path is called in the snapshot."""
        return str(self.at / path.relative_to(self.root).as_posix())

    def stat(self, path: Path) -> os.stat_result | None:
        try:
            return path.lstat()
        except OSError:
            return None


def _locale() -> str:
    """The locale that decides how names are sorted here."""
    found = (os.environ.get(name) for name in ("LC_ALL", "LC_COLLATE", "LANG"))
    return next(filter(None, found), "C")


def _writable(path: Path, info: os.stat_result) -> bool:
    """Whether whoever takes the snapshot may write here, and a write changes nothing elsewhere."""
    if stat.S_ISDIR(info.st_mode):
        return os.access(path, os.W_OK | os.X_OK)
    return stat.S_ISREG(info.st_mode) and info.st_nlink == 1 and os.access(path, os.W_OK)


def _kind(info: os.stat_result | None) -> str:
    if info is None:
        return "unknown"
    kinds = {stat.S_ISDIR: "dir", stat.S_ISREG: "file", stat.S_ISLNK: "link"}
    return next((kind for test, kind in kinds.items() if test(info.st_mode)), "other")


def take(
    folder: str | Path,
    *,
    at: str | None = None,
    dialect: str = "command",
    limits: Limits | None = None,
) -> Snapshot:
    """Read a folder.

    Args:
        folder: what to read; nothing in it is run or changed.
        at: the absolute path the folder has in the simulated machine; ``/NAME`` if not given, so
            that no path of this machine is told.
        dialect: terminal dialect the snapshot is for.

    Raises:
        UsageError: not a folder, or `at` is not absolute.
    """
    root = Path(folder)
    if not root.is_dir():
        raise UsageError("is not a folder", file=folder, remedy="Name a folder to snapshot.")
    root = root.resolve()
    place = PurePosixPath(at or f"/{root.name or 'root'}")
    if not place.is_absolute() or ".." in place.parts:
        raise UsageError(f"{at!r} is not an absolute path", field="--at", remedy="As in /app.")
    limits = limits or Limits()
    walk = _Walk(root, place, limits)
    walk.folder(root, 0)
    facts = (
        fact("cwd", "cwd", str(place), origin="given"),
        fact("entity", "locale", _locale(), origin="given"),
        *walk.facts,
    )
    text = "\n".join(state_text(str(place), walk.facts, limits.text_tokens * CHARS_PER_TOKEN))
    return Snapshot(
        domain="terminal",
        dialect=dialect,
        text=text,
        tokens=estimate(text),
        facts=facts,
        omitted=tuple(walk.omitted),
        redacted=dict(walk.redacted),
        taken_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def state_text(place: str, facts: list[Fact], room: int) -> Iterator[str]:
    """The state in words: the listing first, then the smallest files, while there is room."""
    yield f"The current directory is {place}."
    yield "Files (size in bytes):"
    for one in facts:
        if one.key == place:
            continue
        value = one.value
        tail = {"dir": "/", "link": f" -> {value.get('target')}"}.get(value["type"], "")
        line = f"  {one.key}{tail}" + (f"  {value['size']}" if value["type"] == "file" else "")
        room -= len(line) + 1
        if room < 0:
            yield "  ... (more files than are listed here)"
            return
        yield line
    for one in sorted(facts, key=lambda f: (len(f.value.get("content") or ""), f.key)):
        content = one.value.get("content")
        if not content:
            continue
        block = f"Content of {one.key}:\n{content.rstrip()}"
        room -= len(block) + 1
        if room < 0:
            return
        yield block
