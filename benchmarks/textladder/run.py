"""Predict worldline-bench by rung, score it exactly, and keep the measures."""

import asyncio
import hashlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.machine import machine
from benchmarks.rules.run import ARMS, CONTEXT, NEAR, REPLY, SEED, Arm, near
from benchmarks.verify.sessions import OURS
from worldline import jsonl
from worldline.bench.infer import predict
from worldline.bench.manifest import prompt_hashes
from worldline.bench.suite import HOME, INDEX, Evaluated, evaluated
from worldline.bench.verified import verify
from worldline.cli.common import progress
from worldline.models import load

HERE = Path(__file__).parent
RESULTS, MANIFEST = HERE / "results.jsonl", HERE / "manifest.json"
FOLDER = Path("runs/textladder")
ASKED = 24
"""Trajectories of a domain of which the model is asked about one turn each, drawn by a seed."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of one rung."""

    arm: str
    domain: str
    dialect: str
    session: str
    turn: int
    outcome: str
    """``ok``, or why there is no observation."""
    true: dict[str, float] = {}
    plausible: float | None = None
    unknowable: bool = False
    exact: float | None = None
    similarity: float | None = None
    claims: int = 0
    lies: int = 0
    sha: str = ""
    """Of the observation, 16 hex digits."""


def turns(domain: str, arm: Arm) -> list[Evaluated]:
    """What a rung is asked about: all evaluated turns, or of some trajectories one each."""
    found = [one for one in evaluated(HOME) if one.trajectory.domain == domain]
    if not arm.spec.startswith("embedded"):
        return found
    draw = random.Random(f"{SEED}|{domain}")
    some = sorted(draw.sample(range(len(found)), ASKED))
    return [found[n]._replace(turns=(draw.choice(found[n].turns),)) for n in some]


def ask(arm: Arm, items: list[Evaluated], out: Path, domain: str) -> None:
    """Predict some turns into a file."""
    spec = arm.spec.replace("{near}", str(near(domain)) if "{near}" in arm.spec else "")
    asyncio.run(_asked(arm, spec, items, out, domain))


async def _asked(arm: Arm, spec: str, items: list[Evaluated], out: Path, domain: str) -> None:
    async with load(spec) as model:
        await predict(
            items,
            model,
            out,
            concurrency=1,
            context=CONTEXT,
            max_tokens=REPLY,
            ground=arm.ground,
            seed=SEED,
            watch=lambda left: progress(f"{arm.name}, {domain}", left),
        )


def measured(arm: Arm, path: Path) -> Iterator[Measured]:
    """The measures of a file of predictions."""
    for one in verify(path):
        row = one.row
        text = one.given.encode("utf-8", "surrogatepass")
        scored = row.status == "scored"
        yield Measured(
            arm=arm.name,
            domain=row.domain,
            dialect=row.dialect,
            session=row.session,
            turn=row.turn,
            outcome="ok" if scored else row.reason or "?",
            true=row.true,
            plausible=row.plausible.get("score"),
            unknowable=row.unknowable,
            exact=row.plain.get("exact"),
            similarity=row.plain.get("similarity"),
            claims=row.claims,
            lies=row.lies,
            sha=hashlib.sha256(text).hexdigest()[:16] if scored else "",
        )


def bench_sha() -> str:
    """Of the benchmark."""
    parts = [HOME / INDEX, *sorted((HOME / "trajectories").iterdir())]
    return hashlib.sha256(b"".join(path.read_bytes() for path in parts)).hexdigest()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    found: list[Measured] = []
    for arm in ARMS:
        for domain in OURS:
            out = FOLDER / f"{arm.name.replace(' ', '-')}.{domain}.jsonl"
            ask(arm, turns(domain, arm), out, domain)
            found += measured(arm, out)
    rows: list[Any] = [msgspec.to_builtins(one) for one in found]
    jsonl.write(RESULTS, rows)
    jsonl.write(MANIFEST, [_manifest(rows)])
    from benchmarks.textladder.report import write

    write(found)


def _manifest(rows: list[Any]) -> dict[str, Any]:
    return {
        "schema": "worldline.study/1",
        "command": "python -m benchmarks.textladder.run",
        "asked": ASKED,
        "context": CONTEXT,
        "reply": REPLY,
        "seed": SEED,
        "near": NEAR,
        "bench": bench_sha(),
        "prompts": prompt_hashes(),
        "results": jsonl.sha(rows),
        "machine": machine(),
    }


if __name__ == "__main__":
    main()
