"""Models of inspect_ai in our terms: what they replied, and one of them as a judge."""
# pyright: reportMissingImports=false

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    get_model,
)

from worldline.messages import Message, Sampling
from worldline.prediction import Usage
from worldline.reply import Reply

if TYPE_CHECKING:
    from worldline.bench.judge.ask import Prompts
    from worldline.bench.judge.run import Desk
    from worldline.models.chat import Chat

ROLE = "role:"
"""Before the name of a model role, where a judge is named."""
MESSAGE: dict[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
"""By role."""


def reply_of(out: ModelOutput) -> Reply:
    """What a model of inspect_ai gave back. Its stop reasons are those that ours know, or none."""
    if not out.choices:
        return Reply(choices=0)
    content = out.message.content
    blocks = [] if isinstance(content, str) else content
    thoughts = [one.reasoning for one in blocks if one.type == "reasoning"]
    used = out.usage
    return Reply(
        content=out.completion,
        reasoning="\n".join(thoughts) or None,
        finish_reason=None if out.stop_reason == "unknown" else out.stop_reason,
        usage=Usage()
        if used is None
        else Usage(
            prompt=used.input_tokens,
            cached=used.input_tokens_cache_read,
            completion=used.output_tokens,
        ),
        latency_s=out.time or 0.0,
    )


def prompts_of(folder: str | None, official: str | None) -> "Prompts":
    """Our judge prompts, those of a folder, or those of a checkout of QwenLM/Qwen-AgentWorld.

    Raises:
        DataError: the folder or checkout cannot be used.
    """
    if official is None:
        from worldline.bench.judge.ask import Ours

        return Ours(None if folder is None else Path(folder))
    from worldline.bench.official.checkout import read
    from worldline.bench.official.prompts import Official

    return Official(read(Path(official)))


class Desks:
    """Where rows are judged: a desk for each event loop, as a model's connections belong to one.

    Raises:
        UsageError: the spec names no chat model.
        ModelError: the model cannot be used at all.
    """

    def __init__(self, judge: str, prompts: "Prompts", tries: int) -> None:
        self._judge, self._prompts, self._tries = judge, prompts, tries
        self._open: WeakKeyDictionary[asyncio.AbstractEventLoop, Desk] = WeakKeyDictionary()
        if not judge.startswith(ROLE):
            _opened(judge)  # said now, not when every answer has been paid for

    def desk(self) -> "Desk":
        """The desk of the running loop."""
        if self._judge.startswith(ROLE):  # whom a role means may change from run to run
            return self._new(RoleChat(self._judge.removeprefix(ROLE)))
        loop = asyncio.get_running_loop()
        if loop not in self._open:
            self._open[loop] = self._new(_opened(self._judge))
        return self._open[loop]

    def _new(self, who: "Chat") -> "Desk":
        from worldline.bench.judge.run import Desk

        return Desk(who, self._prompts, self._tries, max_tokens=None, seed=0)


def _opened(spec: str) -> "Chat":
    from worldline.models import load
    from worldline.models.chat import as_chat

    return as_chat(load(spec))


class RoleChat:
    """A model role of inspect_ai as a partner of conversations; how it samples is said there."""

    context: int | None = None

    def __init__(self, role: str) -> None:
        self._model = get_model(role=role, required=True)
        self.name = str(self._model)
        told = self._model.config
        self.sampling = Sampling(temperature=told.temperature, max_tokens=told.max_tokens)

    async def chat(
        self, messages: Sequence[Message], sampling: Sampling, seed: int | None = None
    ) -> Reply:
        """The reply. Trouble with the model is inspect_ai's to retry and to report."""
        from worldline.bench.interop.posed import whole

        sent = [MESSAGE[one.role](content=whole(one.content)) for one in messages]
        config = GenerateConfig(max_tokens=sampling.max_tokens)
        return reply_of(await self._model.generate(sent, config=config))

    def count(self, text: str) -> int:
        """Tokens in `text`, about."""
        from worldline.fit import estimate

        return estimate(text)

    def describe(self) -> dict[str, Any]:
        """The model's name."""
        return {"name": self.name}
