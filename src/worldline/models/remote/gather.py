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
        self._parts: dict[str, list[str]] = {"content": [], "reasoning": [], "refusal": []}
        self._choices = 0
        self._usage: Mapping[str, Any] = {}
        self._timings: dict[str, Any] = {}
        self.finish_reason: str | None = None
        self.first_token_s: float | None = None

    @property
    def begun(self) -> bool:
        """Whether any choice has arrived."""
        return self._choices > 0

    def add(self, chunk: Mapping[str, Any], seconds: float, *, part: str) -> None:
        """Take a chunk (`part` = ``delta``) or a whole completion (``message``).

        Args:
            seconds: time since the request was sent.
        """
        self._usage = _mapping(chunk.get("usage")) or self._usage
        self._timings.update(_numbers(_mapping(chunk.get("timings"))))
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return
        choice = _mapping(cast(list[Any], choices)[0])
        self._choices = max(self._choices, 1)
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            self.finish_reason = finish
        self._take(_mapping(choice.get(part)), seconds)

    def _take(self, message: Mapping[str, Any], seconds: float) -> None:
        found = {
            "content": _text(message.get("content")),
            "reasoning": _reasoning(message),
            "refusal": _text(message.get("refusal")),
        }
        for name, text in found.items():
            if text is not None:
                self._parts[name].append(text)
        if self.first_token_s is None and (found["content"] or found["reasoning"]):
            self.first_token_s = seconds
        if self._watcher is not None:
            if found["reasoning"]:
                self._watcher.thought()
            if found["content"]:
                self._watcher.feed(found["content"])

    def reply(self, seconds: float) -> Reply:
        """The reply so far."""
        timings = dict(self._timings)
        if self.first_token_s is not None:
            timings["first_token_s"] = round(self.first_token_s, 6)
        joined = {name: "".join(parts) if parts else None for name, parts in self._parts.items()}
        return Reply(
            content=joined["content"],
            reasoning=joined["reasoning"] or None,
            refusal=joined["refusal"] or None,
            finish_reason=self.finish_reason,
            choices=self._choices,
            usage=_usage(self._usage, self._timings),
            timings=timings,
            latency_s=seconds,
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else {}


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
