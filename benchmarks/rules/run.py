"""Ask, and keep: ``python -m benchmarks.rules.run``."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks.machine import machine
from worldline import jsonl
from worldline.bench.manifest import prompt_hashes
from worldline.bench.replayed import predicted
from worldline.bench.rules.case import Case, posed, read, sets
from worldline.bench.rules.propose import passes
from worldline.bench.rules.run import run
from worldline.cli.common import progress
from worldline.collect.plan import plan
from worldline.collect.run import collect
from worldline.models import load

HERE = Path(__file__).parent
RESULTS, MANIFEST = HERE / "results.jsonl", HERE / "manifest.json"
FOLDER = Path("runs/rules")
EACH = 8
"""Cases of each domain and axis that are asked about."""
CONTEXT, REPLY = 4096, 256
SEED = 0
NEAR = 20
"""Episodes of a domain that the retrieval baseline looks into: of other families and seeds."""


class Arm(NamedTuple):
    """One way of answering."""

    name: str
    spec: str
    ground: str = "none"


ARMS = (
    Arm("copy", "copy"),
    Arm("retrieval", "retrieval:{near}"),
    Arm("embedded raw", "embedded"),
    Arm("embedded grounded", "embedded", "ledger"),
)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one case."""

    arm: str
    case: str
    domain: str
    axis: str
    outcome: str
    passed: bool
    sha: str
    """Of the observation, 16 hex digits; empty if there is none."""


def chosen(each: int = EACH) -> list[Case]:
    """The first cases of each domain and axis, in the order in which they are asked."""
    counts: dict[tuple[str, str], int] = {}
    kept: list[Case] = []
    for case in (one for path in sets() for one in read(path)):
        key = (case.domain, case.axis)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] <= each:
            kept.append(case)
    return [case for case, _ in posed(kept)]


async def ask(arm: Arm, cases: list[Case], out: Path, spec: str) -> list[Answer]:
    """One arm over some cases."""
    async with load(spec) as model:
        await run(
            cases,
            model,
            out,
            concurrency=1,
            ground=arm.ground,
            context=CONTEXT,
            max_tokens=REPLY,
            seed=SEED,
            watch=lambda left: progress(arm.name, left),
        )
    return [
        _answer(arm, case, row.observation, row.reason)
        for case, row in zip(cases, predicted(out), strict=True)
    ]


def _answer(arm: Arm, case: Case, seen: str | None, reason: str | None) -> Answer:
    sha = "" if seen is None else hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()
    return Answer(
        arm=arm.name,
        case=case.id,
        domain=case.domain,
        axis=case.axis,
        outcome="ok" if seen is not None else reason or "?",
        passed=seen is not None and passes(case, seen),
        sha=sha[:16],
    )


def near(domain: str) -> Path:
    """Recorded episodes for the retrieval baseline, collected if they are not there."""
    folder = FOLDER / "near" / domain
    wanted = plan(domain, seed=1, policy="explorer", limit_s=30.0)
    collect(wanted, NEAR, folder, workers=2, tell=print)
    return folder / "trajectories.jsonl"


def cases_sha() -> str:
    """Of all committed cases."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in sets())).hexdigest()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    cases, answers = chosen(), list[Answer]()
    for arm in ARMS:
        for domain in sorted({case.domain for case in cases}):
            mine = [case for case in cases if case.domain == domain]
            spec = arm.spec.replace("{near}", str(near(domain)) if "{near}" in arm.spec else "")
            out = FOLDER / f"{arm.name.replace(' ', '-')}.{domain}.jsonl"
            answers += asyncio.run(ask(arm, mine, out, spec))
    rows = [msgspec.to_builtins(one) for one in answers]
    jsonl.write(RESULTS, rows)
    jsonl.write(MANIFEST, [_manifest(rows)])


def _manifest(rows: list[Any]) -> dict[str, Any]:
    return {
        "schema": "worldline.study/1",
        "command": "python -m benchmarks.rules.run",
        "each": EACH,
        "context": CONTEXT,
        "reply": REPLY,
        "seed": SEED,
        "near": NEAR,
        "cases": cases_sha(),
        "prompts": prompt_hashes(),
        "results": jsonl.sha(rows),
        "machine": machine(),
    }


if __name__ == "__main__":
    main()
