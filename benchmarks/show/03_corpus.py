"""The training corpus: what `make corpus` came to, and a seeded sample of it played again.

The corpus takes about an hour, so its figures are committed with a manifest (benchmarks/corpus).
Here the manifest is checked against its files, and 20 episodes are played again and compared.
"""

import hashlib
import random

from benchmarks.corpus.prints import Print, read
from benchmarks.corpus.recipe import HERE, recipe
from benchmarks.corpus.replay import Again, replay, sample
from benchmarks.show import Show
from worldline import jsonl
from worldline.corpus.stats import Stats

EACH = 5


def check(show: Show) -> None:
    wanted = recipe()
    manifest = jsonl.loads((HERE / "manifest.json").read_bytes())
    found: Stats = jsonl.convert(jsonl.loads((HERE / "stats.json").read_bytes()), Stats)
    prints = list(read(HERE / "episodes.jsonl.gz"))
    intact = [
        hashlib.sha256((HERE / name).read_bytes()).hexdigest() == sha
        for name, sha in manifest["sha256"].items()
    ]
    show.measure(
        "files as the manifest says", sum(intact), better="higher", floor=len(intact), n=len(intact)
    )
    for part in wanted.parts:
        one = found.domains[part.domain]
        counted = sum(each.turns for each in prints if each.domain == part.domain)
        print(
            f"{part.domain:10} {one.turns:7,} turns, {one.distinct_actions:.1%} distinct, "
            f"{one.near_duplicates:.1%} near-duplicates, {manifest['minutes'][part.domain]} min"
        )
        n = one.turns if counted == one.turns else 0
        show.measure(f"{part.domain} turns", n, better="higher", floor=part.turns, n=n)
        show.measure(
            f"{part.domain} distinct actions", one.distinct_actions, better="higher", floor=0.5, n=n
        )
        show.measure(
            f"{part.domain} near-duplicates", one.near_duplicates, better="lower", floor=0.3, n=n
        )
    minutes = sum(manifest["minutes"].values())
    show.measure("minutes", minutes, better="lower", floor=wanted.minutes, n=len(wanted.parts))
    for name in ("page.html", "card.md"):
        there = int((HERE / name).stat().st_size > 2000)
        show.measure(f"{name} is there", there, better="higher", floor=1)
    _again(show, prints, wanted.seed)


def _again(show: Show, prints: list[Print], seed: int) -> None:
    chosen = sample(prints, EACH, random.randrange(1 << 30))
    came = list(replay(chosen, seed))
    same = [one for one in came if _same(one)]
    for one in came:
        if not _same(one):
            print(f"DIFFERS {one.kept.id} ({one.kept.family}): {one.why or 'another text came'}")
    show.measure(
        "episodes that came again", len(same) / len(came), better="higher", floor=0.95, goal=1,
        n=len(came),
    )  # fmt: skip


def _same(one: Again) -> bool:
    return one.now is not None and (one.now.actions, one.now.observations) == (
        one.kept.actions,
        one.kept.observations,
    )
