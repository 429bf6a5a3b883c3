"""The ladder of docs/results.md: its measures, and a fresh run of a sample of its rows.

The study takes longer than a check may (`python -m benchmarks.ladder.run`), so its measures are
kept with a manifest. Here the manifest must fit the measures and the prompts of today, and a seeded
sample of turns is predicted again: baselines must come out the same; so must the model's text but
where two tokens are as good as equal (a row alone is read in other pieces than in its session).
"""

import asyncio
import random
import tempfile
from pathlib import Path

import msgspec

from benchmarks.ladder.arms import ARMS, BY_NAME, CONTEXT, REPLY
from benchmarks.ladder.report import PAGE, page
from benchmarks.ladder.rows import DOMAINS, SEED, sessions
from benchmarks.ladder.run import MANIFEST, RESULTS, imported
from benchmarks.ladder.score import Scored, answered, at_least, exact, interval, scored, similar
from benchmarks.show import Show
from worldline import jsonl
from worldline.bench.infer import predict
from worldline.bench.manifest import prompt_hashes
from worldline.bench.rows import BenchRow, rows_of
from worldline.models import load

SAMPLE = {"copy": 7, "retrieval": 7, "embedded raw": 6, "embedded grounded": 8}
"""Turns of each rung that are predicted again."""


def check(show: Show) -> None:
    rows = [msgspec.convert(line.value, Scored) for line in jsonl.read(RESULTS)]
    manifest = jsonl.loads(MANIFEST.read_bytes())
    kept = manifest["results"] == jsonl.sha([msgspec.to_builtins(one) for one in rows])
    show.measure("measures fit their manifest", kept, better="higher", floor=1, goal=1)
    today = manifest["prompts"] == prompt_hashes()
    show.measure("made with the prompts of today", today, better="higher", floor=1, goal=1)
    told = PAGE.read_text("utf-8").split("## The ladder")[1]
    same = told == page(rows).split("## The ladder")[1]
    show.measure("docs/results.md says what was measured", same, better="higher", floor=1, goal=1)
    measures(show, rows)
    if show.real is None:
        show.measure("sample predicted again", 0, better="higher", n=0, recorded=True)
        return
    again(show, rows, show.real)


def measures(show: Show, rows: list[Scored]) -> None:
    """Each rung of each domain."""
    for domain in DOMAINS:
        for arm in ARMS:
            some = [one for one in rows if (one.domain, one.arm) == (domain, arm.name)]
            name = f"{domain} {arm.name}"
            if not some:
                show.measure(f"{name} exact", 0, better="higher", n=0)
                continue
            for what, measure in (("exact", exact), ("similarity", similar)):
                value, low, high = interval(some, measure)
                several = len({one.cluster for one in some}) > 1
                lo, hi = (low, high) if several else (None, None)
                show.measure(f"{name} {what}", value, better="higher", n=len(some), lo=lo, hi=hi)
            show.measure(f"{name} answered", answered(some), better="higher", n=len(some))
            bound = at_least(some)
            show.measure(f"{name} similarity at least", bound, better="higher", n=len(some))
            print(f"{name:28} exact {exact(some):.3f}  similarity {similar(some):.3f}")


def again(show: Show, rows: list[Scored], real: Path) -> None:
    """Predict a sample anew and compare."""
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        for arm, count in SAMPLE.items():
            chosen = draw.sample([one for one in rows if one.arm == arm], count)
            fresh = asyncio.run(predicted(arm, chosen, real, Path(name)))
            pairs = list(zip(chosen, fresh, strict=True))
            same = sum(old.observation_sha == new.observation_sha for old, new in pairs)
            for old, new in pairs:
                mark = "same" if old.observation_sha == new.observation_sha else "OTHER"
                print(f"  {arm:18} {old.domain:9} turn {old.turn}: {new.outcome:14} {mark}")
            asked = "embedded" in arm
            show.measure(
                f"{arm}: predicted again, the same",
                same / count,
                better="higher",
                floor=0.6 if asked else 1.0,
                goal=1.0,
                n=count,
                recorded=True,
            )


async def predicted(arm: str, chosen: list[Scored], real: Path, folder: Path) -> list[Scored]:
    """The chosen turns, each predicted alone with the recorded past."""
    found = []
    for number, one in enumerate(chosen):
        rung = BY_NAME[arm].of(imported(real, one.domain, folder))
        out = folder / f"{arm.replace(' ', '-')}-{number}.jsonl"
        async with load(rung.model) as model:
            await predict(
                [row(one, real)],
                model,
                out,
                concurrency=1,
                context=CONTEXT,
                max_tokens=REPLY,
                ground=rung.ground,
                seed=SEED,
            )
        found += [scored(arm, line.value) for line in jsonl.read(out)]
    return found


def row(one: Scored, real: Path) -> BenchRow:
    """The turn as a row of its own."""
    session = next(s for s in sessions(real, one.domain) if s.id == one.trajectory)
    return next(rows_of(session, [one.turn]))
