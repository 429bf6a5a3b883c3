"""A step costs only its new tokens: the embedded model, by the server's own timings."""

import asyncio

from benchmarks.show import Show
from worldline.prediction import StepResult
from worldline.world import World

STEPS = 30
SLACK = 64
ACTIONS = ("ls -la", "python3 build.py --step {n}", "git log --oneline -n {n}", "make check-{n}")


async def session() -> list[StepResult]:
    """A terminal session whose every step is asked of the model."""
    results: list[StepResult] = []
    async with World.open("terminal", model="embedded?max_tokens=48", seed=11) as world:
        for n in range(STEPS):
            action = ACTIONS[n % len(ACTIONS)].format(n=n)
            result = await world.step(action)
            if result.outcome == "truncated":
                # Without an observation a step has not happened; ask something shorter instead.
                result = await world.step("true")
            results.append(result)
    return results


def check(show: Show) -> None:
    results = asyncio.run(session())
    print("step  prompt  evaluated  new  seconds  outcome")
    before, worst, n = 0, 0, 0
    for number, result in enumerate(results, 1):
        used = result.usage
        if used.prompt is None:
            print(f"{number:4}  no call ({result.origin})")
            continue
        evaluated, new = used.prompt - (used.cached or 0), used.prompt - before
        bar = "#" * (evaluated // 8)
        print(
            f"{number:4} {used.prompt:7} {evaluated:10} {new:4} {result.latency_s:8.2f}  "
            f"{result.outcome:10} {bar}"
        )
        if before:
            worst, n = max(worst, evaluated - new), n + 1
        before = used.prompt
    show.measure("evaluated_minus_new", worst, better="lower", floor=SLACK, goal=0, n=n)
    show.measure("steps", n, better="higher", floor=STEPS - 1, goal=STEPS - 1, n=n)
