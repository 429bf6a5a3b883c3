"""The statistics page of a corpus.

All text of trajectories is escaped: it comes from programs, servers and documents.
"""

import itertools
from collections.abc import Sequence

from worldline.corpus.near import THRESHOLD
from worldline.corpus.stats import EDGES, Domain, Sample, Stats
from worldline.pages import bars, frame, plain, table, text


def page(stats: Stats, title: str) -> str:
    """The page."""
    body = _overview(stats) + "".join(_section(name, one) for name, one in stats.domains.items())
    return frame(title, body)


_EXPLAINED = (
    "Distinct actions are turns whose action, its talk apart, no earlier turn of the domain had. "
    "Near-duplicates are turns whose action and observation, runtime metadata masked, are almost "
    f"those of an earlier turn of the domain: {THRESHOLD:.0%} or more of their runs of three words "
    "are the same, as estimated by MinHash."
)


def _overview(stats: Stats) -> str:
    heads = ("domain", "trajectories", "turns", "distinct actions", "near-duplicates", "no output")
    rows = [_row(name, [one]) for name, one in stats.domains.items()]
    if len(rows) > 1:
        rows.append(_row("all", list(stats.domains.values())))
    drawn = table((*heads, "characters"), rows)
    return f"<div class=wide>{drawn}</div><p class=note>{plain(_EXPLAINED)}</p>"


def _row(name: str, some: Sequence[Domain]) -> tuple[str, ...]:
    """Sums over domains; shares are of all their turns."""
    turns = sum(one.turns for one in some)

    def share(of: str) -> str:
        return f"{sum(getattr(one, of) * one.turns for one in some) / (turns or 1):.1%}"

    return (
        name,
        f"{sum(one.trajectories for one in some):,}",
        f"{turns:,}",
        share("distinct_actions"),
        share("near_duplicates"),
        share("empty_observations"),
        f"{sum(one.characters for one in some):,}",
    )


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
        f"<div class=turn><p>{where}</p><p class=what>action</p>"
        f"<pre class=action>{text(sample.action)}</pre><p class=what>observation</p>"
        f"<pre>{text(sample.observation)}</pre></div>"
    )
