"""Record an MCP server of somebody's own: calls made from its schemas alone."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from worldline import manifests
from worldline.collect.episode import play
from worldline.collect.explorers.base import Family
from worldline.collect.explorers.mcp import McpExplorer
from worldline.collect.plan import plan
from worldline.collect.scrub import redact_trajectory
from worldline.collect.seeds import derived, stream
from worldline.environments.process import Environment
from worldline.errors import DataError
from worldline.jsonl import made_dir
from worldline.storage import COLLECTED, read_trajectories, write_trajectories
from worldline.trajectory import Trajectory

LIMIT_S = 30.0
SCHEMA = "worldline.own_recordings/1"


class OwnServer(McpExplorer):
    """An agent at a server that is not on the list: it tries the tools it is told of."""

    families: ClassVar[Mapping[str, Family]] = {"own": Family(1.0)}

    def __init__(self, family: str, rng: random.Random) -> None:
        super().__init__("samples", rng)
        self.family = family
        self.servers = ("own",)
        self.command: Sequence[str] = ()

    def options(self) -> dict[str, Any]:
        """The server's command, which runs on this machine as it is."""
        return {"command": list(self.command), "dialect": self.dialect}


def record(command: Sequence[str], folder: Path, episodes: int, seed: int) -> list[Trajectory]:
    """Sessions at a server, kept in a folder; those that are there already are read again.

    Raises:
        RealityError: the server cannot be started, or does not speak the protocol.
        UsageError: the folder has recordings of another server, or of it asked otherwise.
        DataError: the folder cannot be written.
    """
    path, note = folder / COLLECTED, folder / "manifest.json"
    asked = {"schema": SCHEMA, "command": list(command), "episodes": episodes, "seed": seed}
    if path.exists():
        made = manifests.read(note, SCHEMA, _whose(folder))
        for field, now in asked.items():
            remedy = "Give another folder (-o DIR), or what was given then."
            was = made.get(field)
            manifests.must_agree(
                note, field, was, now, made="the recordings here were made", remedy=remedy
            )
        return list(read_trajectories(path))
    made_dir(folder)
    policy = f"explorer:{__name__}:{OwnServer.__name__}"
    wanted = plan("mcp", seed=seed, policy=policy, limit_s=LIMIT_S)
    salt = f"{derived(seed, *command, 'salt'):x}"
    found: list[Trajectory] = []
    for number in range(episodes):
        agent = OwnServer("own", stream(wanted.episode_seed(number), "explorer"))
        agent.command = command
        with Environment("mcp", agent.options()) as environment:
            played = play(agent, environment, wanted, number)
            people = environment.kind.personal(environment.options)
        found.append(redact_trajectory(played, salt=salt, people=people)[0])
    manifests.write(note, asked)
    write_trajectories(path, found)
    return found


def _whose(folder: Path) -> DataError:
    return DataError(
        "holds recordings, and nothing says of which server",
        file=folder,
        remedy="Give another folder (-o DIR).",
    )
