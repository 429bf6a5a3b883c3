"""What a run comes to: the figures of `report`, by domain, dimension, depth and context."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from worldline.bench.score.correlation import Correlation, Pair, correlated
from worldline.bench.score.intervals import DRAWS, Estimate, Stratum, estimates
from worldline.bench.score.report import Beside, Figure, Group, Score, Spent, Tokens, Whole, figure
from worldline.bench.score.rows import Scored, normalised
from worldline.bench.score.run import Run
from worldline.prediction import Usage
from worldline.verify.compare import DIMENSIONS

DOMAINS = ("mcp", "search", "terminal", "swe", "android", "web", "os")
"""In the order of the published table; others follow by name."""
DEPTHS = (1, 2, 6, 11, 21, 41)
"""First turns of the groups by depth."""
CONTEXTS = (0, 8_000, 32_000, 128_000, 512_000)
"""Least characters of the groups by length of the context."""
TOTAL = "mean"
COLUMNS = (*DIMENSIONS, TOTAL)


def macro(values: Iterable[float]) -> float:
    """The unweighted mean of domain scores."""
    found = list(values)
    return sum(found) / len(found)


def micro(values: Sequence[float], rows: Sequence[int]) -> float:
    """The mean over rows, from domain scores and how many rows each has."""
    return sum(v * n for v, n in zip(values, rows, strict=True)) / sum(rows)


def score(run: Run, *, draws: int = DRAWS, seed: int = 0) -> Score:
    """What a run comes to."""
    return Table(run, draws, seed).score()


class Table:
    """The figures of one run."""

    def __init__(self, run: Run, draws: int, seed: int) -> None:
        self.run, self.draws, self.seed = run, draws, seed
        self.by_domain = _grouped(run.rows, lambda row: row.domain)

    def score(self) -> Score:
        """All of it."""
        run = self.run
        order = sorted(self.by_domain, key=place)
        scored = {name: _scored(self.by_domain[name]) for name in order}
        some = {name: rows for name, rows in scored.items() if rows}
        found = estimates(_strata(some), self.draws, self.seed) if some else None
        groups = tuple(
            _group(name, self.by_domain[name], found.each.get(name) if found else None)
            for name in order
        )
        count = sum(map(len, scored.values()))
        return Score(
            name=run.name,
            files=run.files,
            under=run.under,
            data=run.data,
            rows=len(run.rows),
            scored=count,
            coverage=count / len(run.rows),
            sessions=len({row.session for row in run.rows}),
            macro=_macro(groups, found.macro if found else None),
            micro=_micro(run.rows, found.micro if found else None),
            unscored_domains=tuple(name for name in order if not scored[name]),
            domains=groups,
            depths=self._buckets(DEPTHS, lambda row: row.turn, _depth),
            contexts=self._buckets(CONTEXTS, lambda row: row.context, _context),
            reasons=_reasons(run.rows),
            tokens=_tokens(run.rows),
            predicting=_spent(
                Usage(prompt=r.prompt_tokens, completion=r.completion_tokens, cost_usd=r.cost_usd)
                for r in run.rows
            ),
            judging=_spent(row.judging for row in run.rows),
            stricter=sum(row.stricter for row in run.rows),
            exact=self._beside(some),
            draws=self.draws,
            seed=self.seed,
        )

    def _buckets(
        self,
        starts: Sequence[int],
        of: Callable[[Scored], int],
        named: Callable[[int, int | None], str],
    ) -> tuple[Group, ...]:
        ends = [*starts[1:], None]
        found: list[Group] = []
        for start, end in zip(starts, ends, strict=True):
            rows = [r for r in self.run.rows if of(r) >= start and (end is None or of(r) < end)]
            if not rows:
                continue
            name, some = named(start, end), _scored(rows)
            made = estimates(_strata({name: some}), self.draws, self.seed) if some else None
            found.append(_group(name, rows, made.micro if made else None))
        return tuple(found)

    def _beside(self, scored: Mapping[str, list[Scored]]) -> Beside | None:
        both = {
            name: kept
            for name, rows in scored.items()
            if (kept := [row for row in rows if row.exact is not None])
        }
        if not both:
            return None

        def pairs(column: str, names: Iterable[str]) -> dict[str, list[Pair]]:
            return {
                n: [Pair(r.session, _judged(r, column), _exact(r, column)) for r in both[n]]
                for n in names
            }

        def made(column: str, names: Iterable[str]) -> Correlation:
            return correlated(pairs(column, names), self.draws, self.seed)

        return Beside(
            overall=made(TOTAL, both),
            dimensions={column: made(column, both) for column in DIMENSIONS},
            domains={name: made(TOTAL, [name]) for name in both},
        )


def _grouped(rows: Iterable[Scored], of: Callable[[Scored], str]) -> dict[str, list[Scored]]:
    found: dict[str, list[Scored]] = {}
    for row in rows:
        found.setdefault(of(row), []).append(row)
    return found


def place(domain: str) -> tuple[int, str]:
    """Sorts domains as the published table has them."""
    return (DOMAINS.index(domain) if domain in DOMAINS else len(DOMAINS), domain)


def _scored(rows: Iterable[Scored]) -> list[Scored]:
    return [row for row in rows if row.scores is not None]


def _strata(groups: Mapping[str, Sequence[Scored]]) -> dict[str, Stratum]:
    import numpy as np

    return {
        name: Stratum(
            [row.session for row in rows],
            np.array([[_judged(row, column) for column in COLUMNS] for row in rows]),
        )
        for name, rows in groups.items()
    }


def _judged(row: Scored, column: str) -> float:
    scores = row.scores or (1.0,) * 5
    raw = sum(scores) / 5 if column == TOTAL else scores[DIMENSIONS.index(column)]
    return normalised(raw)


def _exact(row: Scored, column: str) -> float:
    if column == TOTAL:
        return 100 * (row.exact_score or 0.0)
    return 100 * (row.exact or (0.0,) * 5)[DIMENSIONS.index(column)]


def _group(name: str, rows: Sequence[Scored], found: Estimate | None) -> Group:
    some = _scored(rows)
    figures = _figures(found, len(some), len(rows))
    tokens = [row.completion_tokens for row in rows if row.completion_tokens is not None]
    return Group(
        name=name,
        rows=len(rows),
        scored=len(some),
        sessions=found.sessions if found else 0,
        score=figures.pop(TOTAL),
        dimensions=figures,
        exact=_exact_mean(some),
        tokens=_mean(tokens),
    )


def _figures(found: Estimate | None, scored: int, rows: int) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for place, column in enumerate(COLUMNS):
        value, interval = found.of(place) if found else (None, None)
        least = (value or 0.0) * scored / rows
        bounds = (least, least + 100 * (rows - scored) / rows)
        figures[column] = figure(value, interval, bounds)
    return figures


def _macro(groups: Sequence[Group], found: Estimate | None) -> Whole:
    """Bounds are means of the domains' bounds: a domain without a score may be anything."""

    def of(place: int, column: str) -> Figure:
        own = [g.score if column == TOTAL else g.dimensions[column] for g in groups]
        ends = [one.bounds for one in own if one.bounds]
        value, interval = found.of(place) if found else (None, None)
        bounds = macro(low for low, _ in ends), macro(high for _, high in ends)
        return figure(value, interval, bounds)

    figures = {column: of(place, column) for place, column in enumerate(COLUMNS)}
    exact = [group.exact for group in groups if group.exact is not None]
    return Whole(score=figures.pop(TOTAL), dimensions=figures, exact=_mean(exact))


def _micro(rows: Sequence[Scored], found: Estimate | None) -> Whole:
    some = _scored(rows)
    figures = _figures(found, len(some), len(rows))
    return Whole(score=figures.pop(TOTAL), dimensions=figures, exact=_exact_mean(some))


def _exact_mean(rows: Iterable[Scored]) -> float | None:
    return _mean([_exact(row, TOTAL) for row in rows if row.exact is not None])


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _reasons(rows: Iterable[Scored]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if row.reason is not None:
            counts.setdefault(row.stage or "judge", Counter())[row.reason] += 1
    return {stage: dict(found.most_common()) for stage, found in sorted(counts.items())}


def _tokens(rows: Iterable[Scored]) -> Tokens:
    told = list(rows)
    new = sorted(row.completion_tokens for row in told if row.completion_tokens is not None)
    asked = [row.prompt_tokens for row in told if row.prompt_tokens is not None]
    middle = len(new) // 2
    return Tokens(
        rows=len(new),
        completion_mean=_mean(new),
        completion_median=(new[middle] + new[~middle]) / 2 if new else None,
        completion_total=sum(new),
        prompt_mean=_mean(asked),
    )


def _spent(usages: Iterable[Usage]) -> Spent:
    told = list(usages)
    whole = sum(told, Usage())
    return Spent(
        rows=sum(one.prompt is not None or one.completion is not None for one in told),
        prompt=whole.prompt,
        completion=whole.completion,
        cost_usd=None if whole.cost_usd is None else round(whole.cost_usd, 6),
    )


def _depth(start: int, end: int | None) -> str:
    if end is None:
        return f"turn {start} and later"
    return f"turn {start}" if end == start + 1 else f"turns {start} to {end - 1}"


def _context(start: int, end: int | None) -> str:
    if end is None:
        return f"{start // 1_000}k characters and more"
    return f"under {end // 1_000}k" if not start else f"{start // 1_000}k to {end // 1_000}k"
