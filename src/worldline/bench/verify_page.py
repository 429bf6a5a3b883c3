"""The page of verified predictions: dimensions by domain and dialect, rules, and the worst rows.

Each row that is shown has the truth and the prediction beside each other: what differs and what
breaks a rule is marked.
"""

import heapq
from collections.abc import Iterable

from worldline.bench.tally import Group
from worldline.bench.verified import Sides
from worldline.pages import bars, frame, marked, plain, table, text
from worldline.verify.compare import DIMENSIONS

EACH = 8
"""Rows of a domain that are shown."""
CHARACTERS = 6_000
"""Of each text of a row, at most."""


class Worst:
    """Keeps the rows of each domain that are farthest from the truth (or break most)."""

    def __init__(self, each: int = EACH) -> None:
        self._each = each
        self._kept: dict[str, list[tuple[float, int, Sides]]] = {}
        self._count = 0

    def add(self, sides: Sides) -> None:
        """Look at one more row."""
        row = sides.row
        if row.status == "unscored" or (row.status == "guarded" and not row.violations):
            return
        self._count += 1
        wrong = 1 - row.true.get("score", 1.0) + 0.01 * len(row.violations)
        kept = self._kept.setdefault(row.domain, [])
        item = (wrong, -self._count, sides)
        if len(kept) < self._each:
            heapq.heappush(kept, item)
        else:
            heapq.heappushpop(kept, item)

    def of(self, domain: str) -> list[Sides]:
        """The domain's worst, the worst first."""
        return [sides for _, _, sides in sorted(self._kept.get(domain, []), reverse=True)]


def page(groups: Iterable[Group], worst: Worst, title: str) -> str:
    """The page."""
    found = list(groups)
    body = overview(found)
    for whole in (group for group in found if group.dialect == "*"):
        mine = [g for g in found if g.domain == whole.domain and g.dialect != "*"]
        body += f"<h2>{plain(whole.domain)}</h2>{_charts(whole, mine)}"
        shown = "".join(sides(one) for one in worst.of(whole.domain))
        body += f"<h3>Farthest from the truth</h3>{shown}" if shown else ""
    return frame(title, _LEGEND + body)


_LEGEND = (
    "<p>Each score is 0 to 1. <b>true</b>: verified equal to what really came (times, process "
    "numbers and the like by pattern). <b>plausible</b>: form only. Rows that nobody could have "
    "known from their context are <i>unknowable</i> and stand apart. In the texts, "
    "<mark class=wrong>what differs</mark> and <mark class=breaks>what breaks a rule</mark>.</p>"
)


def overview(groups: Iterable[Group]) -> str:
    """The table by domain, dialect and dimension."""
    heads = ("domain, dialect", "rows", "scored", *DIMENSIONS, "true", "plausible")
    heads = (*heads, "true, knowable", "unknowable", "exact", "impossible")
    return table(heads, [_row(group) for group in groups])


def _row(group: Group) -> tuple[str, ...]:
    name = group.domain if group.dialect == "*" else f"\u2003{group.dialect}"
    share = 1 - group.knowable / group.scored if group.scored else None
    return (
        name,
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


def _charts(whole: Group, dialects: list[Group]) -> str:
    charts = [
        ("true, by dialect", {g.dialect: g.true["score"] for g in dialects if g.true}, ".3f", 1),
        ("true, by dimension", {n: whole.true[n] for n in DIMENSIONS if whole.true}, ".3f", 1),
        ("rules that rows break, violations", whole.rules, ",", None),
        ("why rows are unscored, rows", whole.reasons, ",", None),
    ]
    drawn = "".join(
        f"<figure><figcaption>{what}</figcaption>{bars(values, form, of=most)}</figure>"
        for what, values, form, most in charts
        if values
    )
    return f"<div class=charts>{drawn}</div>"


def sides(one: Sides) -> str:
    """One row: the action, the truth and the prediction beside each other, what breaks rules."""
    row = one.row
    wrong = [tuple(d["given"]) for d in row.differences if d["given"]]
    true = [tuple(d["truth"]) for d in row.differences if d["truth"]]
    breaks = [v.span for v in row.violations if v.span]
    score = f", true {row.true['score']:.3f}" if row.true else ""
    note = ", unknowable" if row.unknowable else ""
    said = "".join(
        f"<li>{plain(v.severity)}: {plain(v.rule)}: {plain(v.message)}</li>" for v in row.violations
    )
    given = _clipped(one.given)
    shown = marked(given, breaks, "breaks") if breaks else marked(given, wrong, "wrong")
    return (
        f"<div class=turn><p>{plain(row.id)}, turn {row.turn}, {plain(row.dialect)}{score}{note}"
        f"</p><pre class=action>{text(_clipped(one.action))}</pre><div class=sides>"
        f"<div><p>really came</p><pre>{marked(_clipped(one.truth), true, 'wrong')}</pre></div>"
        f"<div><p>{plain(row.model)}</p><pre>{shown}</pre></div></div>"
        f"<ul class=said>{said}</ul></div>"
    )


def _clipped(text: str) -> str:
    if len(text) <= CHARACTERS:
        return text
    return text[:CHARACTERS] + f"\n… {len(text) - CHARACTERS:,} characters more"
