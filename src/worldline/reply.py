"""What a chat backend gave back, and the observation inside it."""

from typing import Any

import msgspec

from worldline.prediction import Usage


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A completed (or failed) call, as received.

    `content` and `reasoning` are unchanged. `error` is the typed trouble of a call that brought no
    reply: ``{"code": ..., "message": ..., "status"?: int}``; then everything else may be empty.
    """

    content: str | None = None
    reasoning: str | None = None
    """Thoughts that came in a field of their own."""
    finish_reason: str | None = None
    refusal: str | None = None
    choices: int = 1
    """How many choices the reply had; 0 is an answer too (an empty one)."""
    usage: Usage = Usage()
    timings: dict[str, Any] = {}
    error: dict[str, Any] | None = None
    attempts: int = 1
    latency_s: float = 0.0
