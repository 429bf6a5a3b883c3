"""What Worldline adds: a step over the bare call, and the start of the command line."""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.show import Show
from worldline.messages import Request, Sampling
from worldline.models.base import OnText, WorldModel
from worldline.prediction import Prediction, Usage
from worldline.scenarios.snapshot import Snapshot
from worldline.scenarios.terminal import take
from worldline.world import World

LINE = "-rw-r--r-- 1 root root  4096 Jan  1 12:00 file-{n}.txt\n"


class Instant(WorldModel):
    """Answers at once and times itself: what is left of a step is ours. For measuring only."""

    name = "instant (for measuring)"
    context = 32_768
    sampling = Sampling(max_tokens=256)

    def __init__(self) -> None:
        self.spent = 0.0

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        start = time.perf_counter()
        text = "".join(LINE.format(n=n) for n in range(10))
        made = Prediction(
            outcome="ok", origin="model", observation=text, model=self.name, usage=Usage(prompt=1)
        )
        self.spent = time.perf_counter() - start
        return made


ACTIONS = {
    "terminal": ("ls -la dir-{n}", "tool-{n} --all", "grep -rn word-{n} . | head", "cat f-{n}.txt"),
    "mcp": ('{{"name": "tool_{n}", "arguments": {{"id": {n}}}}}',),
    "generic": ("look at {n}",),
}


async def steps_ms(domain: str, save: Path | None, shot: Snapshot | None = None) -> list[float]:
    """Milliseconds of each of 110 steps, the model's own time taken off."""
    model, spent = Instant(), []
    async with World.open(domain, model=model, seed=1, save=save, snapshot=shot) as world:
        for n in range(110):
            action = ACTIONS[domain][n % len(ACTIONS[domain])].format(n=n)
            start = time.perf_counter()
            await world.step(action)
            spent.append((time.perf_counter() - start - model.spent) * 1e3)
    return spent


def command_s(command: list[str], runs: int = 15) -> float:
    """Median seconds of a whole process."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ})
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def check(show: Show) -> None:
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for domain in ("terminal", "mcp", "generic"):
            plain = asyncio.run(steps_ms(domain, None))
            kept = asyncio.run(steps_ms(domain, Path(folder) / f"{domain}.jsonl"))
            at_100, kept_100 = (statistics.median(run[90:110]) for run in (plain, kept))
            print(
                f"{domain:9} step over the bare call: {statistics.median(plain[:20]):.2f} ms at "
                f"1-20 turns, {at_100:.2f} ms at 90-110, {kept_100:.2f} ms kept on disk"
            )
            worst = max(worst, at_100)
        for n in range(400):
            (Path(folder) / f"f-{n}.txt").write_text(f"line {n}\n" * 20, "utf-8")
        large = asyncio.run(steps_ms("terminal", None, take(folder)))
        at_100 = statistics.median(large[90:110])
        print(f"terminal over a snapshot of 400 files: {at_100:.2f} ms at 90-110")
        worst = max(worst, at_100)
    show.measure("step_overhead_ms", worst, better="lower", floor=5, goal=2, n=20)
    binary = str(Path(sys.executable).with_name("worldline"))
    help_s = command_s([binary, "--help"])
    import_s = command_s([sys.executable, "-c", "from worldline import World, Trajectory"])
    bare_s = command_s([sys.executable, "-c", "pass"])
    print(f"worldline --help {help_s:.3f} s; import {import_s:.3f} s; bare Python {bare_s:.3f} s")
    show.measure("help_s", help_s, better="lower", floor=0.2, goal=0.15, n=15)
    show.measure("import_s", import_s, better="lower", floor=0.3, goal=0.18, n=15)
