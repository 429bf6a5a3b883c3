"""Whether the model of a run can be reached at all: a run against a dead server must not go on."""

from typing import NamedTuple

from worldline.errors import ModelError

MOST = 20
"""Rows in a row that reach nobody, after which a run in which none did stops."""
NOT_REACHED = "connection"
"""Code of a call that got no connection."""


class Call(NamedTuple):
    """How the last call of a row ended."""

    code: str | None = None
    """Of its trouble; `None`: a reply came."""
    message: str = ""


class Reach:
    """Told of each row that is made, it stops a run that reaches nobody."""

    def __init__(self) -> None:
        self._missed = 0
        self._reached = False

    def told(self, call: Call | None) -> None:
        """A row is kept.

        Args:
            call: its last; `None` where nobody was asked.

        Raises:
            ModelError: `MOST` rows in a row got no connection, and none of this run did.
        """
        if call is None or self._reached:
            return
        if call.code != NOT_REACHED:
            self._reached = True
            return
        self._missed += 1
        if self._missed >= MOST:
            raise ModelError(
                f"cannot be reached: {self._missed} rows in a row got no connection, and none of "
                f"this run did ({call.message or 'no reason was given'})",
                field="model",
                remedy="Start the server or mend its address, then run the same command with "
                "--retry-failed: every finished row is kept.",
            )
