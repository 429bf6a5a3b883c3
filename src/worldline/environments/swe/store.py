"""What sessions start from, made once: the repositories as archives, and a Python with pytest.

    cache/swe/<recipe>/venv                bound to /opt/venv, read-only
    cache/swe/<recipe>/repos/NAME.tar      a git repository, unpacked into the home at each reset
    cache/swe/sdists/*.tar.gz              as fetched

Nothing fetched is imported or run on this machine but by pip, as in any installation; what builds
repositories runs in the sandbox.
"""

import contextlib
import fcntl
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from worldline.environments.sandbox import Root, debian_root
from worldline.environments.swe import fetch, repos
from worldline.errors import UsageError
from worldline.paths import cache_dir

VENV = "/opt/venv"
Tell = Callable[[str], None]


class Store(NamedTuple):
    """The finished store.

    Args:
        versions: what is in it: of Python, pytest and each repository.
        sha: of its recipe.
    """

    root: Root
    venv: Path
    archives: Path
    versions: dict[str, str]
    sha: str

    def archive(self, name: str) -> bytes:
        """A repository as a tar archive for the home."""
        return (self.archives / f"{name}.tar").read_bytes()


@cache
def store() -> Store:
    """The store.

    Raises:
        UsageError: it has not been made.
    """
    root = debian_root()
    folder = cache_dir() / "swe" / recipe(root)
    ready = folder / "ready.json"
    if not ready.exists():
        raise UsageError(
            "the repositories of the swe environment are not there",
            file=folder,
            remedy="Run `worldline doctor` or environment('swe') once: they are made in 2 minutes.",
        )
    versions = json.loads(ready.read_text("utf-8"))
    return Store(root, folder / "venv", folder / "repos", versions, folder.name)


def recipe(root: Root) -> str:
    """A hash of everything that decides what the store holds."""
    digest = hashlib.sha256(root.version.encode())
    for name in ("repos.toml", "build.py", "build.sh", "fetch.py"):
        digest.update(resources.files("worldline.environments.swe").joinpath(name).read_bytes())
    return digest.hexdigest()[:12]


def prepare(tell: Tell) -> None:
    """Make the store if it is not there: about two minutes, 10 MB to fetch.

    Raises:
        UsageError: it cannot be made; says why and what to do.
    """
    root = debian_root(tell)
    home = cache_dir() / "swe"
    home.mkdir(exist_ok=True)
    folder = home / recipe(root)
    with _locked(home / "lock"):
        if (folder / "ready.json").exists():
            return
        partial = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
        partial.mkdir()
        fetch.sdists(home / "sdists", tell)
        fetch.tools(partial / "site", tell)
        _build(partial, home / "sdists", tell)
        partial.rename(folder)


def _build(folder: Path, sdists: Path, tell: Tell) -> None:
    """In a process of its own: a sandbox wants one without threads."""
    command = [sys.executable, "-m", "worldline.environments.swe.build", folder, sdists]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        last = ""
        for line in process.stdout:
            last = line.decode("utf-8", "replace").rstrip()
            if last.startswith("swe: "):
                tell(last)
    if process.returncode:
        raise UsageError(
            f"the repositories could not be built: {last}",
            remedy=f"Remove {cache_dir() / 'swe'} and try again.",
        )


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def listed() -> list[str]:
    """Names of the repositories, for messages."""
    return list(repos.repos())
