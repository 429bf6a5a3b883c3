"""What a judged or chosen line says of a call that brought no reply."""

from worldline.bench.reach import Call
from worldline.reply import Reply

MOST = 500
"""Characters of a server's message that are kept."""
INFRA = "infra_error/"


def trouble(reply: Reply) -> str | None:
    """The reason, as ``infra_error/timeout``; `None` where a reply came."""
    code = call(reply).code
    return code if code in (None, "context_too_long") else f"{INFRA}{code}"


def message(reply: Reply) -> str | None:
    """What the server or the wire said, clipped; whoever made the call left keys out of it."""
    told = call(reply).message
    return (told if len(told) <= MOST else f"{told[: MOST - 1]}\u2026") or None


def call(reply: Reply) -> Call:
    """How the call ended."""
    if reply.error is None:
        return Call()
    code = str(reply.error.get("code") or "unknown_error")
    return Call(code, str(reply.error.get("message") or ""))
