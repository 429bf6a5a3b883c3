"""The statistics page of a corpus.

All text of trajectories is escaped: it comes from programs, servers and documents.
"""

import itertools

from worldline.corpus.stats import EDGES, Domain, Sample, Stats
from worldline.pages import bars, frame, plain, table, text


def page(stats: Stats, title: str) -> str:
    """The page."""
    body = _overview(stats) + "".join(_section(name, one) for name, one in stats.domains.items())
    return frame(title, body)


def _overview(stats: Stats) -> str:
    heads = ("domain", "trajectories", "turns", "distinct actions", "near-duplicates", "no output")
    rows = [
        (
            name,
            f"{one.trajectories:,}",
            f"{one.turns:,}",
            f"{one.distinct_actions:.1%}",
            f"{one.near_duplicates:.1%}",
            f"{one.empty_observations:.1%}",
            f"{one.characters:,}",
        )
        for name, one in stats.domains.items()
    ]
    return table((*heads, "characters"), rows)


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
        f"<figure><figcaption>{what}</figcaption>{bars(counts)}</figure>"
        for what, counts in charts
        if counts
    )
    shown = "".join(_shown(sample) for sample in one.samples)
    return (
        f"<h2>{plain(name)}</h2><div class=charts>{drawn}</div>"
        f"<h3>Turns drawn at random</h3>{shown}"
    )


def _lengths(one: Domain) -> dict[str, int]:
    names = [
        "none" if low == 0 else f"{low:,} to {high - 1:,}"
        for low, high in itertools.pairwise(EDGES)
    ]
    return dict(zip([*names, f"{EDGES[-1]:,} and more"], one.lengths, strict=True))


def _shown(sample: Sample) -> str:
    where = f"{plain(sample.trajectory)}, turn {sample.turn}"
    return (
        f"<div class=turn><p>{where}</p><pre class=action>{text(sample.action)}</pre>"
        f"<pre>{text(sample.observation)}</pre></div>"
    )
