"""`TerminalDriver`: the terminal as an environment."""

import os
from typing import Any

from worldline.environments.base import Driver, Observed, Opening
from worldline.environments.sandbox import Sandbox, debian_root
from worldline.environments.terminal import fixtures
from worldline.environments.terminal.opening import opening, snapshot
from worldline.environments.terminal.options import Options, read_options
from worldline.environments.terminal.plain import PlainShell
from worldline.environments.terminal.typed import TypedShell
from worldline.errors import UsageError

FIXED = "2025-06-01 00:00:00 UTC"
"""Time of every file that is there at the start, and of every commit made in a session."""
ENV = {"GIT_AUTHOR_DATE": FIXED, "GIT_COMMITTER_DATE": FIXED}
SETUP_S = 60.0


class TerminalDriver(Driver):
    """One lasting shell in a sandbox of its own; see docs/environments/terminal.md.

    Args:
        options: see `Options`.

    Raises:
        UsageError: an option is not known or has a value it cannot have.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options: Options = read_options(options)
        self.root = debian_root()
        self.box: Sandbox | None = None
        self.shell: PlainShell | TypedShell | None = None

    def reset(self, seed: int) -> Opening:
        """A fresh sandbox, home and shell; the same seed gives the same."""
        self.close()
        self.box = box = Sandbox(self.root, env=ENV, hardened=self.options.hardened)
        self._furnish(box, seed)
        kind = TypedShell if self.options.dialect == "terminus2" else PlainShell
        self.shell = shell = kind(box, self.options)
        shell.start()
        first = shell.first() if isinstance(shell, TypedShell) else None
        return opening(box, self.options, first)

    def _furnish(self, box: Sandbox, seed: int) -> None:
        """The files of the home, all of one time."""
        name = self.options.fixture or "empty"
        files: dict[str, bytes | str] = dict(fixtures.make(name, seed))
        box.put({**files, **self.options.files})
        commands = fixtures.setup(name, seed)
        if commands:
            same = f"find . -exec touch -h -d '{FIXED}' {{}} +"
            script = "\n".join(["set -e", *(f"( {one}\n)" for one in commands), same])
            done = box.run(["bash", "-c", script], timeout=SETUP_S)
            if done.returncode:
                told = done.stderr.decode("utf-8", "replace").strip()[-500:]
                raise UsageError(f"the fixture {name!r} could not be set up: {told}")

    def step(self, action: str, limit_s: float) -> Observed:
        """Carry out one action."""
        if self.shell is None:
            raise UsageError("has no session", remedy="Reset the environment first.")
        if self.shell.tty is None or (isinstance(self.shell, TypedShell) and self.shell.tty.ended):
            raise UsageError("the session is over", remedy="Reset the environment.")
        return self.shell.step(action, limit_s)

    def snapshot(self) -> dict[str, Any]:
        """Files of the home and of /tmp, current directory, exported variables (of plain commands'
        shell), and under ``changes`` what differs from the system as it was."""
        if self.box is None or self.shell is None:
            raise UsageError("has no session", remedy="Reset the environment first.")
        cwd, variables = _directory(self.shell.leader), {}
        if isinstance(self.shell, PlainShell):
            said = self.shell.hidden("pwd; env -0")
            cwd, variables = _told(said) if said is not None else (cwd, variables)
        return snapshot(self.box, self.options, cwd, variables)

    def close(self) -> None:
        """End the shell, then the sandbox."""
        shell, self.shell = self.shell, None
        box, self.box = self.box, None
        if shell is not None:
            shell.close()
        if box is not None:
            box.close()


def _directory(pid: int) -> str | None:
    """The current directory of a process, as it sees it."""
    try:
        return os.readlink(f"/proc/{pid}/cwd") if pid else None  # noqa: PTH115 - text, no path
    except OSError:
        return None


def _told(said: bytes) -> tuple[str | None, dict[str, str]]:
    """What ``pwd; env -0`` printed."""
    first, _, rest = said.decode("utf-8", "surrogateescape").partition("\n")
    pairs = (one.partition("=") for one in rest.split("\0") if "=" in one)
    variables = {name: value for name, _, value in pairs if name not in ("_", "PS1", "PS2")}
    return first if first.startswith("/") else None, variables
