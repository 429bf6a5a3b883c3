"""The page of verified predictions: dimensions by domain and dialect, rules, and the worst rows.

Of recordings, on which only rules ran, it shows the rules and the turns that break them.
"""

from collections.abc import Iterable, Sequence

from worldline.bench.sides import sides
from worldline.bench.tally import Group
from worldline.bench.worst import Worst
from worldline.pages import bars, frame, plain, table
from worldline.verify.compare import DIMENSIONS


def page(groups: Iterable[Group], worst: Worst, title: str) -> str:
    """The page."""
    found = list(groups)
    if only_rules(found):
        return frame(title, _RULES_LEGEND + _rules_overview(found) + _each(found, worst))
    return frame(title, LEGEND + overview(found) + _each(found, worst))


def only_rules(groups: Sequence[Group]) -> bool:
    """Whether all there is are recorded turns, of which nothing is scored."""
    return bool(groups) and all(group.guarded == group.rows for group in groups)


_MARKS = (
    "In the texts, <mark class=wrong>what differs</mark> and <mark class=breaks>what breaks a "
    "rule</mark>; point at a mark to read what it cost and why."
)
LEGEND = (
    "<p>Each score is 0 to 1. <b>true</b> counts what is verified equal to what really came "
    "(times, process numbers and the like by pattern). <b>plausible</b> forgives other values of "
    "the same shape: the gap between the two is what sounds right and is not. Rows that nobody "
    "could have known from their context are <i>unknowable</i> and stand apart.</p>"
    "<p class=note><b>How a score comes about.</b> It is the mean of the five dimensions, but at "
    "most 0.2 + 0.8 × agreement. Agreement is how much of both texts is verified equal: twice the "
    "equal parts, by the parts of both. Say three lines really came and two of them were "
    "predicted: format, factuality, consistency and realism are 1, quality is 2 × 2 / (3 + 2) = "
    "0.8, and their mean is 0.96. Agreement is 0.8 too, so the score is 0.2 + 0.8 × 0.8 = 0.84. "
    f"Without that limit a text that says next to nothing would be worth much.</p><p>{_MARKS}</p>"
)
_RULES_LEGEND = (
    "<p>Only rules ran: these observations are what really came, so there is nothing to score. "
    "<b>impossible</b>: a rule says that such an observation cannot be. <b>odd</b>: anything less. "
    "<b>of the action</b>: blames the action, whatever came back. <mark class=breaks>What breaks a "
    "rule</mark> is marked; point at a mark to read which.</p>"
)


def overview(groups: Iterable[Group]) -> str:
    """The table by domain, dialect and dimension."""
    heads = ("domain, dialect", "rows", "scored", *DIMENSIONS, "true", "plausible")
    heads = (*heads, "true, knowable", "unknowable", "exact", "impossible")
    return table(heads, [_row(group) for group in groups])


def _name(group: Group) -> str:
    return group.domain if group.dialect == "*" else f"\u2003{group.dialect}"


def _row(group: Group) -> tuple[str, ...]:
    share = 1 - group.knowable / group.scored if group.scored else None
    return (
        _name(group),
        f"{group.rows:,}",
        f"{group.scored / group.rows:.1%}",
        *(_number(group.true.get(one)) for one in DIMENSIONS),
        _number(group.true.get("score")),
        _number(group.plausible.get("score")),
        _number(group.true_knowable.get("score")),
        "–" if share is None else f"{share:.1%}",
        _number(group.plain.get("exact")),
        f"{group.errors / group.rows:.1%}",
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _rules_overview(groups: Iterable[Group]) -> str:
    """Turns by domain and dialect, and how many of them break rules."""
    heads = ("domain, dialect", "turns", "impossible", "odd", "of the action")
    counts = [(one, (one.rows, one.errors, one.warnings, one.noted)) for one in groups]
    return table(heads, [(_name(one), *(f"{n:,}" for n in found)) for one, found in counts])


def _each(groups: Sequence[Group], worst: Worst) -> str:
    """Every domain: its charts and rules, and the rows that are worst."""
    body = ""
    for whole in (group for group in groups if group.dialect == "*"):
        mine = [g for g in groups if g.domain == whole.domain and g.dialect != "*"]
        body += f"<h2>{plain(whole.domain)}</h2>{_charts(whole, mine)}{rules(whole)}"
        if shown := "".join(sides(one) for one in worst.of(whole.domain)):
            recorded = whole.guarded == whole.rows
            body += f"<h3>{'Breaks most rules' if recorded else 'Farthest from the truth'}</h3>"
            body += shown
    return body


def rules(group: Group) -> str:
    """The rules that are broken, and how often; empty where none is."""
    lines = [
        (rule, f"{group.impossible.get(rule, 0):,}", f"{n - group.impossible.get(rule, 0):,}", "–")
        for rule, n in group.rules.items()
    ]
    lines += [(rule, "–", "–", f"{count:,}") for rule, count in group.notes.items()]
    return table(("rule, violations", "impossible", "odd", "of the action"), lines) if lines else ""


def _charts(whole: Group, dialects: list[Group]) -> str:
    charts = [
        ("true, by dialect", {g.dialect: g.true["score"] for g in dialects if g.true}, ".3f", 1),
        ("true, by dimension", {n: whole.true[n] for n in DIMENSIONS if whole.true}, ".3f", 1),
        ("why rows are unscored, rows", whole.reasons, ",", None),
    ]
    drawn = "".join(
        f"<figure><figcaption>{what}</figcaption>{bars(values, form, of=most)}</figure>"
        for what, values, form, most in charts
        if values
    )
    return f"<div class=charts>{drawn}</div>" if drawn else ""
