"""One HTTP endpoint that speaks chat completions: one attempt of one call.

A reply is streamed whenever the server can, so that a broken connection shows and text can be
watched; a server that cannot stream, or does not know `stream_options`, is asked more plainly. The
SDK builds and sends the requests; its typed chunks are passed by, since building them costs more
than all the rest of a call.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from worldline.models.remote.connection import connect, silence
from worldline.models.remote.gather import Gathered, Watcher
from worldline.models.remote.keys import endpoint_url
from worldline.models.remote.options import Options
from worldline.models.remote.retry import retry_after
from worldline.models.remote.trouble import Code, Trouble, plain, refused
from worldline.reply import Reply

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

Mode = Literal["counted", "streamed", "whole"]
"""How to ask: a stream that ends with its token counts, a stream, or one JSON body."""

_ASKING: dict[Mode, dict[str, Any]] = {
    "counted": {"stream": True, "stream_options": {"include_usage": True}},
    "streamed": {"stream": True},
    "whole": {},
}
_GRACE = 2.0
"""Seconds to wait for token counts and the end mark once the model has finished."""
_LONGEST_REPLY = 1 << 28
_BROKEN_OFF = frozenset({"error", "abort"})
"""Finish reasons with which servers say that they failed."""


class Endpoint:
    """Sends requests to one base URL; `model` is what errors name."""

    def __init__(self, url: str, key: str | None, options: Options, model: str) -> None:
        parts = endpoint_url(url)
        self.url = url
        self.host = parts.netloc
        self.name = parts.hostname or ""
        """The host without its port."""
        self._key = key
        self._options = options
        self._model = model
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(
        self, body: Mapping[str, Any], mode: Mode, seconds: float, watcher: Watcher | None
    ) -> Reply:
        """One attempt, of so many seconds at most.

        Raises:
            Trouble: it failed; what had arrived is its `partial`.
            ModelError: it can never succeed.
        """
        started = time.monotonic()
        gathered = Gathered(watcher)
        try:
            await self._guarded({**body, **_ASKING[mode]}, mode, gathered, started, seconds)
        except Trouble as trouble:
            # Whatever happens to the connection after the last word, the answer is there.
            if gathered.finish_reason is None or gathered.finish_reason in _BROKEN_OFF:
                trouble.partial = gathered.reply(time.monotonic() - started)
                raise
        return gathered.reply(time.monotonic() - started)

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _guarded(
        self,
        body: dict[str, Any],
        mode: Mode,
        gathered: Gathered,
        started: float,
        seconds: float,
    ) -> None:
        """The attempt, with every exception of the layers below typed."""
        import anyio
        import httpx2
        import openai

        lost = (openai.APIConnectionError, httpx2.RequestError, anyio.EndOfStream, OSError)
        try:
            async with asyncio.timeout(seconds) as limit:
                await self._exchange(body, mode, gathered, started, limit)
        except openai.APIStatusError as error:
            raise self._refused(error.status_code, error.body, error.response.headers) from None
        except (openai.APITimeoutError, httpx2.TimeoutException) as error:
            cause = error.__cause__ or error
            raise Trouble("timeout", f"{self.host}: {type(cause).__name__}") from None
        except TimeoutError:
            text = f"{self.host}: no complete answer within {seconds:.3g} s"
            raise Trouble("timeout", text) from None
        except lost as error:
            cause = error.__cause__ or error
            text = plain(f"{self.host}: {type(cause).__name__}: {cause}", self._key)
            code: Code = "stream_incomplete" if gathered.begun else "connection"
            raise Trouble(code, text) from None

    async def _exchange(
        self,
        body: dict[str, Any],
        mode: Mode,
        gathered: Gathered,
        started: float,
        limit: asyncio.Timeout,
    ) -> None:
        response = await self._post(body, mode)
        try:
            if "text/event-stream" in response.headers.get("content-type", ""):
                await self._read_stream(response, gathered, started, limit)
            else:
                await self._read_whole(response, gathered, started)
        finally:
            await response.aclose()
        if gathered.finish_reason in _BROKEN_OFF:
            raise Trouble("server_error", f"{self.host}: the server broke the reply off")

    async def _post(self, body: dict[str, Any], mode: Mode) -> "httpx2.Response":
        import httpx2
        from openai import AsyncStream

        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # connections belong to one loop
            self._client, self._loop = connect(self.url, self._key, self._options), loop
        seconds = self._options.timeout if mode == "whole" else self._options.read_timeout
        response = await self._client.post(
            "/chat/completions",
            body=body,
            cast_to=httpx2.Response,
            options={"timeout": silence(self._options, seconds)},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        return cast("httpx2.Response", response)

    async def _read_stream(
        self,
        response: "httpx2.Response",
        gathered: Gathered,
        started: float,
        limit: asyncio.Timeout,
    ) -> None:
        done = False
        async for data in _events(response):
            if data.startswith(b"[DONE]"):
                done = True
                continue
            chunk = self._chunk(data)
            gathered.add(chunk, time.monotonic() - started, part="delta")
            if gathered.finish_reason is not None:
                soon = asyncio.get_running_loop().time() + _GRACE
                limit.reschedule(min(limit.when() or soon, soon))
        if gathered.finish_reason is None and (gathered.begun or not done):
            text = f"{self.host}: the stream ended before the model said that it had finished"
            raise Trouble("stream_incomplete", text)

    async def _read_whole(
        self, response: "httpx2.Response", gathered: Gathered, started: float
    ) -> None:
        data = b"".join([block async for block in _blocks(response)])
        chunk = self._chunk(data)
        if not isinstance(chunk.get("choices"), list):
            raise Trouble("server_error", f"{self.host} sent JSON that is no chat completion")
        gathered.add(chunk, time.monotonic() - started, part="message")

    def _chunk(self, data: bytes) -> dict[str, Any]:
        """One JSON object of a reply; errors may come inside a reply of status 200."""
        text = data.decode("utf-8", "replace")
        try:
            chunk = json.loads(text)
        except (ValueError, RecursionError):
            chunk = None
        if not isinstance(chunk, dict):
            said = plain(text[:200], self._key)
            raise Trouble("server_error", f"{self.host} sent what is no JSON object: {said!r}")
        found = cast(dict[str, Any], chunk)
        if found.get("error") or found.get("object") == "error":
            raise self._refused(_claimed_status(found), found, {})
        return found

    def _refused(self, status: int, body: object, headers: Mapping[str, str]) -> Trouble:
        return refused(
            status,
            body,
            model=self._model,
            host=self.host,
            key=self._key,
            asked=retry_after(headers, time.time()),
        )


def _claimed_status(body: Mapping[str, Any]) -> int:
    """The HTTP status that an error object inside a reply stands for."""
    inner = body.get("error")
    code = str(inner.get("code") if isinstance(inner, Mapping) else body.get("code"))
    return int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500


async def _blocks(response: "httpx2.Response") -> AsyncIterator[bytes]:
    size = 0
    async for block in response.aiter_bytes():
        size += len(block)
        if size > _LONGEST_REPLY:
            raise Trouble("server_error", f"a reply of more than {_LONGEST_REPLY} bytes")
        yield block


async def _events(response: "httpx2.Response") -> AsyncIterator[bytes]:
    """The data of each server-sent event. Lines end in ``\\n``: text may hold any other break."""
    parts: list[bytes] = []
    async for block in _blocks(response):
        *lines, rest = block.split(b"\n")
        if lines:
            parts.append(lines[0])
            lines[0] = b"".join(parts)
            parts = []
        parts.append(rest)
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    last = b"".join(parts)
    if last.startswith(b"data:"):
        yield last[5:].strip()
