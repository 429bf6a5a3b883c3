"""Bytes of a terminal as text, and long text cut.

Undecodable bytes appear in one form, ``\\xNN`` with two lower-case hexadecimal digits; the bytes
themselves are kept in a turn's ``info["raw"]``, and `decode` of them gives the same text again.
"""

import base64
from typing import Any

from worldline.domains.terminal.observations import omission

HOLD = 1 << 16
"""Bytes kept of the start and of the end of an output that never stops."""
RAW_LIMIT = 1 << 16
"""Raw bytes that a turn keeps at most."""


def decode(raw: bytes) -> str:
    """Bytes as text; see above for those that are not UTF-8."""
    return raw.decode("utf-8", "backslashreplace")


class Capture:
    """Output as it comes: the first and the last `hold` bytes, and how many lay between."""

    def __init__(self, hold: int = HOLD) -> None:
        self.hold = hold
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take in more."""
        room = self.hold - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self.hold:
            extra = len(self._tail) - self.hold
            del self._tail[:extra]
            self._dropped += extra

    @property
    def raw(self) -> bytes | None:
        """All bytes; `None` where some lie between."""
        return None if self._dropped else bytes(self._head + self._tail)

    def text(self, limit: int) -> str:
        """The output in at most `limit` bytes of UTF-8."""
        if not self._dropped:
            return cut(decode(bytes(self._head + self._tail)), limit)
        head, tail = bytes(self._head), bytes(self._tail[-self.hold :])
        start, end = _whole_end(head), _whole_start(tail)
        lost = self._dropped + len(self._tail) - len(tail) + len(head) - start + end
        return cut_between(decode(head[:start]), decode(tail[end:]), lost, limit)


def cut(text: str, limit: int) -> str:
    """Text in at most `limit` bytes of UTF-8: its head and its tail, cut between characters, and
    between them a line that says exactly how many bytes are left out."""
    if len(text) <= limit and len(text.encode("utf-8", "surrogatepass")) <= limit:
        return text
    return cut_between(text, "", 0, limit)


def cut_between(head: str, tail: str, lost: int, limit: int) -> str:
    """A head and a tail with `lost` bytes between them, in at most `limit` bytes of UTF-8."""
    before = head.encode("utf-8", "surrogatepass")
    after = tail.encode("utf-8", "surrogatepass") if tail else before
    total = len(before) + lost + (len(after) if tail else 0)
    room = max(limit - len(_note(total).encode()), 0)
    first = before[: _whole_end(before[: (room + 1) // 2])]
    rest = after[len(after) - min(room // 2, len(after)) :]
    last = rest[_whole_start(rest) :]
    note = _note(total - len(first) - len(last))
    return _text(first) + note + _text(last)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _note(count: int) -> str:
    return f"\n{omission(count)}\n"


def _whole_end(data: bytes) -> int:
    """Where to cut so that no character at the end is torn."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            need = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(data) - back if need > back else len(data)
    return len(data)


def _whole_start(data: bytes) -> int:
    """Where the first whole character begins."""
    for at in range(min(4, len(data))):
        if data[at] & 0xC0 != 0x80:
            return at
    return 0


def kept_raw(raw: bytes | None, text: str) -> dict[str, Any]:
    """What a turn's `info` keeps of the bytes, where the text does not give them back."""
    if raw is not None and raw == text.encode("utf-8", "surrogatepass"):
        return {}
    if raw is None or len(raw) > RAW_LIMIT:
        return {"raw_omitted": True}
    return {"raw": base64.b64encode(raw).decode("ascii")}
