"""The wire between a caller and an environment's process: one JSON object a line, over stdio.

-> {"id": 1, "op": "reset", "name": "terminal", "seed": 7, "options": {}}
<- {"id": 1, "ok": true, "observation": null, "status": "ok", "opening": {...}}
-> {"id": 2, "op": "step", "action": "ls", "limit_s": 30}
<- {"id": 2, "ok": true, "observation": "a.txt\\n", "status": "ok", "info": {...}}
<- {"id": 3, "ok": false, "observation": null, "status": "capture_failed",
    "error": {"code": "UsageError", "message": "..."}}
"""

from typing import Any, Literal, TypeVar, cast

import msgspec

from worldline import jsonl
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


class WireError(Exception):
    """A line is no message, or a message cannot be a line. `id` is the request's, 0 if unknown."""

    def __init__(self, why: str, id: int = 0) -> None:
        super().__init__(why)
        self.id = id


M = TypeVar("M", Ask, Answer)


def written(message: Ask | Answer) -> bytes:
    """A message as its line.

    Raises:
        WireError: it holds what JSON cannot: NaN, objects, thousands of levels.
    """
    try:
        return jsonl.dumps(msgspec.to_builtins(message)) + b"\n"
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise WireError(f"cannot be sent ({error})", message.id) from error


def read(line: bytes, kind: type[M]) -> M:
    """The message in a line.

    Raises:
        WireError: there is none.
    """
    try:
        value = jsonl.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError(f"is not JSON ({error})") from error
    try:
        return jsonl.convert(value, kind)
    except msgspec.ValidationError as error:
        given = cast(dict[str, Any], value).get("id") if isinstance(value, dict) else 0
        id = given if isinstance(given, int) and not isinstance(given, bool) else 0
        raise WireError(f"is no {kind.__name__} ({error})", id) from error
