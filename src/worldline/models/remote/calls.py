"""One call: attempts under a retry policy, each with a place of the limiter.

A folder of replies may answer instead. What comes back is always a `Reply`; its `error` says why
there is no answer, `attempts` how many requests were made, `latency_s` how long it all took.
"""

import asyncio
import random
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from worldline import jsonl
from worldline.models.remote.cache import ReplyCache
from worldline.models.remote.endpoint import Endpoint, Mode
from worldline.models.remote.gather import Watcher
from worldline.models.remote.limiter import Limiter, Slot
from worldline.models.remote.options import Options
from worldline.models.remote.trouble import Trouble
from worldline.reply import Reply

_PLAINER: dict[Mode, Mode] = {"counted": "streamed", "streamed": "whole"}


class Calls:
    """All calls to one endpoint."""

    def __init__(self, endpoint: Endpoint, options: Options) -> None:
        self.endpoint = endpoint
        self.limiter = Limiter(options.concurrency)
        self._options = options
        self._cache = ReplyCache(options.cache) if options.cache else None
        self._mode: Mode = "counted"

    async def reply(self, body: Mapping[str, Any], watcher: Watcher | None = None) -> Reply:
        """The reply to a request body (without its streaming fields).

        Raises:
            ModelError: no retry can mend it.
        """
        address = jsonl.sha(body)
        kept = self._cache.get(address) if self._cache else None
        if kept is not None:
            return _free(kept)
        reply = await self._attempts(body, watcher, random.Random(address))
        reply = msgspec.structs.replace(reply, usage=self._options.priced(reply.usage))
        if self._cache:
            self._cache.put(address, reply)
        return reply

    async def _attempts(
        self, body: Mapping[str, Any], watcher: Watcher | None, rng: random.Random
    ) -> Reply:
        retry, mode, attempt, began = self._options.retry, self._mode, 0, 0.0
        while True:
            attempt += 1
            try:
                async with self.limiter.slot() as slot:
                    if attempt == 1:
                        began = time.monotonic()
                    left = began + retry.deadline - time.monotonic()
                    reply = await self._attempt(slot, body, mode, left, watcher)
                self._mode = mode
                break
            except Trouble as trouble:
                if watcher is not None:
                    watcher.restart()
                if _cannot_stream(trouble) and mode in _PLAINER:
                    mode = _PLAINER[mode]
                    continue
                reply = trouble.reply()
                wait = retry.wait(attempt, trouble.asked, rng)
                late = time.monotonic() + wait > began + retry.deadline
                if trouble.final or attempt >= retry.attempts or late:
                    break
                await asyncio.sleep(wait)
        seconds = time.monotonic() - began
        return msgspec.structs.replace(reply, attempts=attempt, latency_s=seconds)

    async def _attempt(
        self,
        slot: Slot,
        body: Mapping[str, Any],
        mode: Mode,
        left: float,
        watcher: Watcher | None,
    ) -> Reply:
        seconds = min(self._options.timeout, max(left, 0.001))
        try:
            reply = await self.endpoint.send(body, mode, seconds, watcher)
        except Trouble as trouble:
            slot.outcome = "pushed_back" if trouble.pushed_back else None
            raise
        slot.outcome = "ok"
        return reply


def _cannot_stream(trouble: Trouble) -> bool:
    return trouble.code == "bad_request" and "stream" in trouble.message.lower()


def _free(kept: Reply) -> Reply:
    """A kept reply costs nothing and takes no attempt; its token counts stay."""
    cost = None if kept.usage.cost_usd is None else 0.0
    usage = msgspec.structs.replace(kept.usage, cost_usd=cost)
    return msgspec.structs.replace(kept, usage=usage, attempts=0, latency_s=0.0)
