"""How a breach is told, and where an observation says it."""

import json

from worldline.domains.base import Ledger
from worldline.domains.search.memo import memo_of
from worldline.facts import Fact
from worldline.prediction import VIOLATIONS, Violation

SHOWN = 80
"""Characters of a text that a message repeats."""


def breach(
    rule: str,
    message: str,
    *,
    severe: bool = True,
    span: tuple[int, int] | None = None,
    because: tuple[Fact, ...] = (),
) -> Violation:
    """A rule that is broken; an error if it is `severe`, else a warning."""
    return Violation(
        rule=rule,
        severity="error" if severe else "warning",
        message=message,
        span=span,
        because=tuple(one.id for one in because),
    )


def still(ledger: Ledger, *facts: Fact) -> bool:
    """Whether what was shown before binds what comes now.

    In a session that was collected from tools of ours, or simulated, documents and engine stand
    still. Elsewhere the web moves, and what a model said is no evidence.
    """
    return memo_of(ledger).closed and all(one.origin != "model" for one in facts)


def place(observation: str, text: str) -> tuple[int, int] | None:
    """Where a text stands in an observation: as it is, or escaped in JSON, once or twice."""
    for _ in range(3):
        at = observation.find(text) if text else -1
        if at >= 0:
            return at, at + len(text)
        text = json.dumps(text, ensure_ascii=False)[1:-1]
    return None


class Places:
    """Where texts stand in an observation, for as many violations as are kept.

    Each is looked for from the start, and a long observation may break a rule on every line.
    """

    def __init__(self, observation: str) -> None:
        self.observation = observation
        self._left = VIOLATIONS

    def __call__(self, text: str) -> tuple[int, int] | None:
        """As `place`; `None` once enough were looked for."""
        self._left -= 1
        return place(self.observation, text) if self._left >= 0 else None


def cut(text: str) -> str:
    """A text as a message quotes it."""
    return repr(text[:SHOWN])
