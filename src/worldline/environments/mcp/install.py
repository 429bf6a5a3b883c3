"""Installs the sets of servers into the cache: exact versions, all or nothing.

A set's folder is named by the hash of its lock file, so another version is another folder. It is
made beside and renamed, so a killed install leaves nothing that looks whole.
"""

import contextlib
import fcntl
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from worldline import jsonl
from worldline.environments.mcp import options as asked
from worldline.environments.mcp.servers import Set, listed, server
from worldline.errors import UsageError
from worldline.paths import cache_dir

Tell = Callable[[str], None]
SANDBOX_PYTHON = (3, 11)
"""Python inside the sandbox; wheels must be for it."""


def prepare(options: dict[str, Any], tell: Tell) -> None:
    """What the session asked for needs: the sandbox's root (two minutes) and the sets (one each).

    Without a word about servers, all of the list.

    Raises:
        UsageError: something cannot be fetched; says what.
    """
    chosen = asked.read(options)
    names = chosen.servers if chosen.server else list(listed().servers)
    if chosen.command or chosen.url:
        return
    from worldline.environments.sandbox import debian_root

    debian_root(tell)
    for name in dict.fromkeys(server(name).set for name in names):
        ensure(name, tell)


def folder(name: str) -> Path:
    """Where a set is, or would be."""
    one = listed().sets[name]
    sha = hashlib.sha256(_lock(one)).hexdigest()[:12]
    return cache_dir() / "mcp" / f"{name}-{sha}"


def installed(name: str) -> Path:
    """The folder of an installed set.

    Raises:
        UsageError: it is not installed.
    """
    path = folder(name)
    if not path.exists():
        raise UsageError(
            f"the MCP servers {name!r} are not installed",
            remedy="Install them once: python -m worldline.environments.mcp",
        )
    return path


def ensure(name: str, tell: Tell) -> Path:
    """Install a set unless it is there."""
    path = folder(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.with_name(f"{path.name}.lock")):
        if not path.exists():
            one = listed().sets[name]
            tell(f"installing the MCP servers {name!r} ({one.kind}, once, about a minute)")
            partial = path.with_name(f"{path.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            (_pip if one.kind == "pip" else _npm)(one, partial)
            partial.rename(path)
            tell(f"installed {path.name}")
    return path


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _lock(one: Set) -> bytes:
    return resources.files("worldline.environments.mcp").joinpath("locks", one.lock).read_bytes()


def _pip(one: Set, target: Path) -> None:
    lock = target / "lock.txt"
    lock.write_bytes(_lock(one))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--target", str(target), "-r", str(lock)]
    if sys.version_info[:2] != SANDBOX_PYTHON:
        command += ["--python-version", ".".join(map(str, SANDBOX_PYTHON)), "--no-compile"]
    _run(command, target, "Is a package index reachable? pip's own settings say which.")


def _npm(one: Set, target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UsageError("npm is not there", remedy="apt-get install -y nodejs npm")
    lock = _lock(one)
    (target / "package-lock.json").write_bytes(lock)
    root = jsonl.loads(lock)["packages"][""]
    (target / "package.json").write_bytes(jsonl.dumps({"private": True, **root}))
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    _run(command, target, "Is an npm registry reachable? npm's own settings say which.")


def _run(command: list[str], target: Path, remedy: str) -> None:
    done = subprocess.run(
        command,
        cwd=target,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        last = done.stdout.decode("utf-8", "replace").strip().split("\n")
        raise UsageError(f"{command[0]} failed: {' | '.join(last[-3:])}"[:1000], remedy=remedy)
