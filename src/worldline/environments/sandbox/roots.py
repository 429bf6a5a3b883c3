"""The Debian that sessions see: built once with debootstrap, cached, never written to again.

Without root or debootstrap a session sees this machine's /usr instead, read-only, under an /etc of
our own; what it is shows in every recording (`Root.version`).
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from worldline.environments.sandbox import userns
from worldline.environments.sandbox.needs import debootstrap
from worldline.errors import UsageError
from worldline.paths import cache_dir

SUITE = "bookworm"
RECIPE = "1"
"""Raised when what `_settle` and `_shift` do changes: a new root is built then."""
MIRROR = "http://deb.debian.org/debian"
FIXED_TIME = 1_748_736_000
"""2025-06-01: the time of every file that building made, so that listings do not tell its day."""
USER = "user"
HOME = f"/home/{USER}"
HOST = "box"

_SKELETON = ("etc", "usr", "tmp", "proc", "dev", "opt", "var/tmp", "run", "root", "mnt", "sys")

Tell = Callable[[str], None]


class Root(NamedTuple):
    """A read-only system.

    Args:
        path: the folder that becomes ``/``.
        shifted: its files are owned by `userns.BASE` + their uid.
        usr: this machine's /usr is bound into it.
        version: what it is, as ``debian 12.11 (ab12cd34)``.
    """

    path: Path
    shifted: bool
    usr: bool
    version: str


def packages() -> list[str]:
    """What is installed beside Debian's minimum."""
    text = (
        resources.files("worldline.environments.sandbox")
        .joinpath("packages.txt")
        .read_text("utf-8")
    )
    return [line for line in text.split("\n") if line and not line.startswith("#")]


def debian_root(tell: Tell = lambda _: None) -> Root:
    """The system sessions see; built now if it is not there (about two minutes, 150 MB to fetch).

    Raises:
        UsageError: it cannot be built; says why and what to do.
    """
    if os.geteuid() != 0 or debootstrap() is None:
        return _usr_root()
    recipe = [SUITE, os.environ.get("WORLDLINE_DEBIAN_MIRROR", MIRROR), *packages(), RECIPE]
    name = hashlib.sha256("\n".join(recipe).encode()).hexdigest()[:12]
    home = cache_dir() / "roots"
    home.mkdir(exist_ok=True)
    path = home / f"debian-{name}"
    if not (path / "root.json").exists():
        with _locked(home / f"{name}.lock"):
            if not (path / "root.json").exists():
                _build(path, recipe[1], tell)
    told = json.loads((path / "root.json").read_text("utf-8"))
    return Root(path / "fs", shifted=True, usr=False, version=told["version"])


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(path: Path, mirror: str, tell: Tell) -> None:
    tell("building the Debian root of the sandbox with debootstrap (once, about two minutes)")
    begun = int(time.time())
    partial = path.with_name(path.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(path, ignore_errors=True)
    system = partial / "fs"
    partial.mkdir(parents=True)
    log = partial / "log"
    include = ",".join(packages())
    command = [
        debootstrap() or "debootstrap",
        "--variant=minbase",
        f"--include={include}",
        SUITE,
        system,
        mirror,
    ]
    with log.open("wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        last = log.read_text("utf-8", "replace").strip().split("\n")[-1]
        raise UsageError(
            f"debootstrap failed: {last}",
            file=log,
            remedy="Is the Debian mirror reachable? WORLDLINE_DEBIAN_MIRROR names another.",
        )
    _settle(system)
    _shift(system, begun)
    version = (system / "etc/debian_version").read_text().strip()
    installed = _versions(system)
    sha = hashlib.sha256(json.dumps(installed).encode()).hexdigest()[:8]
    told = {"version": f"debian {version} ({sha})", "packages": installed}
    (partial / "root.json").write_text(json.dumps(told, indent=1), "utf-8")
    partial.rename(path)


def _settle(system: Path) -> None:
    """What a machine in use has and a fresh root has not; and nothing of this machine."""
    shutil.rmtree(system / "var/cache/apt/archives", ignore_errors=True)
    with (system / "etc/passwd").open("a") as file:
        file.write(f"{USER}:x:{userns.AGENT}:{userns.AGENT}:{USER}:{HOME}:/bin/bash\n")
    with (system / "etc/group").open("a") as file:
        file.write(f"{USER}:x:{userns.AGENT}:\n")
    (system / "etc/hostname").write_text(f"{HOST}\n")
    (system / "etc/hosts").write_text(f"127.0.0.1\tlocalhost\n127.0.1.1\t{HOST}\n")
    (system / "etc/resolv.conf").write_text("")
    (system / "etc/machine-id").write_text("")
    (system / "opt").mkdir(exist_ok=True)
    home = system / HOME.lstrip("/")
    home.mkdir(parents=True)


def _shift(system: Path, begun: int) -> None:
    """Owners out of this machine's range; times that do not tell when it was built."""
    for folder, names, files in os.walk(system, topdown=False):
        for name in [*files, *names, "."]:
            path = os.path.join(folder, name)  # noqa: PTH118 - 60,000 of them
            info = os.lstat(path)
            if name != "." and stat.S_ISDIR(info.st_mode):
                continue  # as "." of its own walk
            os.lchown(path, userns.BASE + info.st_uid, userns.BASE + info.st_gid)
            if not stat.S_ISLNK(info.st_mode):
                os.chmod(path, stat.S_IMODE(info.st_mode))  # noqa: PTH101 - chown clears setuid
            if info.st_mtime >= begun - 3600:
                os.utime(path, (FIXED_TIME, FIXED_TIME), follow_symlinks=False)


def _versions(system: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in (system / "var/lib/dpkg/status").read_text("utf-8").split("\n"):
        if line.startswith("Package: "):
            name = line.removeprefix("Package: ")
        elif line.startswith("Version: "):
            found[name] = line.removeprefix("Version: ")
    return dict(sorted(found.items()))


def _usr_root() -> Root:
    """A skeleton around this machine's /usr."""
    path = cache_dir() / "roots" / "usr-1"
    if not (path / "etc/passwd").exists():
        partial = path.with_name(f"usr-1.{os.getpid()}")
        shutil.rmtree(partial, ignore_errors=True)
        for name in _SKELETON:
            (partial / name).mkdir(parents=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (partial / name).symlink_to(f"usr/{name}")
        (partial / "etc/passwd").write_text(
            "root:x:0:0:root:/root:/bin/bash\n"
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
        )
        (partial / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
        _settle(partial)
        with contextlib.suppress(OSError):
            partial.rename(path)
        shutil.rmtree(partial, ignore_errors=True)
    return Root(path, shifted=False, usr=True, version=f"this machine's /usr ({sys.platform})")
