"""Debian packages as they are, not installed: fetched into the cache by apt, read as archives.

apt checks what it fetches against the signed index. Where a package cannot be fetched but is
installed, its files are read from where it is installed. What was had is written down with its
version and checksum, so that a session knows which corpus it searches.
"""

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from worldline import jsonl
from worldline.environments.search.recipe import Package
from worldline.errors import WorldlineError
from worldline.paths import cache_dir

FETCH_S = 600
ROOT = Path("/")


class CorpusError(WorldlineError):
    """The documents cannot be had."""

    exit_code = 3


class Had(msgspec.Struct, frozen=True, kw_only=True):
    """A package that is here.

    Args:
        sha256: of the archive; of dpkg's list of checksums where it is ``installed``.
        file: name of the archive in the cache.
    """

    name: str
    version: str
    sha256: str
    place: Literal["archive", "installed"]
    file: str = ""


class File(NamedTuple):
    """A file of a package: its path without the leading slash, its content, its date."""

    path: str
    data: bytes
    date: str


def folder() -> Path:
    """Where packages are kept."""
    return cache_dir() / "search" / "packages"


def had(name: str) -> Had | None:
    """What is here of a package, from an earlier `fetch`."""
    try:
        found = msgspec.json.decode((folder() / f"{name}.json").read_bytes(), type=Had)
    except (OSError, msgspec.DecodeError):
        return None
    gone = found.place == "archive" and not (folder() / found.file).is_file()
    return None if gone else found


def fetch(name: str, tell: Callable[[str], None]) -> Had:
    """Have a package: from the cache, from Debian's mirror, or as it is installed.

    Raises:
        CorpusError: none of these; says what to do.
    """
    found = had(name)
    if found is not None:
        return found
    folder().mkdir(parents=True, exist_ok=True)
    tell(f"fetching the Debian package {name}")
    try:
        found = _downloaded(name)
    except CorpusError:
        found = _installed(name)
        if found is None:
            raise
    record = folder() / f"{name}.json"
    jsonl.write(record, [msgspec.to_builtins(found)])
    return found


def _downloaded(name: str) -> Had:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise CorpusError(
            f"{name}: this is no Debian system (apt-get and dpkg-deb are missing)",
            remedy="Give the option folder=DIR with documents of your own.",
        )
    with tempfile.TemporaryDirectory(dir=folder()) as place:
        said = _run(["apt-get", "-q", "download", name], Path(place))
        if not list(Path(place).glob("*.deb")):  # the system's lists are old or not there
            said = _run([*_apt(), "download", name], Path(place))
        files = sorted(Path(place).glob("*.deb"))
        if len(files) != 1:
            why = said.strip().split("\n")[-1]
            raise CorpusError(
                f"{name}: apt-get could not fetch it ({why})",
                remedy="Run `apt-get update`, or install it, or give the option folder=DIR.",
            )
        version = _run(["dpkg-deb", "-f", str(files[0]), "Version"], Path(place)).strip()
        sha = hashlib.sha256(files[0].read_bytes()).hexdigest()
        file = f"{name}_{sha[:16]}.deb"
        files[0].replace(folder() / file)
    return Had(name=name, version=version, sha256=sha, place="archive", file=file)


def _apt() -> list[str]:
    """apt with lists of its own in the cache, so that the system's need no change."""
    lists, archives = folder() / "lists", folder() / "archives"
    command = ["apt-get", "-q", "-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={archives}"]
    if not lists.is_dir():
        (lists / "partial").mkdir(parents=True)
        (archives / "archives" / "partial").mkdir(parents=True)
        _run([*command, "update"], folder())
    return command


def _run(command: list[str], place: Path) -> str:
    try:
        done = subprocess.run(
            command,
            cwd=place,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=FETCH_S,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CorpusError(f"{command[0]} failed: {error}", remedy="Try again.") from error
    return done.stdout.decode("utf-8", "replace")


def _installed(name: str) -> Had | None:
    sums = ROOT / "var/lib/dpkg/info" / f"{name}.md5sums"
    if not sums.is_file() or shutil.which("dpkg-query") is None:
        return None
    version = _run(["dpkg-query", "-W", "-f", "${Version}", name], ROOT).strip()
    sha = hashlib.sha256(sums.read_bytes()).hexdigest()
    return Had(name=name, version=version, sha256=sha, place="installed")


def files(found: Had, package: Package) -> Iterator[File]:
    """The files of a package that belong to the corpus, in the order of their paths.

    Raises:
        CorpusError: the archive is damaged.
    """
    read = _archived if found.place == "archive" else _lying
    prefixes = tuple(package.take)

    def belongs(path: str) -> bool:
        return path.startswith(prefixes) and not any(one in path for one in package.skip)

    yield from sorted(read(found, belongs), key=lambda one: one.path)


def _archived(found: Had, belongs: Callable[[str], bool]) -> Iterator[File]:
    archive = folder() / found.file
    command = ["dpkg-deb", "--fsys-tarfile", str(archive)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
                for member in tar:
                    path = member.name.removeprefix("./")
                    if member.isfile() and belongs(path):
                        content = tar.extractfile(member)
                        assert content is not None
                        yield File(path, content.read(), _date(member.mtime))
        except tarfile.TarError as error:
            raise CorpusError(
                f"cannot be read ({error})",
                file=archive,
                remedy="Remove it; it is fetched anew.",
            ) from error


def _lying(found: Had, belongs: Callable[[str], bool]) -> Iterator[File]:
    listed = (ROOT / "var/lib/dpkg/info" / f"{found.name}.list").read_text("utf-8").split("\n")
    for line in listed:
        path = line.lstrip("/")
        whole = ROOT / path
        if path and belongs(path) and whole.is_file() and not whole.is_symlink():
            yield File(path, whole.read_bytes(), _date(whole.stat().st_mtime))


def _date(mtime: float) -> str:
    return datetime.fromtimestamp(mtime, UTC).strftime("%Y-%m-%d")


def program(found: Had, file: str, place: Path) -> Path | None:
    """A program of a package, ready to run; `None` if the package does not hold it.

    Args:
        place: a folder it may be put into.
    """
    if found.place == "installed":
        whole = ROOT / file
        return whole if whole.is_file() else None
    target = place / Path(file).name
    for one in _archived(found, lambda path: path == file):
        target.write_bytes(one.data)
        target.chmod(0o755)
        return target
    return None
