"""Predicting rows: how near `worldline predict` comes to what the model alone allows.

The model waits 200 ms and answers 400 characters, in this process. The limit is what 64 at once can
do with that; the alternative is a loop that asks one row after the other, as the script that comes
with AgentWorldBench does.
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Row, compare, medians_async
from worldline import jsonl
from worldline.bench.infer import predict
from worldline.messages import Request
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction

RUNS, ROWS, LOOPED, AT_ONCE, DELAY_S = 3, 1280, 15, 64, 0.2
TEXT = "-rw-r--r-- 1 root root 4096 Jan  1 12:00\n" * 10


class Waiting(WorldModel):
    """Answers after `DELAY_S`. For measuring only."""

    name = "waiting (for measuring)"

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        await asyncio.sleep(DELAY_S)
        return Prediction(outcome="ok", origin="model", observation=TEXT, model=self.name)


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        jsonl.write(rows, (row(number) for number in range(ROWS)))
        (rate,), (looped,) = asyncio.run(_measure(rows))
    what = f"rows of 4 kB, {AT_ONCE} at once, model takes {DELAY_S * 1e3:.0f} ms"
    return [
        compare("predict", what, rate, "rows/s", "limit", AT_ONCE / DELAY_S),
        compare("predict", what, rate, "rows/s", "a loop, one at a time", looped),
    ]


async def _measure(rows: Path) -> list[tuple[float, ...]]:
    return await medians_async(RUNS, lambda: ours(rows), lambda: loop(rows))


async def ours(rows: Path) -> tuple[float, ...]:
    """(rows/s,) of `worldline predict`, reading and writing its files."""
    out = rows.with_name(f"out-{time.monotonic_ns()}.jsonl")
    start = time.perf_counter()
    report = await predict(rows, Waiting(), out, concurrency=AT_ONCE)
    assert report.outcomes == {"ok": ROWS}
    return (ROWS / (time.perf_counter() - start),)


async def loop(rows: Path) -> tuple[float, ...]:
    """(rows/s,) of a plain loop over the first rows."""
    start = time.perf_counter()
    with rows.open("rb") as source, rows.with_name("looped.jsonl").open("w") as out:
        for _, line in zip(range(LOOPED), source, strict=False):
            await asyncio.sleep(DELAY_S)
            out.write(json.dumps({**json.loads(line), "gen": TEXT}) + "\n")
    return (LOOPED / (time.perf_counter() - start),)


def row(number: int) -> dict[str, object]:
    """A terminal row of 4 kB: three turns, the last one asked."""
    actions = [f"ls -la /srv/{number}/{turn}" for turn in range(3)]
    return {
        "task": "terminal",
        "id": f"row-{number}",
        "prompt": actions,
        "response": [TEXT * 3] * 3,
        "current_prompt": actions[-1],
        "system_str": "You simulate a terminal.",
        "turn_idx": 3,
        "total_turns": 3,
    }
