"""A world model that llama.cpp runs in this process: one queue, some slots, typed outcomes.

The engine loads in the background from the moment the model is opened; whoever needs it first
waits. Blocking calls run on threads of the model's own, so event loops only wait, and any number of
them, one after the other or at once, may use the same model.
"""

import asyncio
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import msgspec

from worldline.domains.base import Style
from worldline.messages import Message, Request, Sampling
from worldline.models.base import OnText, WorldModel
from worldline.models.llama.engine import Completion, Engine
from worldline.models.llama.setup import Setup
from worldline.models.llama.workers import Workers
from worldline.models.visible import Visible
from worldline.prediction import Prediction, Usage
from worldline.reply import Reply, asks_for_tags, prediction

_SEEDS = 2**32 - 1  # the last one means "any" to llama.cpp
_TIMINGS = (
    "prompt_n",
    "cache_n",
    "prompt_ms",
    "predicted_n",
    "predicted_ms",
    "draft_n",  # these two only where something was drafted
    "draft_n_accepted",
)
_PATIENCE_S = 30.0
_DEFAULT_SEED = 0


class LlamaModel(WorldModel):
    """One model file with its slots.

    Args:
        sampling: what requests are made with, for those who pose them; its `max_tokens` also bounds
            requests that name none.
        deterministic: every prompt is read from its start and an unseeded request gets seed 0: the
            same text on each run, in any order. May be changed between requests; needs one slot.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        name: str,
        sampling: Sampling,
        style: Style = "compact",
        deterministic: bool = False,
    ) -> None:
        self.name = name
        self.context = setup.context
        self.style: Style = style
        self.sampling = sampling
        self.deterministic = deterministic
        self._setup = setup
        self._workers = Workers(setup.slots, "worldline-model")
        self._engine = self._workers.submit(partial(Engine, setup))
        self._close = weakref.finalize(self, _close, self._workers, self._engine)

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        """One prediction; `on_text` gets the observation in pieces, never thoughts or tags."""
        visible = None
        if on_text is not None:
            prompter = (await self._ready()).prompter
            bare = not prompter.opens_thoughts(request.messages)
            visible = Visible(on_text, tagged=asks_for_tags(request), bare=bare)
        feed = visible.feed if visible else None
        reply = await self.chat(
            request.messages, request.sampling, request.seed, feed, request.grammar
        )
        found = prediction(reply, request, self.name)
        if visible is not None:
            visible.finish(found.observation)
        return found

    async def chat(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        seed: int | None = None,
        on_text: OnText | None = None,
        grammar: str | None = None,
    ) -> Reply:
        """The reply to any conversation; failures are typed in its `error`.

        Cancelling the call frees its slot at the next token.

        Raises:
            ModelError: the model cannot be loaded, or its chat template refuses the conversation.
        """
        start, engine, cancelled = time.monotonic(), await self._ready(), threading.Event()
        feed = _in_loop(on_text) if on_text else _ignore
        job = partial(
            self._answer, engine, messages, sampling, seed, grammar, feed, cancelled.is_set
        )
        try:
            reply = await asyncio.wrap_future(self._workers.submit(job))
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return msgspec.structs.replace(reply, latency_s=time.monotonic() - start)

    def count(self, text: str) -> int:
        """Tokens in `text`, exactly. The first call waits until the model is loaded."""
        return len(self._engine.result().prompter.content(text))

    def describe(self) -> dict[str, Any]:
        """What a manifest records: the file's name and size, never its path."""
        setup = self._setup
        return {
            **super().describe(),
            "kind": "llama.cpp",
            "file": setup.model.name,
            "bytes": setup.model.stat().st_size,
            "adapter": setup.adapter.name if setup.adapter else None,
            "slots": setup.slots,
            "threads": setup.threads,
            "flash": setup.flash,
            "spec": setup.spec,
            "thinking": setup.thinking,
            "deterministic": self.deterministic,
            "constrain": self.constrains,
        }

    async def aclose(self) -> None:
        """Cancel what runs and unload the model."""
        await asyncio.to_thread(self._close)

    async def _ready(self) -> Engine:
        # Shielded: a caller that gives up must not cancel the loading for the others.
        return await asyncio.shield(asyncio.wrap_future(self._engine))

    def _answer(
        self,
        engine: Engine,
        messages: Sequence[Message],
        sampling: Sampling,
        seed: int | None,
        grammar: str | None,
        feed: OnText,
        cancelled: Callable[[], bool],
    ) -> Reply:
        ids = engine.prompter.tokens(messages)
        room = self._setup.context - len(ids)
        if room < 1:
            message = f"the prompt has {len(ids)} tokens, the context {self._setup.context}"
            error = {"code": "context_too_long", "message": message}
            return Reply(choices=0, error=error, usage=Usage(prompt=len(ids)))
        fields = self._fields(sampling, seed, room)
        if grammar is not None:
            fields["grammar"] = grammar
        return _reply(engine.complete(ids, fields, feed, cancelled), len(ids))

    def _fields(self, sampling: Sampling, seed: int | None, room: int) -> dict[str, Any]:
        wanted = sampling.max_tokens or self.sampling.max_tokens or room
        if seed is None and self.deterministic:
            seed = _DEFAULT_SEED
        fields = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "max_tokens": min(wanted, room),
            "stop": list(sampling.stop) or None,
            "seed": None if seed is None else seed % _SEEDS,
            "cache_prompt": not self.deterministic,
        }
        return {name: value for name, value in fields.items() if value is not None}


def _reply(done: Completion, prompt: int) -> Reply:
    error = None
    if done.error is not None:
        code = "context_too_long" if "context" in str(done.error.get("type")) else "server_error"
        error = {"code": code, "message": str(done.error.get("message"))}
    elif done.finish_reason is None:
        error = {"code": "stream_incomplete", "message": "the model stopped before its end"}
    timings = {name: done.timings[name] for name in _TIMINGS if name in done.timings}
    return Reply(
        content=done.text,
        finish_reason=done.finish_reason,
        usage=Usage(
            prompt=prompt, cached=timings.get("cache_n"), completion=timings.get("predicted_n")
        ),
        timings=timings,
        error=error,
    )


def _in_loop(on_text: OnText) -> OnText:
    """`on_text`, called in the running event loop from any thread."""
    loop = asyncio.get_running_loop()

    def feed(text: str) -> None:
        loop.call_soon_threadsafe(on_text, text)

    return feed


def _ignore(text: str) -> None:
    return None


def _close(workers: Workers, loading: "Future[Engine]") -> None:
    engine = None
    if loading.done() and loading.exception() is None:
        engine = loading.result()
        engine.stop()
    if workers.close(_PATIENCE_S) and not loading.exception():
        loading.result().close()
