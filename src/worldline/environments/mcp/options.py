"""What a caller may ask of the MCP environment."""

from typing import Any

import msgspec

from worldline import jsonl
from worldline.domains.mcp.dialects.forms import DIALECTS
from worldline.environments.mcp.http import checked
from worldline.errors import UsageError

DEFAULT_SERVER = "filesystem"


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of `McpDriver`.

    Args:
        server: a name of the list, or several.
        command: a server of your own, as an argument list. It runs on this machine as it is, not in
            the sandbox: it is your program.
        url: a server of your own that listens on this machine.
        env: environment variables of `command`.
        cwd: its working directory.
        dialect: ``json`` or ``call-tool-result``.
        fixture: what the home holds at the start; ``""`` is the servers' own, ``empty`` nothing.
        files: files of the home, path -> text, after the fixture's.
        ceiling_bytes: how large one message may be, in either direction.
    """

    server: str | list[str] = ""
    command: list[str] = []
    url: str = ""
    env: dict[str, str] = {}
    cwd: str | None = None
    dialect: str = "json"
    fixture: str = ""
    files: dict[str, str] = {}
    ceiling_bytes: int = 16 << 20

    @property
    def servers(self) -> list[str]:
        """Names of the list that were asked for."""
        if self.command or self.url:
            return []
        names = [self.server] if isinstance(self.server, str) else self.server
        return [name for name in names if name] or [DEFAULT_SERVER]


def read(options: dict[str, Any]) -> Options:
    """The options, checked.

    Raises:
        UsageError: an unknown option, a wrong type or value; names it.
    """
    try:
        found = jsonl.convert(options, Options)
    except msgspec.ValidationError as error:
        known = ", ".join(Options.__struct_fields__)
        raise UsageError(f"mcp options: {error}", remedy=f"There are: {known}.") from error
    if found.dialect not in DIALECTS:
        raise UsageError(
            f"the domain 'mcp' has no dialect {found.dialect!r}",
            field="dialect",
            remedy=f"It has: {', '.join(DIALECTS)}.",
        )
    if bool(found.command) + bool(found.url) + bool(found.server) > 1:
        raise UsageError("give one of server, command and url", field="server")
    if found.ceiling_bytes < 1:
        raise UsageError("must be at least 1", field="ceiling_bytes")
    if found.url:
        checked(found.url)
    return found
