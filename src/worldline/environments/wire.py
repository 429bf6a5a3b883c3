"""The wire between a caller and an environment's process: one JSON object a line, over stdio.

-> {"id": 1, "op": "reset", "name": "terminal", "seed": 7, "options": {}}
<- {"id": 1, "ok": true, "observation": null, "status": "ok", "opening": {...}}
-> {"id": 2, "op": "step", "action": "ls", "limit_s": 30}
<- {"id": 2, "ok": true, "observation": "a.txt\\n", "status": "ok", "info": {...}}
<- {"id": 3, "ok": false, "observation": null, "status": "capture_failed",
    "error": {"code": "UsageError", "message": "..."}}
"""

from typing import Any, Literal

import msgspec

from worldline.environments.base import Opening, Status

Op = Literal["reset", "step", "snapshot", "close"]


class Ask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request. `name`, `seed` and `options` belong to ``reset``, the rest to ``step``."""

    id: int
    op: Op
    name: str = ""
    seed: int = 0
    options: dict[str, Any] = {}
    action: str = ""
    limit_s: float = 30.0


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request failed. `code` is the class of the error."""

    code: str
    message: str


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to the request of the same `id`."""

    id: int
    ok: bool
    observation: str | None
    status: Status
    info: dict[str, Any] = {}
    reason: str | None = None
    terminated: bool = False
    opening: Opening | None = None
    snapshot: dict[str, Any] | None = None
    error: Trouble | None = None
