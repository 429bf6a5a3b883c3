"""Fetching with pip, which knows this machine's index, proxy and certificates."""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from worldline.environments.swe.repos import Repo, repos, requirements
from worldline.errors import UsageError

Tell = Callable[[str], None]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")
AT_ONCE = 2


def archive_of(folder: Path, repo: Repo) -> Path | None:
    """The fetched source distribution, if it is there and is what it should be."""
    names = {repo.name, repo.name.replace("-", "_")}
    for name in names:
        path = folder / f"{name}-{repo.version}.tar.gz"
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == repo.sha256:
            return path
    return None


def sdists(folder: Path, tell: Tell) -> None:
    """Every source distribution into a folder; what is there already is kept.

    pip builds the metadata of each on the way, so a package takes some seconds.

    Raises:
        UsageError: one cannot be had.
    """
    folder.mkdir(exist_ok=True)
    wanted = [one for one in repos().values() if archive_of(folder, one) is None]
    with tempfile.TemporaryDirectory() as scratch:
        for at in range(0, len(wanted), AT_ONCE):
            some = wanted[at : at + AT_ONCE]
            tell(f"swe: fetching {', '.join(one.name for one in some)} ({at}/{len(wanted)})")
            started = [_download(one, folder, Path(scratch)) for one in some]
            for one, process in zip(some, started, strict=True):
                _finish(process, f"fetch {one.name} {one.version}")


def _download(repo: Repo, folder: Path, scratch: Path) -> subprocess.Popen[bytes]:
    wanted = scratch / f"{repo.name}.txt"
    wanted.write_text(f"{repo.name}=={repo.version} --hash=sha256:{repo.sha256}\n")
    options = ["download", "--no-deps", "--no-binary", ":all:", "--require-hashes"]
    return _pip([*options, "-d", str(folder), "-r", str(wanted)])


def tools(folder: Path, tell: Tell) -> None:
    """pytest and its like into a folder, as wheels."""
    tell(f"swe: installing {' '.join(requirements())}")
    options = ["install", "--target", str(folder), "--no-compile", "--only-binary", ":all:"]
    _finish(_pip([*options, *requirements()]), "install pytest")


def _pip(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": ""}
    command = [*PIP, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)


def _finish(process: subprocess.Popen[bytes], what: str) -> None:
    told = process.communicate()[0].decode("utf-8", "replace").strip().split("\n")
    if process.returncode:
        errors = [line for line in told if line.startswith("ERROR")] or told
        raise UsageError(
            f"pip cannot {what}: {errors[-1]}",
            remedy="Is a package index reachable? `pip config list` shows which one pip uses.",
        )
