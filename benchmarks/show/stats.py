"""Intervals for shares, with the recorded run as the unit."""

import random
from collections import defaultdict
from collections.abc import Iterable

DRAWS = 2_000


def share_interval(rows: Iterable[tuple[str, bool]], seed: int = 0) -> tuple[float, float, float]:
    """A share with its 95 % interval by bootstrap over clusters: (share, low, high).

    Args:
        rows: (cluster, whether it holds) of each row; none give (0, 0, 1).
    """
    groups: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for cluster, holds in rows:
        groups[cluster][0] += holds
        groups[cluster][1] += 1
    sums = list(groups.values())
    if not sums:
        return 0.0, 0.0, 1.0
    draw = random.Random(seed)
    found = sorted(_share(draw.choices(sums, k=len(sums))) for _ in range(DRAWS))
    return _share(sums), found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]


def _share(sums: list[list[int]]) -> float:
    held, rows = (sum(column) for column in zip(*sums, strict=True))
    return held / rows
