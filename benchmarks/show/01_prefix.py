"""A step costs only its new tokens: the embedded model, by the server's own timings."""

import asyncio

from benchmarks.show import Show
from worldline.prediction import StepResult
from worldline.world import World

STEPS = 30
SLACK = 64
ACTIONS = ("ls -la", "python3 build.py --step {n}", "git log --oneline -n {n}", "make check-{n}")


async def session() -> list[StepResult]:
    """A terminal session until the model has been asked for `STEPS` steps."""
    results: list[StepResult] = []
    async with World.open("terminal", model="embedded?max_tokens=48", seed=11) as world:
        for n in range(3 * STEPS):
            result = await world.step(ACTIONS[n % len(ACTIONS)].format(n=n))
            if result.origin == "model":
                results.append(result)
            if len(results) == STEPS:
                break
    return results


def check(show: Show) -> None:
    results = asyncio.run(session())
    print("step  prompt  evaluated  new  seconds  outcome")
    before, worst, n = 0, 0, 0
    for number, result in enumerate(results, 1):
        used = result.usage
        assert used.prompt is not None, "the engine reports its own timings"
        evaluated, new = used.prompt - (used.cached or 0), used.prompt - before
        bar = "#" * (evaluated // 8)
        print(
            f"{number:4} {used.prompt:7} {evaluated:10} {new:4} {result.latency_s:8.2f}  "
            f"{result.outcome:10} {bar}"
        )
        if before:
            worst, n = max(worst, evaluated - new), n + 1
        # A step without an observation leaves the history, and so the next prompt, as it was.
        before = used.prompt if result.outcome == "ok" else before
    show.measure("evaluated_minus_new", worst, better="lower", floor=SLACK, goal=0, n=n)
    show.measure("steps", n, better="higher", floor=STEPS - 1, goal=STEPS - 1, n=n)
