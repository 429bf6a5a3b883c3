"""worldline-bench (text) by rung, scored exactly: the study's measures, and a sample asked again.

The study takes longer than a check may (`python -m benchmarks.textladder.run`); its measures are
kept with a manifest. Here the manifest must fit measures, benchmark and prompts of today, the page
must say what was measured, and a sample drawn by a seed is predicted and scored again.
"""

import random
import tempfile
from pathlib import Path

import msgspec

from benchmarks.rules.run import ARMS, SEED
from benchmarks.show import Show
from benchmarks.textladder.report import PAGE, difference, least, of, over, page
from benchmarks.textladder.run import MANIFEST, RESULTS, Measured, ask, bench_sha, measured, turns
from benchmarks.verify.sessions import OURS
from worldline import jsonl
from worldline.bench.manifest import prompt_hashes

AGAIN = {"copy": 3, "retrieval": 0, "embedded raw": 1, "embedded grounded": 2}
"""Trajectories of each domain whose turns are predicted again."""


def check(show: Show) -> None:
    rows = [jsonl.convert(line.value, Measured) for line in jsonl.read(RESULTS)]
    manifest = jsonl.loads(MANIFEST.read_bytes())
    fits = (
        manifest["results"] == jsonl.sha([msgspec.to_builtins(one) for one in rows])
        and manifest["bench"] == bench_sha()
        and manifest["prompts"] == prompt_hashes()
    )
    show.measure("measures fit their manifest", fits, better="higher", floor=1, n=len(rows))
    told = PAGE.read_text("utf-8") == page(rows)
    show.measure("the page says what was measured", told, better="higher", floor=1)
    print(page(rows))
    for arm in ARMS:
        some = of(rows, arm.name)
        said = [one for one in some if one.outcome == "ok"]
        found = over(said, least)
        if found is None:
            show.measure(f"{arm.name}, true", 0, better="higher", n=0)
            continue
        value, interval = found.macro.of(0)
        lo, hi = interval or (None, None)
        show.measure(f"{arm.name}, true", value, better="higher", n=len(said), lo=lo, hi=hi)
        share = len(said) / len(some)
        show.measure(f"{arm.name}, answered", share, better="higher", n=len(some))
    found = difference(rows, "embedded grounded", "embedded raw")
    if found is not None:
        value, interval = found.macro.of(0)
        lo, hi = interval or (None, None)
        show.measure("grounded less raw", value, better="higher", lo=lo, hi=hi, n=len(rows))
    _again(show, rows)


def _again(show: Show, rows: list[Measured]) -> None:
    """A sample anew; an engine that reads a prompt in other pieces may choose another word."""
    same = total = 0
    draw = random.Random(SEED + 1)
    with tempfile.TemporaryDirectory() as folder:
        for arm in ARMS:
            for domain in OURS if AGAIN[arm.name] else ():
                items = turns(domain, arm)
                items = [items[n] for n in sorted(draw.sample(range(len(items)), AGAIN[arm.name]))]
                out = Path(folder) / f"{arm.name.replace(' ', '-')}.{domain}.jsonl"
                ask(arm, items, out, domain)
                kept = {(one.session, one.turn): one for one in of(rows, arm.name, domain)}
                for new in measured(arm, out):
                    old = kept[new.session, new.turn]
                    total += 1
                    same += (old.outcome, old.true) == (new.outcome, new.true)
    show.measure(
        "sample predicted again, the same", same / total, better="higher", floor=0.9, n=total
    )
