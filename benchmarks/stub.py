"""A programmable chat server on 127.0.0.1: real HTTP, for tests, shows and measurements.

It answers ``POST .../chat/completions`` as OpenAI, vLLM, SGLang or llama.cpp would, streaming when
asked to, and keeps every request it received::

    with Stub([error(429, retry_after=1), "the text"]) as stub:
        model = OpenAIModel("any-name", stub.url)
        ...
        stub.requests[0].body["messages"]

What to answer is a text, an `Answer`, a list of these (the last one repeats) or a function of the
`Call`. What goes wrong on a wire (status, delay, cut, silence, odd shapes) is said by the `Answer`.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from benchmarks.answers import REASONING_FIELD, Answer, Flavour, error, too_long
from worldline import jsonl

__all__ = ["Answer", "Call", "Flavour", "Stub", "error", "too_long"]


@dataclass
class Call:
    """One received request."""

    number: int
    """0-based."""
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    raw: bytes
    at: float
    """`time.monotonic()` on arrival."""
    body: Any = None
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when the client hung up before the answer was complete."""


Reply = str | Answer | Sequence[str | Answer] | Callable[[Call], str | Answer]


class Stub:
    """The server, as a context manager; it runs in a thread of its own."""

    def __init__(self, reply: Reply = "ok", *, flavour: Flavour = "openai") -> None:
        self.reply = reply
        self.flavour: Flavour = flavour
        self.requests: list[Call] = []
        self.url = ""
        """Base URL, ``http://127.0.0.1:PORT/v1``."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        tasks: set[asyncio.Task[None]] = set()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.ensure_future(self._connection(reader, writer))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 26, backlog=512)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while call := await self._receive(reader):
                hung_up = asyncio.ensure_future(_until_closed(reader))
                answering = asyncio.ensure_future(self._answer(call, writer))
                await asyncio.wait({hung_up, answering}, return_when=asyncio.FIRST_COMPLETED)
                if not answering.done():
                    call.gone.set()
                    answering.cancel()
                    return
                hung_up.cancel()
                await asyncio.gather(hung_up, return_exceptions=True)
                if not answering.result():
                    return
        except (ConnectionError, asyncio.IncompleteReadError):  # the client went away
            pass
        finally:
            writer.close()

    async def _receive(self, reader: asyncio.StreamReader) -> Call | None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        pairs = [line.split(":", 1) for line in head[1:] if ":" in line]
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        path = head[0].split(" ")[1]
        call = Call(len(self.requests), path, headers, raw, time.monotonic())
        call.body = json.loads(raw) if raw else None
        self.requests.append(call)
        return call

    def _choose(self, call: Call) -> Answer:
        reply = self.reply
        if callable(reply):
            reply = reply(call)
        elif not isinstance(reply, (str, Answer)):
            reply = reply[min(call.number, len(reply) - 1)]
        return Answer(content=reply) if isinstance(reply, str) else reply

    async def _answer(self, call: Call, writer: asyncio.StreamWriter) -> bool:
        """Send the answer; False when the connection cannot be used again."""
        if not call.path.endswith("/chat/completions"):
            answer = error(404, "Not Found")
        else:
            answer = self._choose(call)
        await asyncio.sleep(answer.delay)
        body = call.body if isinstance(call.body, dict) else {}
        if answer.body is not None or answer.ignore_stream or not body.get("stream"):
            payload = self._payload(answer, body)
            writer.write(_head(answer, "application/json", f"Content-Length: {len(payload)}"))
            writer.write(payload)
            await writer.drain()
            return True
        writer.write(_head(answer, "text/event-stream", "Transfer-Encoding: chunked"))
        async for event in self._events(answer, body):
            writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            await writer.drain()
        return await _finish(answer, writer)

    def _payload(self, answer: Answer, body: dict[str, Any]) -> bytes:
        if answer.body is not None:
            whole = answer.body
            return whole.encode() if isinstance(whole, str) else jsonl.dumps(whole)
        message: dict[str, Any] = {"role": "assistant", "content": answer.content}
        message.update(self._reasoning(answer, answer.reasoning))
        if answer.refusal is not None:
            message["refusal"] = answer.refusal
        choice = {
            "index": 0,
            "message": None if answer.null_message else message,
            "finish_reason": answer.finish_reason,
        }
        whole = _envelope("chat.completion", body, [choice] if answer.choices else [])
        return jsonl.dumps({**whole, **self._usage(answer)})

    def _reasoning(self, answer: Answer, text: str | None) -> dict[str, Any]:
        name = answer.reasoning_field or REASONING_FIELD[self.flavour]
        if text is None:
            return {}
        if name == "reasoning_details":
            return {name: [{"type": "reasoning.text", "text": text}]}
        return {name: text}

    def _usage(self, answer: Answer) -> dict[str, Any]:
        completion = len((answer.content or "") + (answer.reasoning or "")) // 4 + 1
        prompt = answer.prompt_tokens
        usage: dict[str, Any] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
        if answer.cached_tokens is not None:
            usage["prompt_tokens_details"] = {"cached_tokens": answer.cached_tokens}
        if self.flavour == "llamacpp":
            return {"usage": usage, "timings": {"cache_n": 0, "prompt_n": prompt}}
        return {"usage": usage}

    async def _events(self, answer: Answer, body: dict[str, Any]) -> AsyncIterator[bytes]:
        def event(choices: list[dict[str, Any]], **more: Any) -> bytes:
            chunk = {**_envelope("chat.completion.chunk", body, choices), **more}
            return b"data: " + jsonl.dumps(chunk) + b"\n\n"

        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": answer.content and ""}]
        deltas += [self._reasoning(answer, t) for t in _pieces(answer.reasoning, answer.piece)]
        deltas += [{"content": text} for text in _pieces(answer.content, answer.piece)]
        if answer.refusal is not None:
            deltas.append({"refusal": answer.refusal})
        if not answer.choices or answer.null_message:
            deltas = []
        for number, delta in enumerate(deltas):
            if number == answer.cut_after:
                break
            yield event([{"index": 0, "delta": delta, "finish_reason": None}])
            if answer.gap:
                await asyncio.sleep(answer.gap)
        if answer.cut_after is not None:
            if answer.stream_error is not None:
                yield b"data: " + jsonl.dumps({"error": answer.stream_error}) + b"\n\n"
            return
        if answer.choices:
            delta = None if answer.null_message else {}
            yield event([{"index": 0, "delta": delta, "finish_reason": answer.finish_reason}])
        if (body.get("stream_options") or {}).get("include_usage"):
            yield event([], **self._usage(answer))
        if answer.done:
            yield b"data: [DONE]\n\n"


async def _until_closed(reader: asyncio.StreamReader) -> None:
    """Return when the client closes its side; a client sends nothing while it waits."""
    while not reader.at_eof():
        await asyncio.sleep(0.005)


async def _finish(answer: Answer, writer: asyncio.StreamWriter) -> bool:
    silent = answer.cut == "silence" if answer.cut_after is not None else not answer.done
    if silent:
        await asyncio.Event().wait()
    if answer.cut_after is not None and answer.cut == "abort":
        writer.transport.abort()
        return False
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _head(answer: Answer, content_type: str, framing: str) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} X", f"Content-Type: {content_type}", framing]
    lines += [f"{name}: {value}" for name, value in answer.headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _pieces(text: str | None, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text or ""), size)] if text else []


def _envelope(kind: str, body: dict[str, Any], choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1,
        "model": body.get("model"),
        "choices": choices,
    }
