"""A world model behind any OpenAI-compatible endpoint: vLLM, SGLang, llama.cpp, hosted APIs.

    model = OpenAIModel("Qwen-AgentWorld-35B-A3B", "http://127.0.0.1:8000/v1", sampling=...)
    prediction = await model.predict(request)

This module makes a request's body and reads the reply; `worldline.models.remote` gets it there.
Every failure is typed on the prediction.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from worldline.domains.base import Style
from worldline.messages import Message, Request, Sampling
from worldline.models.base import OnText, WorldModel
from worldline.models.remote.calls import Calls
from worldline.models.remote.endpoint import Endpoint
from worldline.models.remote.keys import OPENAI_HOST, key_for
from worldline.models.remote.limiter import Limiter
from worldline.models.remote.options import options
from worldline.models.visible import Visible
from worldline.prediction import Prediction
from worldline.reply import Reply, asks_for_tags, prediction

_SURROGATE = re.compile("[\ud800-\udfff]")
SERVER_DEFAULTS = Sampling()


class OpenAIModel(WorldModel):
    """One model of one endpoint.

    Args:
        name: the model's name at the server.
        base_url: as ``http://127.0.0.1:8000/v1``.
        sampling: what requests are made with, for those who pose them.
        context: tokens that fit a request and its reply together.
        thinking: turns a chat template's thinking on or off; `None` leaves the server's default.
            With False untagged text streams at once: it cannot be thoughts.
        preset: the preset these settings came from, for the record.
        extra: see `worldline.models.remote.options.Options`.

    Raises:
        UsageError: the address or an option makes no sense.
        ModelError: the host's key is unusable or would travel unencrypted.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        sampling: Sampling = SERVER_DEFAULTS,
        context: int | None = None,
        style: Style = "full",
        thinking: bool | None = None,
        preset: str | None = None,
        extra: Mapping[str, Any] = {},
    ) -> None:
        self.name = name
        self.sampling = sampling
        self.context = context
        self.style: Style = style
        self.thinking = thinking
        self.preset = preset
        self.options = options(extra)
        key = key_for(base_url, insecure=self.options.insecure)
        self._calls = Calls(Endpoint(base_url, key, self.options, name), self.options)

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """One prediction.

        `on_text` gets the observation in pieces, never thoughts or tags. The pieces add up to it,
        or to a beginning of it when a stream broke and the next attempt went another way.
        """
        visible = None
        if on_text is not None:
            tagged, bare = asks_for_tags(request), self.thinking is False
            visible = Visible(on_text, tagged=tagged, bare=bare)
        body, replaced = self.body(request.messages, request.sampling, request.seed)
        reply = await self._calls.reply(body, visible)
        found = prediction(reply, request, self.name)
        if visible is not None:
            visible.finish(found.observation)
        notes: dict[str, Any] = {}
        if replaced:
            notes["replaced_surrogates"] = replaced
        if reply.timings.get("cache"):
            notes["cache"] = True
        return msgspec.structs.replace(found, raw={**(found.raw or {}), **notes})

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, seed: int | None = None
    ) -> Reply:
        """The reply to any conversation; failures are typed in its `error`."""
        return await self._calls.reply(self.body(messages, sampling, seed)[0], None)

    def body(
        self, messages: Sequence[Message], sampling: Sampling, seed: int | None
    ) -> tuple[dict[str, Any], int]:
        """The request's JSON body, and how many lone surrogates had to be replaced in it.

        UTF-8 has no lone surrogates, so U+FFFD is sent for each.
        """
        sent, replaced = [], 0
        for message in messages:
            text, count = _encodable(message.content)
            sent.append({"role": message.role, "content": text})
            replaced += count
        at_openai = self._calls.endpoint.name == OPENAI_HOST
        fields = {
            "model": self.name,
            "messages": sent,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_completion_tokens" if at_openai else "max_tokens": sampling.max_tokens,
            "seed": seed,
            "stop": list(sampling.stop) or None,
            "top_k": sampling.top_k,
        }
        if self.thinking is not None:
            fields["chat_template_kwargs"] = {"enable_thinking": self.thinking}
        return {name: value for name, value in fields.items() if value is not None}, replaced

    @property
    def limiter(self) -> Limiter:
        """How many requests may be in flight now."""
        return self._calls.limiter

    def describe(self) -> dict[str, Any]:
        """What a manifest records: no key, and of the address only the host."""
        settings = msgspec.to_builtins(self.options)
        settings["cache"] = self.options.cache is not None
        return {
            **super().describe(),
            "kind": "openai",
            "host": self._calls.endpoint.host,
            "preset": self.preset,
            "thinking": self.thinking,
            "options": settings,
        }

    async def aclose(self) -> None:
        """Close the connections."""
        await self._calls.endpoint.aclose()


def _encodable(text: str) -> tuple[str, int]:
    try:
        text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return _SURROGATE.subn("\ufffd", joined)
    return text, 0
