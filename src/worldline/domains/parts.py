"""An observation in parts: what measures against a recorded truth compare.

A dialect says of each piece of its text what it is. Where a prediction differs from the truth, the
kind of the differing part decides which dimension of the scorecard it costs (`worldline.verify`).
"""

from typing import Literal

import msgspec

Kind = Literal["frame", "content", "state", "runtime"]
"""What a part is to a reader.

* ``frame``: the form of the dialect itself: an envelope's fields, the row of column names, tags.
* ``content``: what the environment had to say.
* ``state``: what the session already carries: a prompt, a directory, an echo, an id.
* ``runtime``: metadata that nobody can know beforehand: times, process numbers, durations.
"""


STATUS = "status"
"""Key of the part that only says how the action went, as an exit code. An observation that shares
no more than this with the truth shares nothing."""


class Part(msgspec.Struct, frozen=True, gc=False):
    """One piece of an observation."""

    text: str
    kind: Kind = "content"
    key: str = ""
    """What it is a value of, as a node's id or a JSON path: parts of one key are compared with each
    other wherever they stand. Parts without a key are compared in their order."""
    start: int = -1
    """Where it begins in the observation, in characters; -1: nowhere in one piece."""

    @property
    def span(self) -> tuple[int, int] | None:
        """``[start, end)`` in characters of the observation, where it stands there in one piece."""
        return None if self.start < 0 else (self.start, self.start + len(self.text))


def line_parts(text: str, kind: Kind = "content", start: int = 0) -> list[Part]:
    """One part a line, blank ones at the end left out.

    Args:
        start: where the text begins in its observation.
    """
    parts = []
    for line in text.rstrip().split("\n"):
        parts.append(Part(line.rstrip(), kind, "", start))
        start += len(line) + 1
    return parts if text.strip() else []
