"""Judging: how near `worldline bench judge` comes to what the judge's server allows.

The server is the stub, in a process of its own: 200 ms, then a verdict. The limit is what 64 at
once can do with that; the alternative is a loop that asks about one row after the other and writes
at the end, as the script that comes with AgentWorldBench does. Rows of 4 kB.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from openai import AsyncOpenAI

from benchmarks.apart import apart, as_asked
from benchmarks.measure import Row, compare, medians_async
from benchmarks.predict import TEXT, row
from benchmarks.stub import Answer, Call
from worldline import jsonl
from worldline.bench.judge.ask import OURS, Room
from worldline.bench.judge.given import read
from worldline.bench.judge.run import judge
from worldline.models.openai import OpenAIModel

RUNS, ROWS, LOOPED, AT_ONCE, DELAY_S = 3, 1280, 15, 64, 0.2


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, apart(replies) as url:
        source = Path(folder) / "predicted.jsonl"
        gen = f"<predicted_observation>{TEXT}</predicted_observation>"
        jsonl.write(source, ({**row(number), "gen": gen} for number in range(ROWS)))
        (rate,), (looped,) = asyncio.run(_measure(source, url))
    what = f"rows of 4 kB, {AT_ONCE} at once, judge takes {DELAY_S * 1e3:.0f} ms"
    return [
        compare("judging", what, rate, "rows/s", "limit", AT_ONCE / DELAY_S),
        compare("judging", what, rate, "rows/s", "a loop, one at a time", looped),
    ]


def replies() -> Callable[[Call], Answer]:
    """What the judge's server answers."""
    return lambda call: Answer(content=as_asked(call), delay=DELAY_S, piece=1_000)


async def _measure(source: Path, url: str) -> list[tuple[float, ...]]:
    return await medians_async(RUNS, lambda: ours(source, url), lambda: loop(source, url))


async def ours(source: Path, url: str) -> tuple[float, ...]:
    """(rows/s,) of `worldline bench judge`, reading and writing its files."""
    out = source.with_name(f"judged-{time.monotonic_ns()}.jsonl")
    start = time.perf_counter()
    async with OpenAIModel("any", url) as who:
        report = await judge(source, who, out, concurrency=AT_ONCE)
    assert report.scored == ROWS
    return (ROWS / (time.perf_counter() - start),)


async def loop(source: Path, url: str) -> tuple[float, ...]:
    """(rows/s,) of a plain loop over the first rows."""
    start, judged = time.perf_counter(), []
    async with AsyncOpenAI(base_url=url, api_key="none") as sdk:
        for _, given in zip(range(LOOPED), read(source), strict=False):
            asked = OURS.asked(given, Room(None, len))
            sent = [{"role": one.role, "content": one.content} for one in asked.messages]
            reply = await sdk.chat.completions.create(model="any", messages=sent)  # pyright: ignore
            judged.append({**given.line, "judge_raw_output": reply.choices[0].message.content})
    source.with_name("looped.jsonl").write_text("\n".join(map(json.dumps, judged)), "utf-8")
    return (LOOPED / (time.perf_counter() - start),)
