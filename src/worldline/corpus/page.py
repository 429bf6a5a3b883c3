"""The statistics page of a corpus: one HTML file that needs nothing else.

All text of trajectories is escaped: it comes from programs, servers and documents.
"""

import itertools
from collections.abc import Mapping
from html import escape
from importlib import resources

from worldline.corpus.stats import EDGES, Domain, Sample, Stats
from worldline.visible import visible

SHOWN = 12
"""Names of a chart; the rest are summed."""


def page(stats: Stats, title: str) -> str:
    """The page."""
    here = resources.files("worldline.corpus")
    frame = here.joinpath("page.html").read_text("utf-8")
    body = _overview(stats) + "".join(_section(name, one) for name, one in stats.domains.items())
    return frame.replace("{{title}}", _plain(title)).replace("{{body}}", body)


def _overview(stats: Stats) -> str:
    heads = ("domain", "trajectories", "turns", "distinct actions", "near-duplicates", "no output")
    heads = (*heads, "characters")
    rows = [
        f"<tr><th scope=row>{_plain(name)}</th><td>{one.trajectories:,}</td><td>{one.turns:,}</td>"
        f"<td>{one.distinct_actions:.1%}</td><td>{one.near_duplicates:.1%}</td>"
        f"<td>{one.empty_observations:.1%}</td><td>{one.characters:,}</td></tr>"
        for name, one in stats.domains.items()
    ]
    head = "".join(f"<th scope=col>{head}</th>" for head in heads)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _section(name: str, one: Domain) -> str:
    charts = (
        ("observation length, characters", _lengths(one)),
        ("families, trajectories", one.families),
        ("dialects, turns", one.dialects),
        ("how steps ended, turns", one.statuses),
        ("exit codes, turns", one.exit_codes),
        ("what actions were for, turns", one.intents),
        ("licences, trajectories", one.licences),
    )
    drawn = "".join(
        f"<figure><figcaption>{what}</figcaption>{_bars(counts)}</figure>"
        for what, counts in charts
        if counts
    )
    shown = "".join(_shown(sample) for sample in one.samples)
    return (
        f"<h2>{_plain(name)}</h2><div class=charts>{drawn}</div>"
        f"<h3>Turns drawn at random</h3>{shown}"
    )


def _lengths(one: Domain) -> dict[str, int]:
    names = [
        "none" if low == 0 else f"{low:,} to {high - 1:,}"
        for low, high in itertools.pairwise(EDGES)
    ]
    return dict(zip([*names, f"{EDGES[-1]:,} and more"], one.lengths, strict=True))


def _bars(counts: Mapping[str, int]) -> str:
    items = list(counts.items())
    if len(items) > SHOWN:
        rest = items[SHOWN - 1 :]
        items = [*items[: SHOWN - 1], (f"{len(rest)} more", sum(count for _, count in rest))]
    most = max((count for _, count in items), default=0) or 1
    return f"<table class=bars>{''.join(_bar(name, count, most) for name, count in items)}</table>"


def _bar(name: str, count: int, most: int) -> str:
    width = round(160 * count / most, 1)
    return (
        f"<tr><th scope=row>{_plain(name)}</th><td><svg width=160 height=12 role=img "
        f"aria-label='{count}'><rect width={width} height=12 /></svg></td><td>{count:,}</td></tr>"
    )


def _shown(sample: Sample) -> str:
    where = f"{_plain(sample.trajectory)}, turn {sample.turn}"
    return (
        f"<div class=turn><p>{where}</p><pre class=action>{_text(sample.action)}</pre>"
        f"<pre>{_text(sample.observation)}</pre></div>"
    )


def _text(text: str) -> str:
    return "\n".join(_plain(line) for line in text.split("\n"))


def _plain(text: str) -> str:
    return escape(visible(text))
