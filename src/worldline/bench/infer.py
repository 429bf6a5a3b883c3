"""Predict recorded turns: many at once, resumable, in input order, none lost.

    report = await predict("rows.jsonl", model, "out.jsonl", concurrency=16)

The output holds every field of the input row, then ``gen`` (the reply's content as received),
``worldline`` (the prediction) and ``row_sha``. Run the same command again after a crash and it goes
on where it stopped; with everything done it asks nothing. Trouble of a model is a typed outcome on
its row; trouble of the run (a full disk, a missing key) stops it, and every finished row is kept.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from worldline import jsonl
from worldline.bench.cases import Case, Plan, cases
from worldline.bench.limited import Limited
from worldline.bench.manifest import manifest, settle
from worldline.bench.reach import Call
from worldline.bench.results import Predicted, Results
from worldline.bench.sampled import sampled
from worldline.bench.source import Item, Source, file_sha, of_items, open_source
from worldline.bench.suite import Evaluated
from worldline.bench.work import Job, Made, Watch, work
from worldline.errors import UsageError
from worldline.grounding import Examples, Ground, examples, parse_ground
from worldline.models.base import WorldModel
from worldline.prediction import Prediction, Usage

FAILED = ("infra_error",)
"""Outcomes that say nothing about the model: the rows that ``--retry-failed`` runs again."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came to. Counts are over all results, earlier runs included."""

    rows: int
    """Results that are there now."""
    resumed: int
    """Of these, done before this run."""
    outcomes: dict[str, int]
    reasons: dict[str, int]
    """Reasons of the outcomes that are not ``ok``, as ``infra_error: rate_limited``."""
    origins: dict[str, int]
    usage: Usage
    """Tokens of this run."""
    seconds: float
    """Of this run."""

    @property
    def failed(self) -> int:
        """Rows that got no answer through no fault of the model."""
        return sum(self.outcomes.get(outcome, 0) for outcome in FAILED)


async def predict(
    source: str | Path | Source | Sequence[Item],
    model: WorldModel,
    out: str | Path,
    *,
    concurrency: int = 8,
    domains: Collection[str] | None = None,
    limit: int | None = None,
    sample: int | None = None,
    max_turns: int | None = None,
    context: int | None = None,
    max_tokens: int | None = None,
    ground: str = "none",
    seed: int | None = 0,
    deterministic: bool = False,
    retry_failed: bool = False,
    watch: Watch | None = None,
) -> Report:
    """Predict every row and keep the results in `out`.

    Args:
        source: a file of benchmark rows or trajectories, or these in memory.
        model: who predicts; left open.
        concurrency: how many are asked at once. Cases of one session are asked in order.
        domains: only rows of these.
        limit: only the first rows; a later run may have another limit.
        sample: only so many, drawn by the seed; see `worldline.bench.sampled`.
        max_turns: only turns up to this one.
        context: tokens of context to use at most.
        max_tokens: tokens of a reply at most.
        ground: ``none`` asks the model raw; ``ledger`` answers what is known without asking and
            tells the model the facts, as a world does; ``retrieval:FILE`` shows it recorded turns.
        seed: of the run; `None` leaves sampling to the server.
        deterministic: one at a time, each from an empty prefix cache where the model has one.
        retry_failed: run the rows again that ended in `FAILED`.
        watch: progress.

    Raises:
        UsageError: the output belongs to another run, or another process is writing it.
        DataError: a row is broken, or the output cannot be written.
        ModelError: the model cannot be used at all, or be reached.
    """
    if concurrency < 1:
        raise UsageError("must be at least 1", field="concurrency")
    path, given = Path(out), _source(source)
    if sample is not None:
        given = sampled(given, sample, seed or 0, domains=domains, max_turns=max_turns)
    if deterministic:
        concurrency = 1
    limited = Limited(model, context, max_tokens, deterministic)
    grounds = parse_ground(ground)
    shown = examples(grounds)
    plan = Plan(grounded=grounds.told, seed=seed, max_turns=max_turns, examples=shown)
    wanted = manifest(
        "predict",
        input={"name": given.name, "sha": given.sha},
        model=limited.describe(),
        ground=_recorded(grounds, shown),
        seed=seed,
        max_turns=max_turns,
        deterministic=deterministic,
        **({"domains": sorted(domains)} if domains else {}),
        **({} if sample is None else {"sample": sample}),
    )
    whole = max_turns is None and not domains
    start, results = time.monotonic(), Results(path, Predicted)
    try:
        settle(path, wanted, fresh=results.fresh)
        results.recover(_again if retry_failed else lambda entry: False)
        resumed = sum(1 for _ in results.entries())
        usage = await work(
            map(_job, cases(_of(given.items(), domains), limited, plan)),
            results,
            concurrency=concurrency,
            limit=limit,
            total=given.total() if watch and (sample is not None or whole) else None,
            watch=watch,
        )
    finally:
        results.close()
    if domains and not resumed and not results.done and limit != 0:
        raise UsageError(
            f"holds no row of {', '.join(sorted(domains))}",
            file=given.name,
            field="domain",
            remedy="Leave it out, or see what the rows are of.",
        )
    return _report(results, resumed, usage, time.monotonic() - start)


def _of(items: Iterable[Item], domains: Collection[str] | None) -> Iterable[Item]:
    """The items of some domains, or all."""
    if not domains:
        return items
    return (one for one in items if _domain(one) in domains)


def _domain(item: Item) -> str:
    return item.trajectory.domain if isinstance(item, Evaluated) else item.domain


def _again(entry: Predicted) -> bool:
    return entry.worldline.outcome in FAILED


def _recorded(grounds: Ground, shown: Examples | None) -> list[str]:
    """The grounding for the manifest: a file by the hash of its content, not by its path."""
    if shown is None:
        return list(grounds.parts)
    path = shown.model.path
    return [*grounds._replace(retrieval=None).parts, f"retrieval:{path.name}:{file_sha(path)}"]


def _source(given: str | Path | Source | Sequence[Item]) -> Source:
    if isinstance(given, (str, Path)):
        return open_source(given)
    return given if isinstance(given, Source) else of_items(given)


async def _made(case: Case) -> Made:
    prediction = await case.ask()
    return Made(output(case.row(), prediction), prediction.usage, _call(prediction))


def _call(prediction: Prediction) -> Call | None:
    if prediction.origin != "model":
        return None
    if prediction.outcome != "infra_error":
        return Call()
    error = (prediction.raw or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else ""
    return Call(prediction.reason or "unknown_error", str(message or ""))


def _job(case: Case) -> Job:
    return Job(case.session, case.weight, lambda: jsonl.sha(case.row()), partial(_made, case))


def output(row: dict[str, Any], prediction: Prediction) -> dict[str, Any]:
    """The row with its prediction, as it stands in the output."""
    raw = prediction.raw or {"content": prediction.observation}
    return {
        **row,
        "gen": raw.get("content") or "",
        "worldline": msgspec.to_builtins(prediction),
        "row_sha": jsonl.sha(row),
    }


def _report(results: Results[Predicted], resumed: int, usage: Usage, seconds: float) -> Report:
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    origins: Counter[str] = Counter()
    for entry in results.entries():
        told = entry.worldline
        outcomes[told.outcome] += 1
        origins[told.origin] += 1
        if told.outcome != "ok":
            reasons[f"{told.outcome}: {told.reason}"] += 1
    return Report(
        rows=outcomes.total(),
        resumed=resumed,
        outcomes=dict(outcomes.most_common()),
        reasons=dict(reasons.most_common()),
        origins=dict(origins.most_common()),
        usage=usage,
        seconds=seconds,
    )
