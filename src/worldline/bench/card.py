"""The data card of a benchmark: what it holds, where it is from, what it cannot tell."""

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from worldline.bench.suite import Evaluated


def card(manifest: dict[str, Any], every: Sequence[Evaluated]) -> str:
    """Markdown. Its figures are counted from the trajectories themselves."""
    text = resources.files("worldline.bench").joinpath("card.md").read_text("utf-8")
    rows = [_row(domain, every) for domain in manifest["rows"]]
    places = {
        "version": manifest["version"],
        "seed": str(manifest["choice"]["seed"]),
        "trajectories": f"{len(every):,}",
        "rows": f"{sum(manifest['rows'].values()):,}",
        "counts": "\n".join(rows),
        "families": "\n".join(_listed(every, "family")),
        "licences": "\n".join(_listed(every, "licence")),
        "versions": "\n".join(_versions(every)),
    }
    for name, value in places.items():
        text = text.replace("{{" + name + "}}", value)
    return text


def _row(domain: str, every: Iterable[Evaluated]) -> str:
    mine = [item for item in every if item.trajectory.domain == domain]
    turns = sum(len(item.trajectory.turns) for item in mine)
    rows = sum(len(item.turns) for item in mine)
    dialects = Counter(item.trajectory.dialect for item in mine)
    named = ", ".join(f"{name} {count}" for name, count in sorted(dialects.items()))
    return f"| {domain} | {len(mine):,} | {turns:,} | {rows:,} | {named} |"


def _listed(every: Iterable[Evaluated], what: str) -> list[str]:
    counts: dict[str, Counter[str]] = {}
    for item in every:
        one = item.trajectory
        value = one.source.licence if what == "licence" else str(one.meta.get("family", "none"))
        counts.setdefault(one.domain, Counter())[value] += 1
    return [
        f"- {domain}: " + ", ".join(f"{name} ({count})" for name, count in sorted(found.items()))
        for domain, found in sorted(counts.items())
    ]


def _versions(every: Iterable[Evaluated]) -> list[str]:
    found: dict[str, set[str]] = {}
    for item in every:
        versions = item.trajectory.meta.get("versions")
        if isinstance(versions, dict):
            for name, version in versions.items():
                found.setdefault(item.trajectory.domain, set()).add(f"{name} {version}")
    return [f"- {domain}: {', '.join(sorted(names))}" for domain, names in sorted(found.items())]
