"""One session's machine: a sandbox with a repository in the home, perhaps with a bug in it."""

import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, NamedTuple

from worldline.environments.sandbox import Bind, Limits, Sandbox
from worldline.environments.sandbox.roots import FIXED_TIME, HOME
from worldline.environments.swe.mutants import Mutant
from worldline.environments.swe.repos import Repo
from worldline.environments.swe.store import VENV, Store
from worldline.errors import UsageError

DATE = "2025-06-02 10:00:00 +0000"
"""When every commit of a session is made, so that their hashes follow from their contents."""
ENV = {
    "PATH": f"{VENV}/bin:/usr/local/bin:/usr/bin:/bin",
    "VIRTUAL_ENV": VENV,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_ADDOPTS": "-o addopts= -p no:cacheprovider",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_AUTHOR_DATE": DATE,
    "GIT_COMMITTER_DATE": DATE,
}
LIMITS = Limits(memory_mb=1536, disk_mb=512)
_IDENTITY = "[user]\n\tname = user\n\temail = user@example.com\n[init]\n\tdefaultBranch = main\n"


class Start(NamedTuple):
    """What a session starts from.

    Args:
        mutant: the bug, committed as a change of its own (`history`) or as part of the sources.
        files: more files, path in the repository -> content; committed too.
    """

    repo: Repo
    mutant: Mutant | None = None
    history: bool = False
    files: Mapping[str, str] = {}


class Workspace:
    """The machine. `popen` and `run` start programs in it as the agent."""

    def __init__(self, store: Store, start: Start) -> None:
        self.store, self.start = store, start
        self.home = start.repo.home
        binds = (Bind(store.venv, VENV),)
        self.box = Sandbox(store.root, binds=binds, limits=LIMITS, env=ENV)
        try:
            self._furnish()
        except BaseException:
            self.box.close()
            raise

    def _furnish(self) -> None:
        self.box.put({".gitconfig": _IDENTITY})
        archive = self.store.archive(self.start.repo.name)
        self._must(["tar", "xf", "-", "-C", HOME], archive)
        changed = {path: content.encode() for path, content in self.start.files.items()}
        mutant = self.start.mutant
        if mutant is not None:
            source = self._must(["cat", mutant.file], b"")
            changed[mutant.file] = mutant.applied(source.decode()).encode()
        if changed:
            name = self.start.repo.name
            self.box.put({f"{name}/{path}": content for path, content in changed.items()})
            self._must(["bash", "-c", self._commit(mutant)], b"")

    def _commit(self, mutant: Mutant | None) -> str:
        """A script that commits what was put; the sources' own commit is the last but one."""
        if self.start.history or mutant is None or self.start.files:
            what = mutant.message if mutant else "Add notes"
            commit = f"git commit -q -m '{what}'"
        else:
            commit = "git commit -q --amend --no-edit"
        return f"git add -A && {commit} && touch -d @{FIXED_TIME} . .git"

    def _must(self, argv: Sequence[str], given: bytes) -> bytes:
        cwd = HOME if argv[0] == "tar" else self.home
        done = self.box.run(argv, input=given, timeout=60, cwd=cwd)
        if done.returncode:
            told = done.stderr.decode("utf-8", "replace").strip()
            raise UsageError(f"the repository cannot be set up: {argv[0]}: {told}")
        return done.stdout

    def popen(
        self,
        argv: Sequence[str],
        *,
        cwd: str | None = None,
        stdin: "int | IO[bytes]" = subprocess.DEVNULL,
        stderr: "int | IO[bytes]" = subprocess.STDOUT,
    ) -> subprocess.Popen[bytes]:
        """Start a program in the repository (or in `cwd`); its stdout is a pipe."""
        return self.box.popen(argv, cwd=cwd or self.home, stdin=stdin, stderr=stderr)

    def close(self) -> None:
        """End it and everything in it. May be called twice."""
        self.box.close()
