"""What a terminal session can be asked for."""

from typing import Any, Literal

import msgspec

from worldline import jsonl
from worldline.environments.terminal import fixtures
from worldline.errors import UsageError

Dialect = Literal["command", "terminus2"]
Observe = Literal["stream", "screen"]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of the driver.

    Args:
        dialect: ``command`` (a command line, what it prints) or ``terminus2`` (keystrokes, what is
            new on the screen).
        observe: ``stream`` or ``screen``; docs/environments/terminal.md says what that is in each
            dialect. Usually ``stream`` for commands and ``screen`` for keystrokes.
        width: columns of the terminal.
        height: rows of the terminal.
        fixture: the files the home holds at the start (`fixtures.NAMES`); `None`: it is empty.
        files: more files, by path relative to the home.
        max_bytes: longest observation, in bytes of UTF-8.
        hardened: ``False`` runs on this machine as it is; only for the control of a safety check.
    """

    dialect: Dialect = "command"
    observe: Observe | None = None
    width: int = 160
    height: int = 40
    fixture: str | None = None
    files: dict[str, str] = {}
    max_bytes: int = 10_000
    hardened: bool = True

    @property
    def observes(self) -> Observe:
        """`observe`, or what is usual in the dialect."""
        return self.observe or ("screen" if self.dialect == "terminus2" else "stream")


def read_options(values: dict[str, Any]) -> Options:
    """Options from JSON values.

    Raises:
        UsageError: one is not known, or its value is none it can have.
    """
    try:
        found = jsonl.convert(values, Options)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"option of the terminal: {str(error).replace('`', '')}",
            remedy=f"There are: {', '.join(Options.__struct_fields__)}.",
        ) from error
    for name, least, most in (("width", 20, 500), ("height", 5, 200), ("max_bytes", 200, 1 << 20)):
        if not least <= getattr(found, name) <= most:
            raise UsageError(f"option {name} of the terminal must be {least} to {most}")
    if found.fixture is not None:
        fixtures.make(found.fixture, 0)
    return found
