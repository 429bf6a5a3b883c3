"""Means over domains and their errors by session, from metrics of inspect_ai."""
# pyright: reportMissingImports=false

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Value, ci, mean, metric, stderr

from worldline.verify.compare import DIMENSIONS

OVERALL = "overall"
"""The one number of a sample, beside its five dimensions."""
CLUSTER = "session"
"""Metadata of a sample: turns of one recorded session are not independent."""


def _values(scores: Sequence[SampleScore]) -> list[SampleScore]:
    """Scores of one number each: the overall one where there are several."""
    return [
        _valued(one, one.score.value[OVERALL]) if isinstance(one.score.value, dict) else one
        for one in scores
    ]


def _valued(one: SampleScore, value: float) -> SampleScore:
    score = one.score.model_copy(update={"value": value})
    return one.model_copy(update={"score": score})


def _domains(scores: Sequence[SampleScore]) -> dict[str, list[SampleScore]]:
    found: defaultdict[str, list[SampleScore]] = defaultdict(list)
    for one in _values(scores):
        found[str((one.sample_metadata or {})["domain"])].append(one)
    return dict(found)


def _sessions(scores: Sequence[SampleScore]) -> int:
    return len({(one.sample_metadata or {})[CLUSTER] for one in scores})


def balanced(scores: Sequence[SampleScore]) -> list[SampleScore] | None:
    """Scores whose mean and clustered error are those of the mean over domains.

    Each deviation from its domain's mean is weighted by what it moves the mean of domain means, and
    corrected for its domain's number of sessions. `None` where a domain has fewer than two
    sessions: how much it varies is not known, and it is not 0.
    """
    domains = _domains(scores)
    counts = {name: _sessions(found) for name, found in domains.items()}
    if min(counts.values(), default=0) < 2:
        return None
    means = {name: mean()(found) for name, found in domains.items()}
    middle, sessions = sum(means.values()) / len(means), sum(counts.values())
    made = list[SampleScore]()
    for name, found in domains.items():
        weight = len(scores) / len(domains) / len(found)
        weight *= math.sqrt(counts[name] / (counts[name] - 1) * (sessions - 1) / sessions)
        made += [
            _valued(one, middle + (one.score.as_float() - means[name]) * weight) for one in found
        ]
    return made


@metric
def macro() -> Metric:
    """The mean of the domains' means: the benchmark's headline."""

    def macro(scores: list[SampleScore]) -> Value:
        domains = _domains(scores)
        return sum(mean()(one) for one in domains.values()) / len(domains) if domains else math.nan

    return macro


@metric(name="stderr")
def macro_stderr() -> Metric:
    """Standard error of `macro`, clustered by session; NaN where a domain has fewer than two."""

    def macro_stderr(scores: list[SampleScore]) -> Value:
        made = balanced(scores)
        return math.nan if made is None else stderr(cluster=CLUSTER)(made)

    return macro_stderr


@metric
def macro_ci() -> Metric:
    """95 % interval of `macro`, clustered by session."""

    def macro_ci(scores: list[SampleScore]) -> Value:
        made = balanced(scores)
        found = {"lower": math.nan, "upper": math.nan}
        if made is not None:
            found = ci(cluster=CLUSTER)(made)
        return {f"macro_{end}": value for end, value in found.items()}

    return macro_ci


@metric
def pooled() -> Metric:
    """The mean over samples, whatever their domain, and its standard error by session."""

    def pooled(scores: list[SampleScore]) -> Value:
        if not scores:
            return {"pooled": math.nan}
        one, known = _values(scores), _sessions(scores) > 1
        error = stderr(cluster=CLUSTER)(one) if known else math.nan
        return {"pooled": mean()(one), "pooled_stderr": error}

    return pooled


@metric
def by_domain() -> Metric:
    """The mean of each domain."""

    def by_domain(scores: list[SampleScore]) -> Value:
        return {name: mean()(found) for name, found in sorted(_domains(scores).items())}

    return by_domain


METRICS: list[Any] = [
    macro(),
    macro_stderr(),
    macro_ci(),
    pooled(),
    by_domain(),
    {name: [macro(), macro_stderr()] for name in DIMENSIONS},
]
