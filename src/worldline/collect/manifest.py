"""The manifest of a folder of trajectories: what decides them, and what they came to.

A run is continued by running it again; it is the same run only if its `Plan` and the version of
Worldline are the same. The number of episodes may grow.
"""

import platform
import shlex
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

import worldline
from worldline import jsonl, manifests
from worldline.collect.plan import Plan, explorer_of
from worldline.collect.store import Kept
from worldline.errors import DataError

MANIFEST = "manifest.json"
MANIFEST_SCHEMA = "worldline.manifest/1"
DECIDES = ("verb", "plan", "versions")
"""Parts of a manifest that must be the same when a run is continued."""


def manifest(plan: Plan, episodes: int) -> dict[str, Any]:
    """What decides the run, as JSON values, before the first episode."""
    explorer = explorer_of(plan.domain, plan.policy)
    return {
        "schema": MANIFEST_SCHEMA,
        "verb": "collect",
        "command": command(plan, episodes),
        "plan": jsonl.loads(jsonl.dumps(msgspec.to_builtins(plan.public()))),
        "run": plan.run,
        "explorer": None if explorer is None else explorer.__name__,
        "versions": {"worldline": worldline.__version__},
        "python": platform.python_version(),
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "episodes": episodes,
    }


def counted(values: dict[str, Any], done: dict[str, Kept], failed: int) -> dict[str, Any]:
    """The manifest with what the folder holds now."""
    all_of, kept = Counter[str], done.values()
    versions: dict[str, set[str]] = {}
    for name, version in {(n, str(v)) for one in kept for n, v in one.versions.items()}:
        versions.setdefault(name, set()).add(version)
    return {
        **values,
        "environment": {name: sorted(found) for name, found in sorted(versions.items())},
        "counts": {
            "episodes": len(done),
            "set_aside": failed,
            "turns": sum(one.turns for one in kept),
            "failed_steps": sum(len(one.failed_steps) for one in kept),
            "families": dict(sorted(all_of(one.family for one in kept).items())),
            "dialects": dict(sorted(all_of(one.dialect for one in kept).items())),
            "ends": dict(all_of(one.end for one in kept).most_common()),
            "statuses": _summed(one.statuses for one in kept),
            "redacted": _summed(one.redacted for one in kept),
        },
        "order": "as finished; sort by id",
    }


def settle(folder: Path, wanted: dict[str, Any], *, fresh: bool) -> None:
    """Write the manifest of a fresh folder, or make sure that it holds the same run.

    Raises:
        UsageError: it holds another run; names what differs.
        DataError: there are trajectories without a manifest, or it is broken.
    """
    path = folder / MANIFEST
    if not fresh or path.exists():
        old = manifests.read(path, MANIFEST_SCHEMA, _missing(folder))
        remedy = "Run it as it was run before, or give another folder."
        for key in DECIDES:
            was, now = old.get(key), wanted[key]
            manifests.must_agree(path, key, was, now, made="this folder was made", remedy=remedy)
        wanted = {**wanted, "started_at": old.get("started_at", wanted["started_at"])}
    write(folder, wanted)


def write(folder: Path, value: dict[str, Any]) -> None:
    """Put the manifest in its place, whole or not at all."""
    manifests.write(folder / MANIFEST, value)


def command(plan: Plan, episodes: int) -> str:
    """The command line that makes the same trajectories, in a folder ``DIR``."""
    flags = ["worldline", "collect", plan.domain, "--episodes", str(episodes)]
    flags += ["--seed", str(plan.seed), "--policy", plan.public().policy]
    flags += ["--families", ",".join(plan.families), "--limit-s", f"{plan.limit_s:g}"]
    flags += ["--held-out"] if plan.held_out else []
    return shlex.join([*flags, "--out", "DIR"])


def _summed(counts: Any) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total.most_common())


def _missing(folder: Path) -> DataError:
    return DataError(
        "holds trajectories, and there is no manifest beside them",
        file=folder,
        remedy="Give another folder; this one was not made by this command.",
    )
