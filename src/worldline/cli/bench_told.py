"""What `worldline bench score`, `compare` and the like say on stderr."""

from typing import TYPE_CHECKING

from worldline.cli.common import say

if TYPE_CHECKING:
    from worldline.bench.official.arithmetic import Table
    from worldline.bench.score.compare import Comparison, Difference
    from worldline.bench.score.correlation import Correlation
    from worldline.bench.score.panel import Agreement
    from worldline.bench.score.report import Figure, Group, Score

_WIDTH = 12
"""Of a column: the longest name of a dimension, and a blank."""


def tell(found: "Score") -> None:
    """The score in words and a table, on stderr."""
    from worldline.bench.score.words import spent_lines, stricter_line

    count = len(found.domains) - len(found.unscored_domains)
    say(f"Macro, the headline (mean of {count} domains): {_long(found.macro.score)}")
    say(f"Micro (mean over rows): {_long(found.micro.score)}")
    say(f"Scored: {found.scored:,} of {found.rows:,} rows ({found.coverage:.1%})")
    for stage, reasons in found.reasons.items():
        say(f"Unscored, {stage}: " + ", ".join(f"{why} {n:,}" for why, n in reasons.items()))
    if found.stricter:
        say(stricter_line(found.stricter))
    if found.unscored_domains:
        say(f"No row has a score in: {', '.join(found.unscored_domains)}")
    under = found.under
    say(f"Judge: {', '.join(under.judges)}; judge prompts: {', '.join(under.prompts)}")
    for line in spent_lines(found):
        say(line)
    if found.tokens.rows:
        tokens = found.tokens
        say(
            f"Tokens that the model under test wrote per prediction: "
            f"{tokens.completion_mean:,.0f} on average, median "
            f"{tokens.completion_median:,.0f} ({tokens.rows:,} rows say)"
        )
    if found.exact is not None:
        _tell_exact(found.exact.overall)
    _tell_groups(found)


def _tell_exact(one: "Correlation") -> None:
    pair = (("Pearson", one.pearson), ("Spearman", one.spearman))
    said = "; ".join(
        f"{name} " + ("-" if c.value is None else f"{c.value:.2f}") + _ends(c.interval, 2)
        for name, c in pair
    )
    steady = any(c.value is None for _, c in pair)
    why = " (-: a measure hardly ever changes; docs/scoring.md)" if steady else ""
    say(f"Judge against the exact scorecard, {one.rows:,} rows: {said}{why}")


def _tell_groups(found: "Score") -> None:
    from worldline.verify.compare import DIMENSIONS

    heads = "".join(f"{name:>{_WIDTH}}" for name in (*DIMENSIONS, "exact", "tokens"))
    say(f"{'':28}{'rows':>7}{'scored':>8}{'score':>8}{'95 %':>15}{heads}")
    for group in (*found.domains, *found.depths, *found.contexts):
        _tell_group(group)


def _tell_group(group: "Group") -> None:
    more = [*(one.value for one in group.dimensions.values()), group.exact, group.tokens]
    ends = group.score.interval
    between = f"{ends[0]:.1f} to {ends[1]:.1f}" if ends else "-"
    say(
        f"{group.name[:27]:28}{group.rows:>7,}{group.coverage:>8.1%}"
        f"{_number(group.score.value):>8}{between:>15}"
        + "".join(f"{_number(value, 1):>{_WIDTH}}" for value in more)
    )


def tell_official(found: "Table") -> None:
    """The figures that the official script prints, and its macro, which it does not print."""
    from worldline.bench.score.words import OFFICIAL, official_lines

    say(f"Official figures. {OFFICIAL}")
    heads, *lines = official_lines(found)
    say("".join(f"{head:>12}" for head in heads).replace(" " * 12, f"{'':12}", 1))
    for name, *cells in lines:
        say(f"{name[:12]:12}" + "".join(f"{cell:>12}" for cell in cells))


def tell_panel(found: "Agreement") -> None:
    """How far the judges agree, on stderr."""
    for judge in found.judges:
        say(f"Judge {judge.name}: macro {_number(judge.macro)}, micro {_number(judge.micro)}")
    alphas = ", ".join(f"{name} {_number(value, 3)}" for name, value in found.alpha.items())
    say(f"Krippendorff's alpha over {found.rows:,} rows: {alphas}")
    for pair in found.pairs:
        rho = pair.correlation.spearman
        say(f"Spearman, {pair.one} and {pair.other}: {_number(rho.value)}{_ends(rho.interval, 2)}")


def tell_comparison(found: "Comparison") -> None:
    """Both runs and their difference, on stderr."""
    for line in found.differing:
        say(f"Judged differently: {line}")
    say(f"ONE is {found.one}; OTHER is {found.other}; a difference is OTHER less ONE.")
    say(f"{'':12}{'pairs':>8}{'ONE':>8}{'OTHER':>8}  difference")
    for one in (found.macro, found.micro, *found.domains):
        _tell_difference(one)
    for name, figure in found.dimensions.items():
        one, other = found.dimension_means[name]
        say(f"{name:12}{found.macro.both:>8,}{_number(one):>8}{_number(other):>8}  {_long(figure)}")
    counts = found.counts
    if counts.both < found.rows:
        say(
            f"Differences are over the {counts.both:,} pairs in which both have a score, bounds "
            f"over all {found.rows:,} pairs, with the worst and the best in place of each missing "
            "score: a difference may lie outside its bounds."
        )
    say(
        f"Of {counts.both:,} pairs OTHER is higher in {counts.other_higher:,}, equal in "
        f"{counts.equal:,}, lower in {counts.one_higher:,}. Without a score: only in ONE "
        f"{counts.only_other:,}, only in OTHER {counts.only_one:,}, in both {counts.neither:,}."
    )
    say(found.conclusion)


def _tell_difference(one: "Difference") -> None:
    say(
        f"{one.name[:12]:12}{one.both:>8,}{_number(one.one):>8}{_number(one.other):>8}"
        f"  {_long(one.difference)}"
    )


def _long(figure: "Figure") -> str:
    bounds = figure.bounds
    beyond = f", bounds {bounds[0]:.2f} ... {bounds[1]:.2f}" if bounds else ""
    return _number(figure.value) + _ends(figure.interval, 2) + beyond


def _ends(ends: tuple[float, float] | None, places: int) -> str:
    return f" (95 %: {ends[0]:.{places}f} to {ends[1]:.{places}f})" if ends else ""


def _number(value: float | None, places: int = 2) -> str:
    return "-" if value is None else f"{value:,.{places}f}"
