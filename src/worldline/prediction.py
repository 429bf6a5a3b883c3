"""What comes back from a world model and from a world: typed outcomes, never a silent blank.

`Outcome` says whether there is an observation at all. Only ``ok`` carries one; every other outcome
has ``observation = None`` and a `reason`. `Origin` says who produced it.
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import msgspec

PREDICTION_SCHEMA = "worldline.prediction/1"
STEP_SCHEMA = "worldline.step/1"

Outcome = Literal[
    "ok",
    "no_prediction",
    "truncated",
    "refused",
    "filtered",
    "context_too_long",
    "infra_error",
    "not_in_record",
]
Origin = Literal["known", "model", "fault", "protocol", "real"]
Form = Literal["full", "patch"]
"""What a model is asked for: the observation itself, or an edit script of the state before it."""


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A rule the observation breaks.

    `error` claims that the observation is impossible; `warning` is anything less. `span` is
    ``[start, end)`` in characters of the observation. `because` names the facts it contradicts.
    """

    rule: str
    severity: Literal["error", "warning"]
    message: str
    span: tuple[int, int] | None = None
    because: tuple[str, ...] = ()


VIOLATIONS = 200
"""Violations of one observation that are kept."""


def capped(found: Sequence[Violation]) -> list[Violation]:
    """The first `VIOLATIONS`, the first of each rule and severity beyond, and how many are left.

    The last one says that, under the rule and severity of one that is left out.
    """
    kept, left = list(found[:VIOLATIONS]), list[Violation]()
    there = {(one.rule, one.severity) for one in kept}
    for one in found[VIOLATIONS:]:
        known = (one.rule, one.severity) in there
        (left if known else kept).append(one)
        there.add((one.rule, one.severity))
    if left:
        told = f"and {len(left):,} more violations of this observation, left out here"
        kept.append(Violation(rule=left[-1].rule, severity=left[-1].severity, message=told))
    return kept


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens: `prompt` in all, `cached` of them reused from an earlier request, `completion` new.

    `None` means the backend did not say.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    cost_usd: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Both together; a part neither call reported stays unknown."""
        return Usage(
            prompt=_sum(self.prompt, other.prompt),
            cached=_sum(self.cached, other.cached),
            completion=_sum(self.completion, other.completion),
            cost_usd=_sum(self.cost_usd, other.cost_usd),
        )


Number = TypeVar("Number", int, float)


def _sum(a: Number | None, b: Number | None) -> Number | None:
    return a if b is None else b if a is None else a + b


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """What fitting the context left out, and the form the observation was asked in."""

    dropped_turns: int = 0
    form: Form = "full"
    dropped_first: bool = False
    """The first state is no longer told: later states have taken its place."""
    clipped: int = 0
    """Nodes of the newest state that were not shown (``patch`` alone: they stay all the same)."""


class PromptRef(msgspec.Struct, frozen=True, kw_only=True):
    """Where the system prompt came from: the benchmark row itself or one of our templates."""

    source: Literal["row", "template"]
    name: str
    sha: str


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """One predicted observation, or the typed reason why there is none.

    `raw` is the reply as received (content, and thoughts that came in a field of their own);
    `observation` is what was extracted from it.
    """

    outcome: Outcome
    origin: Origin
    observation: str | None = None
    reason: str | None = None
    reasoning: str | None = None
    raw: dict[str, Any] | None = None
    finish_reason: str | None = None
    attempts: int = 0
    model: str
    sampling: dict[str, Any] = {}
    seed: int | None = None
    request_sha: str | None = None
    prompt: PromptRef | None = None
    fit: Fit = Fit()
    usage: Usage = Usage()
    latency_s: float = 0.0
    violations: tuple[Violation, ...] = ()
    because: tuple[str, ...] = ()
    """Ids of the facts a `known` answer rests on."""
    consistent_only: bool = False
    """A `known` answer that rests on something only the model said: consistent, not true."""
    confidence: float | None = None
    schema: str = PREDICTION_SCHEMA


class StepResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one step of a world (or of a real environment) gave back.

    `seq` counts the steps of `branch` from 1 (0 is the reset).
    """

    observation: str | None
    outcome: str
    origin: Origin
    reward: float | None = None
    terminated: bool = False
    truncated: bool = False
    violations: tuple[Violation, ...] = ()
    confidence: float | None = None
    seq: int
    branch: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    reason: str | None = None
    prediction: Prediction | None = None
    """The operator's view: everything the world knows about how this step came to be."""
    schema: str = STEP_SCHEMA
