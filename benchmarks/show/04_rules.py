"""Declared checks in the form of the paper's appendix C: four ways of answering, by axis.

The study takes longer than a check may (`python -m benchmarks.rules.run`); its answers are kept
with a manifest. Here the manifest must fit answers, cases and prompts of today, and a sample drawn
by a seed is asked again.
"""

import asyncio
import random
import tempfile
from pathlib import Path

import msgspec

from benchmarks.rules.run import ARMS, MANIFEST, RESULTS, Answer, ask, cases_sha, chosen
from benchmarks.show import Show
from benchmarks.verify.sessions import OURS
from worldline import jsonl
from worldline.bench.manifest import prompt_hashes
from worldline.bench.rules.case import AXES, posed, read, sets
from worldline.bench.rules.propose import axes, passes

LEAST = 60
"""Cases of a domain."""
AGAIN = {"copy": 8, "embedded raw": 6, "embedded grounded": 8}


def check(show: Show) -> None:
    for path in sets():
        cases = list(read(path))
        whole = sum(passes(c, item.trajectory.turns[-1].observation) for c, item in posed(cases))
        show.measure(
            f"{path.stem} cases that the truth passes", whole, better="higher", floor=LEAST, n=whole
        )
        kinds = {case.axis for case in cases}
        missing = len(set(axes(path.stem)) - kinds)
        show.measure(f"{path.stem} axes missing", missing, better="lower", floor=0, n=len(kinds))
    answers = [jsonl.convert(line.value, Answer) for line in jsonl.read(RESULTS)]
    manifest = jsonl.loads(MANIFEST.read_bytes())
    rows = [msgspec.to_builtins(one) for one in answers]
    fits = (
        manifest["results"] == jsonl.sha(rows)
        and manifest["cases"] == cases_sha()
        and manifest["prompts"] == prompt_hashes()
    )
    show.measure("answers fit their manifest", fits, better="higher", floor=1, n=len(rows))
    _table(show, answers)
    _again(show, answers)


def _table(show: Show, answers: list[Answer]) -> None:
    print(f"{'':20}" + "".join(f"{name:>12}" for name in (*OURS, "mean")))
    for arm in ARMS:
        for axis in AXES:
            line, shares = f"{arm.name + ', ' + axis:28}", list[float]()
            for domain in OURS:
                key = (arm.name, axis, domain)
                some = [o for o in answers if (o.arm, o.axis, o.domain) == key]
                said = [one for one in some if one.outcome == "ok"]
                if not said:
                    line += f"{'-':>12}"
                    continue
                share = sum(one.passed for one in said) / len(said)
                shares.append(share)
                line += f"{share:8.0%} /{len(said):2}"
            mean = sum(shares) / len(shares) if shares else 0.0
            print(line + f"{mean:12.0%}")
            show.measure(f"{arm.name} {axis}", mean, better="higher", n=len(shares))


def _again(show: Show, answers: list[Answer]) -> None:
    """A sample is asked again; the same words must come, or at least the same verdict."""
    cases = chosen()
    same = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for arm in ARMS:
            some = random.Random(4).sample(cases, AGAIN.get(arm.name, 0))
            some = [case for case, _ in posed(some)]
            if not some:
                continue
            out = Path(folder) / f"{arm.name.replace(' ', '-')}.jsonl"
            kept = {one.case: one for one in answers if one.arm == arm.name}
            for one in asyncio.run(ask(arm, some, out, arm.spec)):
                total += 1
                same += (one.passed, one.outcome) == (kept[one.case].passed, kept[one.case].outcome)
    share = same / max(total, 1)
    show.measure("sample asked again, same verdict", share, better="higher", floor=0.9, n=total)
