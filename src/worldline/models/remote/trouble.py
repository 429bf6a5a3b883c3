"""What went wrong with a call: every failure of an endpoint, typed once.

A `Trouble` ends one attempt. Whether it is worth another one is part of its type. What no retry can
mend (no key, no such model, a redirect) is a `ModelError` instead, and ends the run. Servers word
the same refusal in many ways: `refused` reads the shapes of OpenAI, vLLM, SGLang and llama.cpp.
"""

from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from worldline.errors import ModelError
from worldline.models.remote.keys import variable
from worldline.reply import Reply

Code = Literal[
    "rate_limited",
    "server_error",
    "timeout",
    "connection",
    "stream_incomplete",
    "bad_request",
    "context_too_long",
]
_FINAL: frozenset[Code] = frozenset({"bad_request", "context_too_long"})

_TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
_TOO_LONG_WORDS = (
    "maximum context length",
    "model's context length",
    "available context size",
    "exceeds the context window",
    "longer than the maximum model length",
    "exceeds the maximum allowed length",
    "maximum number of tokens allowed",
    "prompt is too long",
)
_LONGEST_MESSAGE = 500


class Trouble(Exception):
    """One failed attempt.

    Args:
        code: what kind of failure it is.
        message: one line, safe to print, no key in it.
        status: the HTTP status, when there was one.
        asked: seconds the server wants us to stay away.
        partial: what had arrived before it broke off.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        status: int | None = None,
        asked: float | None = None,
        partial: Reply | None = None,
    ) -> None:
        super().__init__(message)
        self.code: Code = code
        self.message = message
        self.status = status
        self.asked = asked
        self.partial = partial

    @property
    def final(self) -> bool:
        """Whether the same request would fail the same way again."""
        return self.code in _FINAL

    @property
    def pushed_back(self) -> bool:
        """Whether the server asks for less load."""
        return self.code == "rate_limited" or (self.status or 0) >= 500

    def reply(self) -> Reply:
        """The failed call as a reply: the typed error, and whatever text had arrived."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.status is not None:
            error["status"] = self.status
        return msgspec.structs.replace(self.partial or Reply(choices=0), error=error)


def plain(text: object, key: str | None = None) -> str:
    """A foreign text as one printable line without the key, cut to a length one can read."""
    line = str(text).replace(key, "[key]") if key else str(text)
    line = line[: 4 * _LONGEST_MESSAGE]
    line = " ".join("".join(c if c.isprintable() else " " for c in line).split())
    return line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + " ..."


def refused(
    status: int,
    body: object,
    *,
    model: str,
    host: str,
    key: str | None = None,
    asked: float | None = None,
) -> Trouble:
    """The trouble behind an HTTP error, or behind an error object inside a stream.

    Args:
        status: the HTTP status; inside a stream, the code the error object claims.
        body: the decoded body, JSON or text.
        host: with its port, if it has one.

    Raises:
        ModelError: no retry can mend it.
    """
    message, codes = _read(body)
    said = plain(message, key) or f"HTTP {status}"
    if codes & _TOO_LONG_CODES or any(word in message.lower() for word in _TOO_LONG_WORDS):
        return Trouble("context_too_long", said, status=status)
    if status in (401, 402, 403, 404) or "insufficient_quota" in codes or 300 <= status < 400:
        raise ModelError(
            f"{host} answered HTTP {status}: {said}",
            field=model,
            remedy=_remedy(status, host),
        )
    return Trouble(_code(status), said, status=status, asked=asked)


def _code(status: int) -> Code:
    if status == 429:
        return "rate_limited"
    if status in (408, 504):
        return "timeout"
    return "server_error" if status >= 500 or status in (409, 425) else "bad_request"


def _remedy(status: int, host: str) -> str:
    if status in (401, 403):
        name = urlsplit(f"//{host}").hostname or host
        return f"Set the key of this host in {variable(name)} or in keys.toml."
    if status == 404:
        return "Check the model's name (GET /v1/models lists them); the address should end in /v1."
    if 300 <= status < 400:
        return "Use the final address: redirects are not followed, lest a key reach another host."
    return "Check the account's credit and limits."


def _read(body: object) -> tuple[str, set[str]]:
    """Message and machine-readable codes of an error body."""
    if not isinstance(body, Mapping):
        return (body if isinstance(body, str) else ""), set()
    inner = body.get("error", body)
    if not isinstance(inner, Mapping):
        return str(inner), set()
    message = next((inner[n] for n in ("message", "detail", "msg") if inner.get(n)), "")
    return str(message), {str(inner[name]) for name in ("code", "type") if inner.get(name)}
