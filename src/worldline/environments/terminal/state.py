"""What there is in a session's file system: listings and contents, read from inside the sandbox.

Nothing of the session is opened from outside, so that no link of it leads anywhere.
"""

import io
import posixpath
import stat
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from worldline.environments.sandbox import Sandbox
from worldline.facts import Fact, fact
from worldline.redact import redact

HOME = "/home/user"
MOST = 2_000
"""Files and folders that are read in all."""
FILE_BYTES = 16_384
"""Largest file whose content is taken."""
TOTAL_BYTES = 262_144
"""Content of all files together."""
SKIPPED = (".git", ".hg", "node_modules", "__pycache__", ".venv", ".npm", ".cache")
"""Folders that are listed in their parent but not entered."""

_KINDS = {"f": "file", "d": "dir", "l": "link"}
_FIELDS = r"%y\t%m\t%s\t%T@\t%n\t%u\t%p\t%l\0"


class Entry(NamedTuple):
    """A file, folder or link."""

    path: str
    type: str
    mode: int
    size: int
    mtime: float
    links: int
    owner: str
    target: str


def entries(box: Sandbox, places: Sequence[str] = (HOME,)) -> list[Entry]:
    """What is under these folders, themselves included, in order of path; `MOST` at most."""
    skip = " -o ".join(f"-name {name}" for name in SKIPPED)
    find = f"find \"$@\" -xdev -printf '{_FIELDS}' -type d \\( {skip} \\) -prune 2>/dev/null"
    done = box.run(["sh", "-c", f"{find} | head -zn {MOST}", "sh", *places], timeout=20)
    return sorted(_parsed(done.stdout))


def _parsed(data: bytes) -> Iterator[Entry]:
    for record in data.decode("utf-8", "surrogateescape").split("\0"):
        fields = record.split("\t")
        if len(fields) < 8:
            continue
        kind, mode, size, mtime, links, owner, path = fields[:7]
        with suppress(ValueError):
            yield Entry(
                path=path,
                type=_KINDS.get(kind, "other"),
                mode=int(mode, 8),
                size=int(size),
                mtime=float(mtime),
                links=int(links),
                owner=owner,
                target="\t".join(fields[7:]),
            )


def contents(box: Sandbox, found: Iterable[Entry]) -> dict[str, str]:
    """Path -> text, of the small text files among these, while there is room."""
    wanted: list[str] = []
    room = TOTAL_BYTES
    for one in found:
        if one.type == "file" and one.size <= FILE_BYTES and one.size <= room:
            wanted.append(one.path)
            room -= one.size
    names = "\0".join(wanted).encode("utf-8", "surrogateescape")
    tar = "tar -cPf - --format=pax --no-recursion --ignore-failed-read --null -T - 2>/dev/null"
    limit = 2 * TOTAL_BYTES + 4_096 * len(wanted) + 65_536
    done = box.run(["sh", "-c", f"{tar} | head -c {limit}"], input=names, timeout=20)
    return dict(_texts(done.stdout))


def _texts(data: bytes) -> Iterator[tuple[str, str]]:
    with suppress(tarfile.TarError), tarfile.open(fileobj=io.BytesIO(data), mode="r|") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isreg() else None
            if file is None:
                continue
            with suppress(UnicodeDecodeError):
                text = file.read(FILE_BYTES + 1).decode("utf-8")
                if "\0" not in text and len(text.encode()) == member.size:
                    yield member.name, text


def file_facts(
    found: Sequence[Entry], texts: dict[str, str], origin: Any, *, sizes: bool = True
) -> tuple[list[Fact], list[str], dict[str, int]]:
    """Facts of files; what was left out, and how many secrets were replaced, by kind.

    Args:
        sizes: with size, mode and time; without, only what a listing of names tells.
    """
    facts: list[Fact] = []
    omitted: list[str] = []
    redacted: dict[str, int] = {}
    names: dict[str, list[str]] = {}
    for one in found:
        names.setdefault(posixpath.dirname(one.path), []).append(posixpath.basename(one.path))
    whole = len(found) < MOST
    for one in found:
        value: dict[str, Any] = {"type": one.type, **(_measures(one) if sizes else {})}
        complete = one.type in ("dir", "link")
        if one.type == "dir":
            entered = whole and posixpath.basename(one.path) not in SKIPPED
            value["entries"] = sorted(names.get(one.path, [])) if entered else None
            complete = entered
        elif one.type == "link":
            value["target"] = one.target
        elif one.path in texts:
            value["content"], hidden = redact(texts[one.path])
            for kind, count in hidden.items():
                redacted[kind] = redacted.get(kind, 0) + count
            complete = not hidden
        if not complete and sizes:
            omitted.append(f"{one.path}: content not taken")
        facts.append(fact("file", one.path, value, origin=origin, complete=complete))
    if not whole:
        omitted.append(f"{HOME}: more than {MOST} files")
    return facts, omitted, redacted


def _measures(one: Entry) -> dict[str, Any]:
    bits = {"dir": stat.S_IFDIR, "link": stat.S_IFLNK}.get(one.type, stat.S_IFREG)
    mine = one.owner == "user" and bool(one.mode & 0o200)
    return {
        "size": one.size,
        "mode": stat.filemode(bits | one.mode),
        "mtime": datetime.fromtimestamp(one.mtime, UTC).isoformat(timespec="seconds"),
        "writable": mine and (one.type == "dir" or (one.type == "file" and one.links == 1)),
    }
