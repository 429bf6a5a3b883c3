"""The embedded model: what Worldline adds to the engine's own time, and what others take instead.

The limit is the time llama.cpp itself reports for the very same request. The alternative is the
server of `xllamacpp` as its documentation has it, in a process of its own: its own settings, the
same weights, threads, context and messages. Its threads spin while they wait for each other, ours
sleep: on an idle machine that costs us a little, on a busy one it gains a lot. Every prompt is read
from its start.
"""

import asyncio
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any
from unittest.mock import patch

import msgspec

from benchmarks import bare
from benchmarks.measure import Row, compare, medians, medians_async, seconds
from worldline.messages import Message, Request, Sampling
from worldline.models.embedded import open_embedded
from worldline.models.llama.model import LlamaModel
from worldline.models.llama.setup import cores
from worldline.models.weights import EMBEDDED, fast
from worldline.reply import Reply

RUNS = 3
SYSTEM = Message("system", "You simulate a Linux terminal. Answer with its output, nothing else.")
FILES = "".join(f"-rw-r--r-- 1 root root {97 * n} Jan  1 12:00 file-{n}.txt\n" for n in range(25))
LONG = (SYSTEM, Message("user", "ls -la"), Message("assistant", FILES), Message("user", "pwd"))
SHORT = (Message("user", "Write a long story about a lighthouse and its keeper."),)
OPEN = "from worldline.models.embedded import open_embedded; open_embedded().count('x')"

Ask = Callable[[tuple[Message, ...], int], Awaitable[dict[str, Any]]]
"""Asks for a reply of so many tokens; gives llama.cpp's own timings of it."""


def measure() -> list[Row]:
    path = str(fast())  # a first run fetches the weights, which is not to be measured
    server = (path, EMBEDDED.context, cores())
    rows = asyncio.run(_throughput(server))
    ways = (("-c", OPEN), ("-m", "benchmarks.bare", *map(str, server)))
    ours, theirs = medians(RUNS, *(partial(seconds, partial(run, *way)) for way in ways))
    what = "start: Python, imports, model ready, end"
    return [*rows, compare("engine", what, ours, "s", "xllamacpp", theirs, better="lower")]


def run(*arguments: str) -> None:
    """Run Python in a new process."""
    subprocess.run([sys.executable, *arguments], check=True)


async def _throughput(server: tuple[str, int, int]) -> list[Row]:
    spawn = multiprocessing.get_context("spawn")
    rows: list[Row] = []
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=bare.start, initargs=server) as pool:
        loop = asyncio.get_running_loop()

        async def theirs(messages: tuple[Message, ...], tokens: int) -> dict[str, Any]:
            plain = msgspec.to_builtins(messages)
            answer = await loop.run_in_executor(pool, bare.chat, plain, tokens)
            return answer["timings"]

        async with open_embedded(options={"deterministic": True}) as model:
            for what, count, messages, tokens in (
                ("prompt read", "prompt_n", LONG, 1),
                ("reply written", "predicted_n", SHORT, 128),
            ):
                ways = (partial(ask, model), theirs)
                jobs = [partial(rates, way, messages, tokens, count) for way in ways]
                (mine, limit, size), (other, *_) = await medians_async(RUNS, *jobs)
                what = f"{what}, {size:.0f} tokens"
                rows += [
                    compare("engine", what, mine, "tok/s", "limit, llama.cpp's own time", limit),
                    compare("engine", what, mine, "tok/s", "xllamacpp, chat endpoint", other),
                ]
    return rows


async def rates(
    way: Ask, messages: tuple[Message, ...], tokens: int, count: str
) -> tuple[float, ...]:
    """(tokens a second of the caller's time, the same of the engine's time, tokens)."""
    began = time.perf_counter()
    timings = await way(messages, tokens)
    taken = time.perf_counter() - began
    engine = (timings["prompt_ms"] + timings["predicted_ms"]) / 1e3
    return timings[count] / taken, timings[count] / engine, timings[count]


async def ask(model: LlamaModel, messages: tuple[Message, ...], tokens: int) -> dict[str, Any]:
    """One prediction; the reply that it is made from is overheard for its timings."""
    replies: list[Reply] = []
    chat = model.chat

    async def overheard(*asked: Any) -> Reply:
        replies.append(await chat(*asked))
        return replies[-1]

    request = Request(
        domain="terminal",
        dialect="terminal/command",
        messages=messages,
        history=(),
        action=messages[-1].content,
        sampling=Sampling(temperature=0.0, max_tokens=tokens),
    )
    with patch.object(model, "chat", overheard):
        await model.predict(request)
    return replies[0].timings
