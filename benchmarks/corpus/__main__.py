"""Make the training corpus: ``python -m benchmarks.corpus [FOLDER] [DOMAIN ...]`` (make corpus).

Killed or stopped, the same command goes on where it was. With domains it only collects these.
"""

import hashlib
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.corpus.prints import Print, fingerprint
from benchmarks.corpus.recipe import HERE, Part, Recipe, recipe
from benchmarks.corpus.words import card
from worldline import __version__, jsonl
from worldline.cli.collect import cores
from worldline.cli.common import progress
from worldline.collect.plan import plan
from worldline.collect.run import ready
from worldline.corpus.page import page
from worldline.corpus.stats import Stats, stats
from worldline.storage import file_of, read_trajectories
from worldline.trajectory import Trajectory

FOLDER = Path("runs/corpus")


def main() -> int:
    """Collect, count, and keep what came out."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    wanted, only = recipe(), sys.argv[2:]
    parts = [part for part in wanted.parts if not only or part.domain in only]
    for part in parts:
        _prepare(part, wanted.seed)
    minutes = {part.domain: _collect(part, wanted.seed, folder) for part in parts}
    if only:
        return 0
    prints: list[Print] = []
    total = sum(part.episodes for part in wanted.parts)
    with progress("count", total, "episodes") as bar:
        found = stats(_counted(wanted, folder, prints), bar.advance)
    _keep(wanted, folder, found, prints, minutes)
    for name, one in found.domains.items():
        print(f"{name}: {one.trajectories:,} episodes, {one.turns:,} turns, {minutes[name]} min")
    short = [part for part in wanted.parts if found.domains[part.domain].turns < part.turns]
    for part in short:
        print(f"{part.domain}: fewer than {part.turns:,} turns; raise `episodes` in recipe.toml")
    return 1 if short else 0


def _prepare(part: Part, seed: int) -> None:
    """Downloads and builds, before the clock runs."""
    wanted = plan(part.domain, seed=seed, policy="explorer", named=[], held_out=False, limit_s=30)
    ready(wanted, lambda said: print(said, file=sys.stderr, flush=True))


def _collect(part: Part, seed: int, folder: Path) -> float:
    """Collect one domain; minutes it took in all, earlier runs of this folder included."""
    out = folder / part.domain
    clock = out / "minutes.json"
    before = jsonl.loads(clock.read_bytes())["minutes"] if clock.exists() else 0.0
    start = time.monotonic()
    command = [sys.executable, "-m", "worldline", "collect", part.domain, "--out", str(out)]
    command += ["--episodes", str(part.episodes), "--seed", str(seed)]
    try:
        subprocess.run(command, check=True)
    finally:
        took = round(before + (time.monotonic() - start) / 60, 2)
        if out.exists():
            jsonl.write(clock, [{"minutes": took}])
    return took


def _counted(wanted: Recipe, folder: Path, prints: list[Print]) -> Iterator[Trajectory]:
    for part in wanted.parts:
        for one in read_trajectories(file_of(folder / part.domain)):
            prints.append(fingerprint(one))
            yield one


def _keep(
    wanted: Recipe, folder: Path, found: Stats, prints: list[Print], minutes: dict[str, float]
) -> None:
    ordered = sorted(prints, key=lambda one: one.id)
    jsonl.write(HERE / "episodes.jsonl.gz", (msgspec.to_builtins(one) for one in ordered))
    jsonl.write(HERE / "stats.json", [msgspec.to_builtins(found)])
    (HERE / "page.html").write_text(page(found, "Worldline: the training corpus"), "utf-8")
    manifest = _manifest(wanted, folder, found, prints, minutes)
    jsonl.write(HERE / "manifest.json", [manifest])
    (HERE / "card.md").write_text(card(manifest, found), "utf-8")
    for name in ("card.md", "page.html", "stats.json", "manifest.json"):
        shutil.copy(HERE / name, folder / name)


def _manifest(
    wanted: Recipe, folder: Path, found: Stats, prints: list[Print], minutes: dict[str, float]
) -> dict[str, Any]:
    runs = {
        part.domain: jsonl.loads((folder / part.domain / "manifest.json").read_bytes())
        for part in wanted.parts
    }
    return {
        "schema": "worldline.corpus/1",
        "worldline": __version__,
        "command": "make corpus",
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.machine()}, {cores()} cores",
        "recipe": {"seed": wanted.seed, "parts": [part._asdict() for part in wanted.parts]},
        "minutes": minutes,
        "turns": {name: one.turns for name, one in found.domains.items()},
        "known": {
            name: {
                key: sum(getattr(one, key) for one in prints if one.domain == name)
                for key in ("turns", "known", "wrong", "protocol", "refused")
            }
            for name in found.domains
        },
        "characters": {
            name: {
                key: sum(getattr(one, key) for one in prints if one.domain == name)
                for key in ("characters", "masked")
            }
            for name in found.domains
        },
        "runs": runs,
        "sha256": {
            name: hashlib.sha256((HERE / name).read_bytes()).hexdigest()
            for name in ("episodes.jsonl.gz", "stats.json", "page.html")
        },
    }


if __name__ == "__main__":
    sys.exit(main())
