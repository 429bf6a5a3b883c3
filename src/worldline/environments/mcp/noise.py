"""What a server printed on stdout that is no message: counted, the first of it kept."""

from typing import Any

KEPT_LINES = 20
KEPT_CHARS = 2_000


class Noise:
    """Lines that were skipped since the last `take`."""

    def __init__(self) -> None:
        self.lines = 0
        self._kept: list[str] = []
        self._chars = 0

    def add(self, line: bytes) -> None:
        """One line, without its end; blank ones do not count."""
        if not line.strip():
            return
        self.lines += 1
        room = KEPT_CHARS - self._chars
        if len(self._kept) < KEPT_LINES and room > 0:
            text = line[: 4 * room].decode("utf-8", "replace").rstrip("\r")[:room]
            self._kept.append(text)
            self._chars += len(text)

    def take(self) -> dict[str, Any] | None:
        """``{lines, text}`` of what was skipped, if anything; counting starts anew."""
        if not self.lines:
            return None
        told = {"lines": self.lines, "text": "\n".join(self._kept)}
        self.lines, self._kept, self._chars = 0, [], 0
        return told
