"""Playing kept episodes again, and comparing what came with what was kept."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.corpus.prints import Print, fingerprint
from worldline import jsonl
from worldline.collect.plan import plan
from worldline.collect.run import ready
from worldline.collect.worker import Worker
from worldline.trajectory import trajectory


class Again(NamedTuple):
    """An episode as it was kept and as it came now; `why` it did not come at all."""

    kept: Print
    now: Print | None
    why: str = ""


def sample(prints: Sequence[Print], each: int, seed: int) -> list[Print]:
    """So many episodes of each domain, drawn by the seed."""
    chosen: list[Print] = []
    for domain in sorted({one.domain for one in prints}):
        mine = sorted((one for one in prints if one.domain == domain), key=lambda one: one.id)
        chosen += random.Random(f"{seed}|{domain}").sample(mine, min(each, len(mine)))
    return chosen


def replay(chosen: Sequence[Print], seed: int) -> Iterator[Again]:
    """Play episodes of the corpus with that seed again."""
    for domain in sorted({one.domain for one in chosen}):
        wanted = plan(domain, seed=seed, policy="explorer", named=[], held_out=False, limit_s=30)
        ready(wanted, lambda said: print(said, flush=True))
        worker = Worker(wanted)
        try:
            for one in chosen:
                if one.domain == domain:
                    answer, line = worker.answer(one.number)
                    now = fingerprint(trajectory(jsonl.loads(line))) if line else None
                    yield Again(one, now, answer.reason or "")
        finally:
            worker.close()
