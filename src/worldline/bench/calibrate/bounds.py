"""Exact bounds of a share: what it may be, after so many of so many were counted.

Clopper-Pearson, two-sided, 95 %: 0 of 34 may be up to 10.3 %.
"""

from collections.abc import Callable
from math import exp, lgamma, log, log1p

LEVEL = 0.95
_STEPS = 50


def exact(count: int, rows: int) -> tuple[float, float]:
    """The interval of `count` of `rows`; of nothing, anything is possible."""
    if not rows:
        return 0.0, 1.0
    risk = (1 - LEVEL) / 2
    low, high = 0.0, 1.0
    if count > 0:
        low = 1 - _root(lambda p: _at_most(rows - count, rows, p) > risk)
    if count < rows:
        high = _root(lambda p: _at_most(count, rows, p) > risk)
    return low, high


def _root(above: Callable[[float], bool]) -> float:
    """Where a falling function of a probability is `above` no longer."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) else (low, middle)
    return high


def _at_most(most: int, rows: int, p: float) -> float:
    """Probability of at most `most` (fewer than `rows`) hits of `rows`, each with probability p."""
    if not 0 < p < 1:
        return float(p <= 0)
    whole, hit, miss = lgamma(rows + 1), log(p), log1p(-p)
    return sum(
        exp(whole - lgamma(k + 1) - lgamma(rows - k + 1) + k * hit + (rows - k) * miss)
        for k in range(most + 1)
    )
