"""The maintained list of servers, `servers.toml`, as data."""

import shlex
import tomllib
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from worldline.errors import UsageError

INSIDE = "/opt/mcp-"
"""Where a set is shown inside the sandbox; its name follows."""


class Set(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Packages that are installed together. `lock` is a file of ``locks/`` with exact versions."""

    kind: Literal["pip", "npm"]
    lock: str


class Server(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One server of the list.

    Args:
        set: where its package is installed.
        start: its argument list; ``{set}`` is the set's folder inside the sandbox.
        fixtures: what the home holds when the session begins, if nothing else is asked for.
        beside: a program it needs next to it.
    """

    package: str
    version: str
    licence: str
    set: str
    start: list[str]
    env: dict[str, str] = {}
    fixtures: list[str] = []
    beside: list[str] = []

    def argv(self) -> list[str]:
        """How it is started inside the sandbox: with `beside` in the same network, its own."""
        start = [part.replace("{set}", f"{INSIDE}{self.set}/node_modules") for part in self.start]
        if not self.beside:
            return start
        both = f'{shlex.join(self.beside)} >/dev/null 2>&1 </dev/null & exec "$@"'
        return ["sh", "-c", both, "sh", *start]

    def environment(self) -> dict[str, str]:
        """Variables it is started with."""
        path = {"PYTHONPATH": f"{INSIDE}{self.set}"} if self.start[0] == "python3" else {}
        return {**path, **self.env}


class Listed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole list."""

    sets: dict[str, Set]
    servers: dict[str, Server]


@cache
def listed() -> Listed:
    """The list as it comes with this version."""
    text = resources.files("worldline.environments.mcp").joinpath("servers.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Listed)


def server(name: str) -> Server:
    """The server of that name.

    Raises:
        UsageError: there is none.
    """
    found = listed().servers.get(name)
    if found is None:
        raise UsageError(
            f"there is no MCP server {name!r} in the list",
            field="server",
            remedy=f"There are: {', '.join(listed().servers)}; or give a command or a url.",
        )
    return found
