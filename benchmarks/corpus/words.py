"""The data card of the corpus."""

from pathlib import Path
from typing import Any

from worldline.corpus.stats import Stats


def card(manifest: dict[str, Any], found: Stats) -> str:
    """Markdown; its figures are those of the manifest and of the statistics."""
    text = Path(__file__).with_name("card.template.md").read_text("utf-8")
    rows = [
        f"| {name} | {one.trajectories:,} | {one.turns:,} | {one.distinct_actions:.1%} | "
        f"{one.near_duplicates:.1%} | {one.empty_observations:.1%} | {one.median_observation:,} | "
        f"{manifest['minutes'][name]:.1f} |"
        for name, one in found.domains.items()
    ]
    families = [
        f"- {name}: " + ", ".join(f"{family} {count}" for family, count in one.families.items())
        for name, one in found.domains.items()
    ]
    dialects = [
        f"- {name}: " + ", ".join(f"{dialect} {count:,}" for dialect, count in one.dialects.items())
        for name, one in found.domains.items()
    ]
    versions = [
        f"- {name}: "
        + ", ".join(f"{what} {' / '.join(found)}" for what, found in run["environment"].items())
        for name, run in manifest["runs"].items()
    ]
    places = {
        "made": manifest["made"][:10],
        "machine": manifest["machine"],
        "worldline": manifest["worldline"],
        "seed": str(manifest["recipe"]["seed"]),
        "counts": "\n".join(rows),
        "families": "\n".join(families),
        "dialects": "\n".join(dialects),
        "versions": "\n".join(versions),
        "redacted": ", ".join(
            f"{name} {sum((run['counts'].get('redacted') or {}).values()):,}"
            for name, run in manifest["runs"].items()
        ),
    }
    for name, value in places.items():
        text = text.replace("{{" + name + "}}", value)
    return text
