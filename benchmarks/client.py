"""The endpoint client: what a call costs beside the server, and how many are made at once.

The server is the stub, in a process of its own: 200 ms, then 400 characters in a stream of 20
events. The limit is what the delay alone allows, reached where both processes have cores enough;
the alternative is the `openai` SDK.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from openai import AsyncOpenAI

from benchmarks.apart import apart
from benchmarks.measure import Row, compare, medians_async
from benchmarks.stub import Answer
from worldline.messages import Message, Request
from worldline.models.openai import OpenAIModel

RUNS, CALLS, AT_ONCE, DELAY_S = 3, 640, 64, 0.2
TEXT = "-rw-r--r-- 1 root root 4096 Jan  1 12:00\n" * 10
ASKED = ("You simulate a terminal.", "ls -la /srv")
REQUEST = Request(
    domain="terminal",
    dialect="terminal/command",
    messages=(Message("system", ASKED[0]), Message("user", ASKED[1])),
    history=(),
    action=ASKED[1],
)


def measure() -> list[Row]:
    with apart(answer) as url:
        ours, theirs = asyncio.run(_measure(url))
    limit, sdk = AT_ONCE / DELAY_S, "the openai SDK, streaming"
    rate = f"calls, {AT_ONCE} at once, server takes {DELAY_S * 1e3:.0f} ms"
    return [
        compare("client", rate, ours[1], "calls/s", "limit", limit),
        compare("client", rate, ours[1], "calls/s", sdk, theirs[1]),
        compare("client", "CPU of a call", ours[0], "ms", sdk, theirs[0], better="lower"),
    ]


async def _measure(url: str) -> list[tuple[float, ...]]:
    """(CPU ms of a call, calls/s) of Worldline and of the SDK."""
    async with OpenAIModel("any", url) as model, AsyncOpenAI(base_url=url, api_key="none") as sdk:

        async def ours() -> None:
            found = await model.predict(REQUEST)
            assert found.observation == TEXT.rstrip("\n") or found.observation == TEXT

        async def theirs() -> None:
            assert await through_sdk(sdk) == TEXT

        return await medians_async(RUNS, lambda: load(ours), lambda: load(theirs))


async def through_sdk(sdk: AsyncOpenAI) -> str:
    """The same call as its documentation has it."""
    stream = await sdk.chat.completions.create(
        model="any",
        messages=[{"role": "system", "content": ASKED[0]}, {"role": "user", "content": ASKED[1]}],
        stream=True,
        stream_options={"include_usage": True},
    )
    parts = [part.choices[0].delta.content or "" async for part in stream if part.choices]
    return "".join(parts)


async def load(call: Callable[[], Awaitable[None]]) -> tuple[float, ...]:
    """(CPU ms of a call, calls/s) of `CALLS` calls."""
    left = iter(range(CALLS))

    async def work() -> None:
        for _ in left:
            await call()

    cpu, start = time.process_time(), time.perf_counter()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return (time.process_time() - cpu) / CALLS * 1e3, CALLS / (time.perf_counter() - start)


def answer() -> Answer:
    """What the server answers to everything."""
    return Answer(content=TEXT, delay=DELAY_S, piece=20)
