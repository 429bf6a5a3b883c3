"""A chat completion put together, from the pieces of a stream or from one JSON body.

Servers agree on the outline and differ in the details: thoughts come as `reasoning`,
`reasoning_content` or `reasoning_details`, a content may be a list of parts, a message may be null.
Whatever has an unexpected type is taken as absent.
"""

from collections.abc import Mapping
from typing import Any, Protocol, cast

from worldline.prediction import Usage
from worldline.reply import Reply


class Watcher(Protocol):
    """Looks on while a reply streams in."""

    def thought(self) -> None:
        """Thoughts arrived in a field of their own."""

    def feed(self, text: str) -> None:
        """The next piece of the content."""

    def restart(self) -> None:
        """What arrived so far is void."""


class Gathered:
    """What has arrived of one reply."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self._watcher = watcher
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._usage: Mapping[str, Any] = {}
        self._timings: dict[str, Any] = {}
        self.begun = False
        """Whether any choice has arrived."""
        self.finish_reason: str | None = None
        self.first_token_s: float | None = None

    def add(self, chunk: Mapping[str, Any], seconds: float, *, part: str) -> None:
        """Take a chunk (`part` = ``delta``) or a whole completion (``message``).

        Args:
            seconds: time since the request was sent.
        """
        if chunk.get("usage"):
            self._usage = _mapping(chunk["usage"])
        if chunk.get("timings"):
            self._timings.update(_numbers(_mapping(chunk["timings"])))
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return
        choice = _mapping(cast(list[Any], choices)[0])
        self.begun = True
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            self.finish_reason = finish
        self._take(_mapping(choice.get(part)), seconds)

    def _take(self, message: Mapping[str, Any], seconds: float) -> None:
        content, reasoning = _text(message.get("content")), _reasoning(message)
        if self.first_token_s is None and (content or reasoning):
            self.first_token_s = seconds
        if reasoning:
            self._reasoning.append(reasoning)
            if self._watcher is not None:
                self._watcher.thought()
        if content is not None:
            self._content.append(content)
            if content and self._watcher is not None:
                self._watcher.feed(content)
        refusal = message.get("refusal")
        if isinstance(refusal, str):
            self._refusal.append(refusal)

    def reply(self, seconds: float) -> Reply:
        """The reply so far."""
        timings = dict(self._timings)
        if self.first_token_s is not None:
            timings["first_token_s"] = round(self.first_token_s, 6)
        return Reply(
            content="".join(self._content) if self._content else None,
            reasoning="".join(self._reasoning) or None,
            refusal="".join(self._refusal) or None,
            finish_reason=self.finish_reason,
            choices=int(self.begun),
            usage=_usage(self._usage, self._timings),
            timings=timings,
            latency_s=seconds,
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    """A text, or the text parts of a list of parts."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = [_mapping(part) for part in cast(list[Any], value)]
    texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
    return "".join(text for text in texts if isinstance(text, str)) or None


def _reasoning(message: Mapping[str, Any]) -> str | None:
    """The thoughts, from the first field that holds any: servers may send the same in two."""
    for name in ("reasoning", "reasoning_content"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value
    details = message.get("reasoning_details")
    if not isinstance(details, list):
        return None
    parts = [_mapping(part) for part in cast(list[Any], details)]
    texts = [part.get("text") or part.get("summary") for part in parts]
    return "".join(text for text in texts if isinstance(text, str)) or None


def _numbers(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in values.items() if isinstance(v, int | float)}


def _count(value: object) -> int | None:
    """A number of tokens; `None` when the server did not say, or said nonsense."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return None
    return value


def _usage(usage: Mapping[str, Any], timings: Mapping[str, Any]) -> Usage:
    cached = _count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    return Usage(
        prompt=_count(usage.get("prompt_tokens")),
        cached=_count(timings.get("cache_n")) if cached is None else cached,
        completion=_count(usage.get("completion_tokens")),
    )
