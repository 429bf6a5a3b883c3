"""Certain answers against reality, on every turn of the training corpus.

The ledger is asked before each turn of each episode; a claim must be byte-exact but for trailing
blanks and CR. The claims over the whole corpus are counted when it is made; here the counts are
checked against its manifest, and episodes drawn at random are collected again and asked again.
"""

import random

from benchmarks.corpus.prints import read
from benchmarks.corpus.recipe import HERE, recipe
from benchmarks.corpus.replay import replay, sample
from benchmarks.show import Show
from benchmarks.show.known import upper_bound
from worldline import jsonl

FLOORS = {"terminal": 1000, "mcp": 500, "search": 500, "swe": 500}
GOAL = 5000
EACH = 5


def check(show: Show) -> None:
    manifest = jsonl.loads((HERE / "manifest.json").read_bytes())
    prints = list(read(HERE / "episodes.jsonl.gz"))
    for domain, floor in FLOORS.items():
        mine = [one for one in prints if one.domain == domain]
        turns, known, wrong, refused, asked = (
            sum(getattr(one, name) for one in mine)
            for name in ("turns", "known", "wrong", "refused", "protocol")
        )
        if manifest["known"][domain]["known"] != known:
            turns = known = 0  # not the corpus that the manifest tells of
        bound = upper_bound(wrong, known) if known else 1.0
        print(f"{domain:10}{turns:8,} turns{known:8,} known{wrong:4} wrong, bound {bound:.3%}")
        show.measure(
            f"{domain} known turns", known, better="higher", floor=floor, goal=GOAL, n=turns
        )
        show.measure(f"{domain} errors", wrong, better="lower", floor=0, goal=0, n=known, hi=bound)
        share = known / turns if turns else 0.0
        show.measure(f"{domain} coverage", share, better="higher", floor=0.1, n=turns)
        if asked:
            show.measure(f"{domain} protocol errors", refused, better="lower", floor=0, n=asked)
    again = list(replay(sample(prints, EACH, random.randrange(1 << 30)), recipe().seed))
    claimed = sum(one.now.known + one.now.protocol for one in again if one.now)
    wrong = sum(one.now.wrong + one.now.refused for one in again if one.now)
    show.measure("errors in episodes played again", wrong, better="lower", floor=0, n=claimed)
