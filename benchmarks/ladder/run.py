"""Running the ladder; stop it and run it again at will.

    WORLDLINE_REAL=... python -m benchmarks.ladder.run --rows 24 [--arm NAME] [--domain NAME]

Predictions go to ``runs/ladder`` (not kept in the repository, they hold recorded text); their
measures to ``benchmarks/ladder/results.jsonl`` with a manifest beside them.
"""

import argparse
import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchmarks.ladder.arms import ARMS, CONTEXT, REPLY, Arm
from benchmarks.ladder.rows import DOMAINS, SEED, TURNS, USUAL_TURNS, sessions
from benchmarks.ladder.score import Scored, scored
from benchmarks.machine import machine
from benchmarks.show.walk import read
from worldline import jsonl
from worldline.bench.infer import predict
from worldline.bench.manifest import manifest
from worldline.models import load
from worldline.storage import write_trajectories
from worldline.trajectory import Trajectory

RUNS = Path("runs/ladder")
RESULTS = Path(__file__).parent / "results.jsonl"
MANIFEST = RESULTS.with_suffix(".manifest.json")


def imported(real: Path, domain: str, folder: Path) -> Path:
    """The recordings of a domain as trajectories, with the splits beside them."""
    file = folder / f"{domain}.jsonl"
    if not file.is_file():
        write_trajectories(file, read(real / f"{domain}.jsonl"))
        (folder / "splits.json").write_bytes((real / "splits.json").read_bytes())
    return file


async def predicted(
    arm: Arm, domain: str, turns: list[Trajectory], limit: int, real: Path, runs: Path
) -> list[Scored]:
    """One rung on one domain: the rows that are there, and those that are still missing."""
    data = runs / "data"
    data.mkdir(parents=True, exist_ok=True)
    here = arm.of(imported(real, domain, data))
    out = runs / f"{domain}-{arm.name.replace(' ', '-')}.jsonl"
    async with load(here.model) as model:
        await predict(
            turns,
            model,
            out,
            concurrency=1,
            limit=limit,
            context=CONTEXT,
            max_tokens=REPLY,
            ground=here.ground,
            seed=SEED,
        )
    return [scored(arm.name, line.value) for line in jsonl.read(out)]


def keep(rows: list[Scored], limit: int) -> None:
    """Write the measures and their manifest."""
    with RESULTS.open("wb") as file:
        for one in rows:
            file.write(jsonl.dumps(msgspec.to_builtins(one)) + b"\n")
    made = manifest(
        "ladder",
        arms=[arm._asdict() for arm in ARMS],
        rows_a_domain=limit,
        turns_a_session={"usual": USUAL_TURNS, **TURNS},
        seed=SEED,
        context=CONTEXT,
        max_tokens=REPLY,
        results=jsonl.sha([msgspec.to_builtins(one) for one in rows]),
        machine=machine(),
        ended_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    MANIFEST.write_bytes(jsonl.dumps(made) + b"\n")


def main() -> None:
    """Predict what is missing, then keep the measures of all."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=24, help="turns a domain")
    options.add_argument("--arm", choices=[arm.name for arm in ARMS], action="append")
    options.add_argument("--domain", choices=DOMAINS, action="append")
    asked = options.parse_args()
    real, found = Path(os.environ["WORLDLINE_REAL"]), []
    for domain in asked.domain or DOMAINS:
        turns = sessions(real, domain)
        for arm in ARMS:
            if arm.name in (asked.arm or [arm.name]):
                print(f"{domain}: {arm.name}", flush=True)
                found += asyncio.run(predicted(arm, domain, turns, asked.rows, real, RUNS))
    if asked.arm is None and asked.domain is None:
        keep(found, asked.rows)
        from benchmarks.ladder.report import write

        write(found)


if __name__ == "__main__":
    main()
