"""The report as one page: figures, drawings, why rows are unscored, and the worst rows."""

from collections.abc import Iterable, Mapping

import msgspec

from worldline.bench.official.arithmetic import Table
from worldline.bench.score.correlation import APART, NOTHING, Coefficient
from worldline.bench.score.panel import Agreement
from worldline.bench.score.plots import Bar, scatter, whiskers
from worldline.bench.score.report import Figure, Group, Score, Whole
from worldline.bench.score.rows import Scored, normalised
from worldline.bench.score.words import OFFICIAL, official_lines, spent_lines, stricter_line
from worldline.bench.score.worst import Bad, Worst
from worldline.bench.sides import sides
from worldline.pages import bars, frame, plain, table
from worldline.verify.compare import DIMENSIONS

REASONS = 11
"""That are drawn."""
WORDS = 600
"""Characters of each thing that a judge said."""
LOWEST = (
    "All scores on this page are 0 to 100. What a mark costs is told by pointing at it. “Costs "
    "that no mark shows” are differences of the whole text, which stand at no place of it, such as "
    "a line too few. `--worst N` shows more rows."
)
EXACT = (
    "The exact scorecard counts what is verified equal to the truth, without an LLM, 0 to 100. A "
    "text of the right form in which nothing is equal to the truth scores at most 20: the mean of "
    "the five dimensions is capped at 20 + 80 × the share that is equal. Coefficients have 95 % "
    f"intervals. “–”: nothing to tell, since fewer than {APART} rows differ from the commonest "
    f"value, or more than {NOTHING:.0%} of the draws of the bootstrap have one value alone."
)


def page(
    score: Score,
    rows: Iterable[Scored],
    worst: Worst,
    title: str,
    agreement: Agreement | None = None,
    official: Table | None = None,
) -> str:
    """The page.

    Args:
        rows: those of the run, for the drawing of judge against exact scorecard.
        agreement: that of a panel.
        official: the figures of the official script, where they are asked for.
    """
    body = (
        headline(score)
        + overview(score)
        + f"<h2>By domain, dimension, turn and context</h2><div class=charts>{_charts(score)}</div>"
    )
    if official is not None:
        heads, *lines = official_lines(official)
        body += f"<h2>Official figures</h2><p class=note>{plain(OFFICIAL)}</p>{table(heads, lines)}"
    if agreement is not None:
        body += f"<h2>Agreement of the judges</h2>{_agreement(agreement)}"
    if score.exact is not None:
        body += f"<h2>Judge and exact scorecard</h2>{_exact(score, rows)}"
    if score.reasons:
        body += f"<h2>Rows without a score</h2>{_reasons(score)}"
    return frame(title, body + _lowest(score, worst))


def _lowest(score: Score, worst: Worst) -> str:
    """The rows of each domain that the judge scored lowest."""
    found = {one.name: "".join(map(_row, worst.of(one.name))) for one in score.domains}
    drawn = "".join(f"<h3>{plain(name)}</h3>{shown}" for name, shown in found.items() if shown)
    note = f"<p class=note>{plain(LOWEST)}</p>"
    return f"<h2>Lowest scores</h2>{note}{drawn}" if drawn else ""


def headline(score: Score) -> str:
    """The two means by name, coverage, bounds, and who judged."""
    under = score.under
    lines = [
        f"<b>Macro {plain(_long(score.macro.score))}</b>, the mean of {_domains(score)}",
        f"Micro {plain(_long(score.micro.score))}, the mean over rows",
        f"Coverage {score.coverage:.1%}: {score.scored:,} of {score.rows:,} rows have a score",
        f"Judge {plain(', '.join(under.judges))}; judge prompts {plain(', '.join(under.prompts))}",
    ]
    lines += [plain(one) for one in spent_lines(score)]
    if score.stricter:
        lines.append(plain(stricter_line(score.stricter)))
    if score.unscored_domains:
        missing = plain(", ".join(score.unscored_domains))
        lines.append(f"<span class=low>No row has a score in: {missing}</span>")
    note = (
        "Scores of 1 to 5 are shown as 0 to 100. Whiskers are 95 % intervals by bootstrap over "
        "sessions; thin lines are bounds: every row without a score the worst, the best."
    )
    return "".join(f"<p>{line}</p>" for line in lines) + f"<p class=note>{note}</p>"


def _domains(score: Score) -> str:
    count = len(score.domains) - len(score.unscored_domains)
    return f"{count} domain{'s' if count != 1 else ''}"


def _long(figure: Figure) -> str:
    if figure.value is None:
        return "–"
    ends, bounds = figure.interval, figure.bounds
    between = f" (95 %: {ends[0]:.2f} to {ends[1]:.2f})" if ends else ""
    return f"{figure.value:.2f}{between}" + (
        f", bounds {bounds[0]:.2f} … {bounds[1]:.2f}" if bounds else ""
    )


def overview(score: Score) -> str:
    """The table by domain and dimension."""
    heads = ("", "rows", "scored", "sessions", "score", "95\u00a0%", "bounds", *DIMENSIONS)
    lines = [_line(group) for group in score.domains]
    for name, whole in (("macro", score.macro), ("micro", score.micro)):
        lines.append(_whole_line(name, score, whole))
    return table((*heads, "exact", "tokens"), lines)


def _line(group: Group) -> tuple[str, ...]:
    return (
        group.name,
        f"{group.rows:,}",
        f"{group.coverage:.1%}",
        f"{group.sessions:,}",
        *_figure(group.score),
        *(_number(group.dimensions[name].value) for name in DIMENSIONS),
        _number(group.exact),
        _number(group.tokens, 0),
    )


def _whole_line(name: str, score: Score, whole: Whole) -> tuple[str, ...]:
    return (
        name,
        f"{score.rows:,}",
        f"{score.coverage:.1%}",
        f"{score.sessions:,}",
        *_figure(whole.score),
        *(_number(whole.dimensions[one].value) for one in DIMENSIONS),
        _number(whole.exact),
        _number(score.tokens.completion_mean, 0),
    )


def _figure(figure: Figure) -> tuple[str, str, str]:
    return _number(figure.value, 2), _between(figure.interval), _between(figure.bounds)


def _between(ends: tuple[float, float] | None) -> str:
    return f"{ends[0]:.1f}–{ends[1]:.1f}" if ends else "–"


def _number(value: float | None, places: int = 1) -> str:
    return "–" if value is None else f"{value:,.{places}f}"


def _charts(score: Score) -> str:
    dimensions = [Bar(name, figure, "macro") for name, figure in score.macro.dimensions.items()]
    charts = (
        ("by domain", [_of(group) for group in score.domains]),
        ("by dimension, macro", dimensions),
        ("by evaluated turn, all domains together", [_of(group) for group in score.depths]),
        ("by length of the context, all domains together", [_of(g) for g in score.contexts]),
    )
    return "".join(
        f"<figure><figcaption>{what}</figcaption>{whiskers(found)}</figure>"
        for what, found in charts
    )


def _of(group: Group) -> Bar:
    return Bar(group.name, group.score, f"{group.scored:,} of {group.rows:,} rows have a score")


def _exact(score: Score, rows: Iterable[Scored]) -> str:
    beside = score.exact
    if beside is None:
        return ""
    named = {"all": beside.overall, **beside.dimensions, **beside.domains}
    lines = [
        (name, f"{one.rows:,}", *(_coefficient(c) for c in (one.pearson, one.spearman)))
        for name, one in named.items()
    ]
    points = [
        (100 * row.exact_score, normalised(row.total))
        for row in rows
        if row.exact_score is not None and row.total is not None
    ]
    drawn = scatter(points, "exact scorecard, true", "judge")
    return (
        f"<p class=note>{plain(EXACT)}</p><div class=charts>"
        f"<figure>{drawn}</figure>{table(('', 'rows', 'Pearson', 'Spearman'), lines)}</div>"
    )


def _coefficient(one: Coefficient) -> str:
    if one.value is None:
        return "–"
    ends = one.interval
    return f"{one.value:.2f}" + (f" ({ends[0]:.2f} to {ends[1]:.2f})" if ends else "")


def _agreement(found: Agreement) -> str:
    judges = table(
        ("judge", "scored", "macro", "micro"),
        [(j.name, f"{j.scored:,}", _number(j.macro, 2), _number(j.micro, 2)) for j in found.judges],
    )
    alphas = table(
        ("", "Krippendorff's alpha"),
        [(name, "–" if a is None else f"{a:.3f}") for name, a in found.alpha.items()],
    )
    pairs = table(
        ("pair", "Spearman", "Pearson"),
        [
            (
                f"{one.one} · {one.other}",
                _coefficient(one.correlation.spearman),
                _coefficient(one.correlation.pearson),
            )
            for one in found.pairs
        ],
    )
    note = f"<p>{found.rows:,} rows have a score of every judge.</p>"
    return f"{note}<div class=charts><div>{judges}{pairs}</div><div>{alphas}</div></div>"


def _reasons(score: Score) -> str:
    # One scale: the bars of both figures are counts of the same rows.
    most = max(count for found in score.reasons.values() for count in found.values())
    drawn = "".join(
        f"<figure><figcaption>{plain(stage)}, rows</figcaption>"
        f"{bars(_commonest(found), of=most)}</figure>"
        for stage, found in score.reasons.items()
    )
    return f"<div class=charts>{drawn}</div>"


def _commonest(counts: Mapping[str, int]) -> dict[str, float]:
    """The reasons that most rows have; the rest by their number."""
    found = dict(sorted(counts.items(), key=lambda one: -one[1]))
    if len(found) <= REASONS:
        return dict(found)
    shown = dict(list(found.items())[:REASONS])
    left = len(found) - REASONS
    return {**shown, f"{left} more reasons, each at most": float(list(found.values())[REASONS])}


def _row(bad: Bad) -> str:
    row = bad.scored
    each = zip(DIMENSIONS, row.scores or (), strict=False)
    marks = ", ".join(f"{name} {normalised(value):.0f}" for name, value in each)
    exact = "" if row.exact_score is None else f"; exact scorecard {100 * row.exact_score:.1f}"
    # The head of the texts would tell the exact score again, as 0 to 1.
    verified = msgspec.structs.replace(bad.sides.row, true={})
    said = "".join(f"<li>{plain(one[:WORDS])}</li>" for one in bad.weaknesses)
    return (
        f"<p>{plain(row.by.judge or 'Judge')}: {normalised(row.total or 1.0):.1f} of 100 "
        f"({plain(marks)}){exact}</p>{sides(bad.sides._replace(row=verified))}"
        f"<ul class=said>{said}</ul>"
    )
