"""Where servers run: the sandbox for those of the list, this machine for a command of one's own."""

import subprocess
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from mcp.client.stdio import get_default_environment

from worldline.environments.mcp import fixtures
from worldline.environments.mcp.connection import Reach
from worldline.environments.mcp.install import installed
from worldline.environments.mcp.options import Options
from worldline.environments.mcp.servers import INSIDE, Server, server
from worldline.environments.sandbox import Bind, Sandbox, debian_root
from worldline.errors import UsageError

OWN = "server"
"""What a server that is not of the list is called."""


class Place:
    """The servers of one session and what they stand on.

    Args:
        options: which ones.
        seed: decides what the fixtures hold.

    Raises:
        UsageError: a server is not installed, or the sandbox cannot be made.
    """

    def __init__(self, options: Options, seed: int) -> None:
        self.options = options
        self.box: Sandbox | None = None
        self.fixture = fixtures.NOTHING
        chosen = {name: server(name) for name in options.servers}
        if chosen:
            self._furnish(chosen, seed)
        self.reaches = self._reaches(chosen)

    def _furnish(self, chosen: dict[str, Server], seed: int) -> None:
        options = self.options
        wanted = [name for one in chosen.values() for name in one.fixtures]
        self.fixture = fixtures.make(options.fixture or wanted, seed)
        sets = dict.fromkeys(one.set for one in chosen.values())
        binds = tuple(Bind(installed(name), f"{INSIDE}{name}") for name in sets)
        self.box = Sandbox(debian_root(), binds=binds)
        try:
            self.box.put({**self.fixture.files, **options.files})
            for command in self.fixture.commands:
                self._must(command)
        except BaseException:
            self.close()
            raise

    def _must(self, command: tuple[str, ...]) -> None:
        assert self.box is not None
        done = self.box.run(command, timeout=30.0, env=fixtures.ENV)
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-500:]
            raise UsageError(f"the fixture could not be made: {said}", field="fixture")

    def _reaches(self, chosen: dict[str, Server]) -> dict[str, Reach]:
        options = self.options
        ceiling = options.ceiling_bytes
        if options.url:
            return {OWN: Reach(None, options.url, ceiling)}
        if options.command:
            return {OWN: Reach(partial(_own, options), None, ceiling)}
        return {
            name: Reach(self._starter(one), None, ceiling, kill=True)
            for name, one in chosen.items()
        }

    def _starter(self, one: Server) -> Callable[[], subprocess.Popen[bytes]]:
        box = self.box
        assert box is not None
        return lambda: box.popen(one.argv(), env=one.environment(), stdin=subprocess.PIPE)

    def close(self) -> None:
        """End everything that runs here."""
        box, self.box = self.box, None
        if box is not None:
            box.close()


def _own(options: Options) -> subprocess.Popen[bytes]:
    """A command of the caller's, on this machine."""
    folder = None if options.cwd is None else Path(options.cwd).expanduser()
    with suppress(OSError):
        return subprocess.Popen(
            options.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**get_default_environment(), **options.env},
            cwd=folder,
            start_new_session=True,
        )
    raise UsageError(
        f"cannot start {options.command[0]!r}",
        field="command",
        remedy="Give the program and its arguments as a list; it must be on the path.",
    )
