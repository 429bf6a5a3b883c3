"""What the stub server can be told to answer: replies, errors, and what breaks on a wire."""

from dataclasses import dataclass, field
from typing import Any, Literal

Flavour = Literal["openai", "vllm", "sglang", "llamacpp"]

REASONING_FIELD: dict[str, str] = {
    "openai": "reasoning",
    "vllm": "reasoning",
    "sglang": "reasoning_content",
    "llamacpp": "reasoning_content",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One programmed answer. The defaults are a complete, well-formed reply."""

    content: str | None = ""
    reasoning: str | None = None
    reasoning_field: str | None = None
    """`None`: the flavour's own; ``reasoning_details`` sends OpenRouter's list."""
    refusal: str | None = None
    finish_reason: str | None = "stop"
    choices: bool = True
    """False: ``choices: []``."""
    null_message: bool = False
    """``message: null`` (and no delta in a stream)."""
    prompt_tokens: int = 11
    cached_tokens: int | None = None
    status: int = 200
    body: Any = None
    """The whole body when it is no chat completion: a JSON value, or text."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0
    """Seconds before the first byte of the answer."""
    piece: int = 8
    """Characters in one streamed piece."""
    gap: float = 0.0
    """Seconds between two pieces."""
    cut_after: int | None = None
    """Break the stream off after so many pieces."""
    cut: Literal["abort", "clean", "silence"] = "abort"
    """How: a dropped connection, a regular end of the body, or nothing more on an open one."""
    stream_error: Any = None
    """An error object sent inside the stream where it is cut."""
    done: bool = True
    """End a stream with ``[DONE]`` and close it; False leaves it open after the last chunk."""
    ignore_stream: bool = False
    """Answer in one piece although a stream was asked for."""


def error(
    status: int,
    message: str = "no",
    *,
    code: Any = None,
    type: str = "error",
    retry_after: object = None,
    headers: dict[str, str] | None = None,
) -> Answer:
    """An HTTP error with a body in OpenAI's shape."""
    sent = dict(headers or {})
    if retry_after is not None:
        sent["Retry-After"] = str(retry_after)
    body = {"error": {"message": message, "type": type, "param": None, "code": code or status}}
    return Answer(status=status, body=body, headers=sent)


def too_long(flavour: Flavour) -> Answer:
    """The HTTP 400 with which each server refuses a request that exceeds its context."""
    text = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens."
    if flavour == "openai":
        return error(400, text, code="context_length_exceeded", type="invalid_request_error")
    if flavour == "vllm":
        return error(400, text, type="BadRequestError")
    if flavour == "sglang":
        text = "The input (9000 tokens) is longer than the model's context length (4096 tokens)."
        shape = {"object": "error", "message": text, "type": "BadRequestError", "code": 400}
        return Answer(status=400, body=shape)
    text = "request (9000 tokens) exceeds the available context size (4096 tokens)"
    shape = {"code": 400, "message": text, "type": "exceed_context_size_error", "n_ctx": 4096}
    return Answer(status=400, body={"error": shape})
