"""Several judges of the same predictions, taken as one: their mean, and how far they agree.

A row has a score when every judge scored it: were it the mean of whoever did, a strict judge who
fails now and then would raise the score by failing.
"""

from collections.abc import Sequence
from itertools import combinations

import msgspec

from worldline.bench.score.correlation import Correlation, Pair, alpha, correlated
from worldline.bench.score.intervals import DRAWS
from worldline.bench.score.rows import By, Five, Scored, normalised
from worldline.bench.score.run import Run, Under
from worldline.bench.score.table import TOTAL, macro, micro
from worldline.errors import UsageError
from worldline.prediction import Usage
from worldline.verify.compare import DIMENSIONS


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """One judge, on the rows that all have scored."""

    name: str
    scored: int
    """Of all rows."""
    macro: float | None
    micro: float | None


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """Two judges: how their row scores go together."""

    one: str
    other: str
    correlation: Correlation


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far the judges agree."""

    rows: int
    """Rows that every judge scored."""
    judges: tuple[Judge, ...]
    alpha: dict[str, float | None]
    """Krippendorff's alpha: ordinal for each dimension, interval for the mean of the five. Over
    all rows that at least two judges scored."""
    pairs: tuple[Between, ...]


def panel(runs: Sequence[Run], *, draws: int = DRAWS, seed: int = 0) -> tuple[Run, Agreement]:
    """The judges' mean as a run of its own, and their agreement.

    Args:
        runs: the same predictions, one judge each.

    Raises:
        UsageError: fewer than two, or not the same predictions.
    """
    if len(runs) < 2:
        raise UsageError(
            "has one judge alone", field="panel", remedy="Give the judged file of each judge."
        )
    names = _named(runs)
    first, *others = (_by_place(run) for run in runs)
    for run, found in zip(runs[1:], others, strict=True):
        _same(runs[0], first, run, found)
    table = [[found[place] for found in (first, *others)] for place in first]
    rows = tuple(_together(votes, names) for votes in table)
    made = Run(
        name=runs[0].name,
        files=tuple(file for run in runs for file in run.files),
        rows=rows,
        under=_under(runs, names),
    )
    return made, _agreement(table, names, draws, seed)


Place = tuple[str, str, int]


def _by_place(run: Run) -> dict[Place, Scored]:
    """The rows by what was judged; a row that comes again has a number."""
    found: dict[Place, Scored] = {}
    for row in run.rows:
        number = 0
        while (row.key, row.of, number) in found:
            number += 1
        found[row.key, row.of, number] = row
    return found


def _same(run: Run, rows: dict[Place, Scored], other: Run, found: dict[Place, Scored]) -> None:
    if rows.keys() == found.keys():
        return
    alone = len(rows.keys() - found.keys()), len(found.keys() - rows.keys())
    raise UsageError(
        f"judges other predictions than {run.files[0]}: {alone[0]:,} are only there, "
        f"{alone[1]:,} only here",
        file=other.files[0],
        remedy="A panel judges one file of predictions. Two models: worldline bench compare.",
    )


def _named(runs: Sequence[Run]) -> list[str]:
    """The judges by name; those of one name by their files too."""
    names = [", ".join(run.under.judges) for run in runs]
    return [
        f"{name} ({run.files[0]})" if names.count(name) > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def _together(votes: Sequence[Scored], names: Sequence[str]) -> Scored:
    known = [vote.scores for vote in votes if vote.scores is not None]
    spent = sum((vote.judging for vote in votes), Usage())
    like = msgspec.structs.replace(votes[0], by=By(judge="panel"), judging=spent)
    if len(known) == len(votes):
        return msgspec.structs.replace(like, scores=_mean(known))
    name, failed = next((n, v) for n, v in zip(names, votes, strict=True) if v.scores is None)
    reason = f"{name}: {failed.reason}" if failed.stage == "judge" else failed.reason
    return msgspec.structs.replace(like, scores=None, stage=failed.stage, reason=reason)


def _mean(known: Sequence[Five]) -> Five:
    a, b, c, d, e = (sum(values) / len(values) for values in zip(*known, strict=True))
    return a, b, c, d, e


def _under(runs: Sequence[Run], names: Sequence[str]) -> Under:
    prompts = {one for run in runs for one in run.under.prompts}
    compat = {one for run in runs for one in run.under.compat}
    domains = {domain for run in runs for domain in run.under.prompt_shas}
    return Under(
        judges=tuple(sorted(names)),
        prompts=tuple(sorted(prompts)),
        compat=tuple(sorted(compat)),
        prompt_shas={
            domain: tuple(
                sorted({one for r in runs for one in r.under.prompt_shas.get(domain, ())})
            )
            for domain in sorted(domains)
        },
    )


def _agreement(
    table: Sequence[Sequence[Scored]], names: Sequence[str], draws: int, seed: int
) -> Agreement:
    whole = [votes for votes in table if all(vote.scores for vote in votes)]
    columns = {
        name: [[vote.scores and vote.scores[place] for vote in votes] for votes in table]
        for place, name in enumerate(DIMENSIONS)
    }
    alphas = {name: _rounded(alpha(units, "ordinal")) for name, units in columns.items()}
    totals = [[_tenths(vote) for vote in votes] for votes in table]
    return Agreement(
        rows=len(whole),
        judges=tuple(_judge(table, whole, place, name) for place, name in enumerate(names)),
        alpha={**alphas, TOTAL: _rounded(alpha(totals, "interval"))},
        pairs=tuple(
            Between(
                one=names[a],
                other=names[b],
                correlation=correlated(_pairs(whole, a, b), draws, seed),
            )
            for a, b in combinations(range(len(names)), 2)
            if whole
        ),
    )


def _tenths(vote: Scored) -> float | None:
    """The mean of the five, without the last bits in which equal sums may differ."""
    return None if vote.total is None else round(vote.total, 6)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _judge(
    table: Sequence[Sequence[Scored]], whole: Sequence[Sequence[Scored]], place: int, name: str
) -> Judge:
    by_domain: dict[str, list[float]] = {}
    for votes in whole:
        by_domain.setdefault(votes[place].domain, []).append(normalised(votes[place].total or 1.0))
    means = [sum(values) / len(values) for values in by_domain.values()]
    counts = [len(values) for values in by_domain.values()]
    return Judge(
        name=name,
        scored=sum(votes[place].scores is not None for votes in table),
        macro=round(macro(means), 4) if means else None,
        micro=round(micro(means, counts), 4) if means else None,
    )


def _pairs(whole: Sequence[Sequence[Scored]], one: int, other: int) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for votes in whole:
        a, b = votes[one], votes[other]
        found.setdefault(a.domain, []).append(Pair(a.session, a.total or 1.0, b.total or 1.0))
    return found
