"""The file system of one session, made in a mount namespace of this process alone.

A tmpfs of limited size holds the overlay's upper folder, so that a full disk is the session's own,
and whatever kills this process takes every mount and file with it: nothing has to be cleaned up.
"""

import itertools
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from worldline.environments.sandbox import system, userns
from worldline.environments.sandbox.roots import FIXED_TIME, HOME, Root
from worldline.errors import UsageError
from worldline.paths import cache_dir

PLACE = Path("/run/worldline")
"""Where root mounts stages: a path that the sandbox's own root, who is nobody here, may walk."""
_count = itertools.count()
_entered: set[int] = set()


def enter() -> Path:
    """Give this process mounts of its own, once; returns the folder where stages are built.

    Call it before the process has other threads: the namespace is the calling thread's.

    Raises:
        UsageError: the kernel does not allow it.
    """
    place = PLACE if os.geteuid() == 0 else cache_dir() / "roots" / "stage"
    if os.getpid() in _entered:
        return place
    place.mkdir(parents=True, exist_ok=True)
    try:
        if os.geteuid() == 0:
            system.unshare(system.CLONE_NEWNS)
        else:
            _become_root_of_our_own()
        system.mount("none", "/", None, system.MS_PRIVATE_ALL)
        system.mount("worldline", str(place), "tmpfs", 0, "mode=755,size=1m")
    except OSError as error:
        raise UsageError(
            f"a sandbox cannot be made ({error})",
            remedy="Run as root, or allow unprivileged user namespaces (worldline doctor).",
        ) from error
    _entered.add(os.getpid())
    return place


def _become_root_of_our_own() -> None:
    uid, gid = os.geteuid(), os.getegid()
    system.unshare(system.CLONE_NEWUSER | system.CLONE_NEWNS)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"0 {uid} 1"),
        ("gid_map", f"0 {gid} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text)


class Stage:
    """An overlay on a cached root.

    Args:
        root: the system below.
        owner: who owns the home, as this process sees ids.
        size: bytes that may be written, files and their names together.
        binds: files and folders of this machine to have at hand, wherever they lie.

    Raises:
        UsageError: it cannot be mounted.
    """

    def __init__(self, root: Root, owner: int, size: int, binds: Sequence[Path] = ()) -> None:
        self.folder = enter() / str(next(_count))
        self.owner = owner
        self.lower, self.upper = root.path, self.folder / "upper"
        self.merged = self.folder / "merged"
        self.folder.mkdir()
        self.binds: list[Path] = []
        """Where `binds` are, in their order."""
        options = f"size={size},nr_inodes={max(size >> 12, 4096)},mode=755"
        top = userns.BASE if root.shifted else 0
        try:
            system.mount("worldline", str(self.folder), "tmpfs", 0, options)
            for path in (self.upper, self.folder / "work", self.merged):
                path.mkdir()
            os.chown(self.upper, top, top)
            os.utime(self.upper, (FIXED_TIME, FIXED_TIME))
            (self.folder / "lower").symlink_to(root.path)
            self._overlay("" if root.shifted else ",userxattr")
            for source in binds:
                self._bind(source)
        except OSError as error:
            self.close()
            raise UsageError(
                f"the sandbox's file system cannot be mounted ({error})",
                remedy="An overlay on a tmpfs is needed: Linux 5.11 or newer.",
            ) from error
        home = self.merged / HOME.lstrip("/")
        os.chown(home, owner, owner)
        os.utime(home, (FIXED_TIME, FIXED_TIME))

    def _overlay(self, more: str) -> None:
        """Mounted by relative names: the session's own list of mounts shows no path of ours."""
        options = f"lowerdir=lower,upperdir=upper,workdir=work{more}"
        command = ["mount", "-t", "overlay", "overlay", "-o", options, "merged"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, check=False)
        if done.returncode:
            raise OSError(done.stderr.decode("utf-8", "replace").strip())

    def _bind(self, source: Path) -> None:
        target = self.folder / f"bind{len(self.binds)}"
        if source.is_dir():
            target.mkdir()
        else:
            target.touch()
        system.mount(str(source), str(target), None, system.MS_BIND)
        self.binds.append(target)

    def put(self, files: Mapping[str, bytes | str], mtime: int = FIXED_TIME) -> None:
        """Write files into the home, owned by the agent, never through a link the agent made.

        Args:
            files: path relative to the home -> content; a name that ends in ``/`` is a folder.
            mtime: their time.

        Raises:
            UsageError: a path leaves the home.
            OSError: it cannot be written (a link or a file stands in the way; no space).
        """
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode("utf-8")
            self._put(name, data, mtime)
        home = self.merged / HOME.lstrip("/")
        for name in sorted(_folders(files), key=len, reverse=True):
            os.utime(home / name, (mtime, mtime), follow_symlinks=False)

    def _put(self, name: str, data: bytes, mtime: int) -> None:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise UsageError(f"{name!r} is not a path within the home")
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
        at = os.open(self.merged / HOME.lstrip("/"), flags)
        try:
            folders = path.parts if name.endswith("/") else path.parts[:-1]
            for part in folders:
                with suppress(FileExistsError):
                    os.mkdir(part, 0o755, dir_fd=at)
                    os.chown(part, self.owner, self.owner, dir_fd=at, follow_symlinks=False)
                below = os.open(part, flags, dir_fd=at)
                os.close(at)
                at = below
            if not name.endswith("/"):
                self._write(at, path.name, data, mtime)
        finally:
            os.close(at)

    def _write(self, at: int, name: str, data: bytes, mtime: int) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
        with os.fdopen(os.open(name, flags, 0o644, dir_fd=at), "wb") as file:
            os.fchown(file.fileno(), self.owner, self.owner)
            file.write(data)
            file.flush()
            os.utime(file.fileno(), (mtime, mtime))

    def close(self) -> None:
        """Take the mounts away."""
        for path in (*self.binds, self.merged, self.folder):
            with suppress(OSError):
                system.unmount(str(path))
        with suppress(OSError):
            self.folder.rmdir()


def _folders(files: Mapping[str, bytes | str]) -> set[str]:
    found = {"."}
    for name in files:
        parents = [str(parent) for parent in PurePosixPath(name).parents]
        found.update(parents if not name.endswith("/") else [*parents, name.rstrip("/")])
    return found
