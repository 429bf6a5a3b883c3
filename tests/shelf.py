"""A real environment for tests of tasks: a shelf of boxes; what is in one only opening it shows.

Installed as an installer would do it, by metadata in a folder on the path, so that the host's own
process finds it too. Actions are lines: ``look``, ``open BOX``, ``put BOX WORD``, ``fail CODE``,
``lose``, ``crash``, ``leave``, ``slow``.
"""

import os
import random
import sys
from pathlib import Path
from typing import Any

from worldline.environments.base import Driver, Kind, Observed, Opening
from worldline.errors import UsageError
from worldline.trajectory import SystemPrompt

WORDS = ("amber", "birch", "cobalt", "dune", "ember", "fjord", "grove", "heath")


class Shelf(Driver):
    def __init__(self, options: dict[str, Any]) -> None:
        unknown = set(options) - {"boxes", "greets"}
        if unknown:
            raise UsageError(f"there is no option {min(unknown)!r}", field="options")
        self.options = options
        self.boxes: dict[str, str] = {}

    def reset(self, seed: int) -> Opening:
        rng = random.Random(seed)
        names = [f"box-{rng.randrange(1000)}" for _ in range(self.options.get("boxes", 3))]
        self.boxes = {name: rng.choice(WORDS) for name in names}
        return Opening(
            domain="generic",
            dialect="text",
            system=SystemPrompt(task_description="A shelf of boxes."),
            observation="You see a shelf." if self.options.get("greets") else None,
        )

    def step(self, action: str, limit_s: float) -> Observed:
        name, *rest = action.split(" ", 2)
        if name == "crash":
            os._exit(3)
        if name == "lose":
            return Observed(observation=None, status="capture_failed", reason="it went dark")
        if name == "leave":
            return Observed(observation="Bye.", terminated=True)
        if name == "slow":
            return Observed(observation="half of", status="timeout")
        if name == "fail":
            return Observed(observation="", info={"exit_code": int(rest[0])})
        if name == "look":
            return Observed(observation="\n".join(sorted(self.boxes)) + "\n")
        if name == "open" and len(rest) == 1:
            return Observed(observation=self.boxes.get(rest[0], "There is no such box."))
        if name == "put" and len(rest) == 2:
            self.boxes[rest[0]] = rest[1]
            return Observed(observation="Done.")
        return Observed(observation=f"What is {action!r}?")

    def snapshot(self) -> dict[str, Any]:
        text = "\n".join(f"{name}: {word}" for name, word in sorted(self.boxes.items()))
        return {
            "schema": "worldline.snapshot/1",
            "domain": "generic",
            "dialect": "text",
            "text": text,
            "tokens": len(text) // 3,
            "taken_at": "2026-01-01T00:00:00Z",
        }

    def close(self) -> None:
        self.boxes = {}


def _prepare(options: dict[str, Any], tell: object) -> None:
    if options.get("boxes") == 0:
        raise UsageError("an empty shelf cannot be had", remedy="Ask for a box.")


KIND = Kind(name="shelf", driver="shelf:Shelf", needs=lambda: (), prepare=_prepare)


def install(folder: Path, monkeypatch: Any) -> None:
    """Make ``environment("shelf")`` known to this process and to those it starts."""
    from worldline.environments import registry

    info = folder / "shelf-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[worldline.environments]\nshelf = shelf:KIND\n")
    here = str(Path(__file__).parent)
    old = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(folder), here, *([old] if old else [])])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setattr(sys, "path", [str(folder), here, *sys.path])
    registry.kinds.cache_clear()
    registry.kind.cache_clear()
