"""When to try again: exponential backoff with full jitter, and what the server asks for."""

import math
import random
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

import msgspec

LONGEST_WAIT = 120.0
"""Seconds; no single wait is longer, whatever the server asks for."""


class Retry(msgspec.Struct, frozen=True, kw_only=True):
    """A retry policy. `deadline` and `backoff` are seconds."""

    attempts: int = 6
    deadline: float = 3600.0
    backoff: float = 0.5

    def wait(self, attempt: int, asked: float | None, rng: random.Random) -> float:
        """Seconds to wait after the 1-based `attempt` failed.

        Args:
            asked: the server's ``Retry-After``; never come back sooner than that, but a little
                later, so that many callers do not come back at once.
        """
        bound = min(LONGEST_WAIT, self.backoff * 2.0 ** min(attempt - 1, 30))
        if asked is None:
            return rng.uniform(0, bound)
        return min(asked, LONGEST_WAIT) + rng.uniform(0, min(self.backoff, bound))


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that ``Retry-After`` asks for (seconds or an HTTP date), `None` if it says nothing.

    Args:
        headers: looked up in lower case.
        now: seconds since the epoch.
    """
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            seconds = _until(value, now)
        if seconds is not None and math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _until(date: str, now: float) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp() - now
    except (ValueError, OverflowError, OSError):
        return None
