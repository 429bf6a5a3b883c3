"""What a session starts from: its head, put together from what the user gave."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from worldline.domains import domain as find_domain
from worldline.errors import UsageError
from worldline.facts import Fact
from worldline.grounding import Ground
from worldline.scenarios.snapshot import Snapshot, read_snapshot
from worldline.scenarios.terminal import take
from worldline.session import Head
from worldline.trajectory import SystemPrompt, Trajectory

SHELLS = ("terminal", "swe")
"""Domains that can start from a snapshot of a folder."""


def begin(
    domain: str,
    *,
    dialect: str | None,
    system: SystemPrompt | None,
    tools: Sequence[dict[str, Any]] | None,
    task: str | None,
    snapshot: str | Path | Snapshot | None,
    facts: Sequence[Fact],
    ground: Ground,
    seed: int | None,
) -> Head:
    """The head of a new session; arguments as in `worldline.World.open`."""
    found = find_domain(domain)
    system = system or SystemPrompt()
    if snapshot is None and system.initial_state is None and not facts:
        start = found.fresh(dialect)
        system = msgspec.structs.replace(system, initial_state=start.text)
        facts = start.facts if ground.snapshot else ()
    if snapshot is not None:
        shot = _of_domain(snapshot, domain)
        dialect = dialect or (shot.dialect if shot.domain == domain else None)
        system = msgspec.structs.replace(system, initial_state=shot.text)
        if ground.snapshot:
            facts = (*shot.facts, *facts)
    dialect = dialect or found.default_dialect
    found.dialect(dialect)
    if task:
        parts = [system.task_description] if system.task_description else []
        told = "\n".join([*parts, f"The agent's task: {task}"])
        system = msgspec.structs.replace(system, task_description=told)
    identity = secrets.token_hex(8)
    trajectory = Trajectory(
        id=identity,
        domain=domain,
        dialect=dialect,
        system=system,
        tools=None if tools is None else tuple(tools),
        task=task,
    )
    return Head(
        id=identity,
        trajectory=trajectory,
        facts=tuple(facts),
        seed=secrets.randbits(31) if seed is None else seed,
        ground=ground.parts,
    )


def _of_domain(snapshot: str | Path | Snapshot, domain: str) -> Snapshot:
    if isinstance(snapshot, Snapshot):
        shot = snapshot
    elif domain in SHELLS and Path(snapshot).is_dir():
        shot = take(snapshot)
    else:
        shot = read_snapshot(snapshot)
    if shot.domain != domain and {shot.domain, domain} != set(SHELLS):
        raise UsageError(
            f"is a snapshot of the domain {shot.domain!r}, not {domain!r}",
            file=None if isinstance(snapshot, Snapshot) else snapshot,
            remedy=f"Use it with: worldline sim {shot.domain} --snapshot FILE",
        )
    return shot
