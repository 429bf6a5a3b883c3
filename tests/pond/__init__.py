"""A tiny real environment for tests: names and values, each a file in a folder of its own."""

import os
import random
import subprocess
import tempfile
import time
from pathlib import Path
from shutil import rmtree
from typing import Any, ClassVar

from worldline.collect.explorers import Explorer, Family, Move
from worldline.environments import Driver, Kind, Need, Observed, Opening
from worldline.errors import UsageError
from worldline.trajectory import SystemPrompt

TOOLS = ({"name": "pond", "description": "put NAME VALUE | get NAME | list"},)


def home() -> Path:
    """Where sessions live and what a test wants remembered between processes."""
    return Path(os.environ["POND"])


class PondDriver(Driver):
    def __init__(self, options: dict[str, Any]) -> None:
        if extra := set(options) - {"stock", "leaky"}:
            raise UsageError(f"unknown option {extra}")
        self.stock = options.get("stock", 0)
        self.leaky = options.get("leaky", False)
        self.folder: Path | None = None

    def reset(self, seed: int) -> Opening:
        if self.leaky:
            self.leak()
        else:
            self.close()
        if (home() / "dry").exists():
            raise UsageError("the pond is dry")
        self.folder = self.folder or Path(tempfile.mkdtemp(prefix="session-", dir=home()))
        for number in range(self.stock):
            (self.folder / f"fish{number}").write_text(str(seed % (number + 7)))
        return Opening(
            domain="generic",
            dialect="text",
            system=SystemPrompt(task_description="A pond.", action_space="put, get, list"),
            tools=TOOLS,
            observation=f"{self.stock} fish",
            meta={"versions": {"pond": "1.0"}},
        )

    def leak(self) -> None:
        """Everything a driver must not do."""
        tempfile.mkdtemp()
        subprocess.Popen(["sleep", "60"], start_new_session=True, stdout=subprocess.DEVNULL)

    def step(self, action: str, limit_s: float) -> Observed:
        assert self.folder is not None
        verb, *rest = action.split(" ")
        if verb == "put":
            (self.folder / rest[0]).write_text(" ".join(rest[1:]))
            return Observed(observation=f"put {rest[0]} in {time.monotonic_ns()} ns")
        if verb == "get":
            path = self.folder / rest[0]
            return Observed(observation=path.read_text() if path.exists() else "no such fish")
        if verb == "list":
            names = sorted(path.name for path in self.folder.iterdir())
            return Observed(
                observation=" ".join([*names, str(time.time())] if self.leaky else names)
            )
        return self.trouble(verb, rest)

    def trouble(self, verb: str, rest: list[str]) -> Observed:
        if verb == "wait":
            time.sleep(float(rest[0]))
            return Observed(observation="waited", status="timeout")
        if verb == "fog":
            return Observed(observation=None, status="capture_failed", reason="nothing to be seen")
        if verb == "drain":
            return Observed(observation="the pond is gone", terminated=True)
        if verb == "freeze":
            raise RuntimeError("the pond froze")
        if verb == "break" or (verb == "once" and fell(rest[0])):
            os._exit(3)
        return Observed(observation=f"what is {verb}?")

    def snapshot(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        if self.folder is not None:
            rmtree(self.folder)
        self.folder = None


def fell(name: str) -> bool:
    """Whether this is the first time."""
    try:
        (home() / f"fell-{name}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


class PondExplorer(Explorer):
    domain: ClassVar[str] = "pond"
    families: ClassVar[dict[str, Family]] = {
        "calm": Family(3.0),
        "slow": Family(1e-12),
        "foggy": Family(1e-12),
        "frail": Family(1e-12),
        "stumble": Family(1e-12),
        "bug": Family(1e-12),
        "kept": Family(1.0, held_out=True),
    }

    def __init__(self, family: str, rng: random.Random) -> None:
        super().__init__(family, rng)
        self.left = rng.randint(4, 9)
        self.seen: list[str] = []

    def options(self) -> dict[str, Any]:
        return {"stock": self.rng.randint(1, 4)}

    def begin(self, opening: Opening) -> None:
        self.seen = [f"fish{n}" for n in range(int((opening.observation or "0").split()[0]))]

    def act(self, last) -> Move | None:
        self.left -= 1
        if self.left == 1 and self.family != "calm":
            return self.last_straw()
        if self.left <= 0:
            return None
        if self.family == "slow":
            return Move("wait 0.05", "wait")
        if self.rng.random() < 0.4:
            name = f"frog{self.rng.randint(0, 999)}"
            self.seen.append(name)
            return Move(f"put {name} {self.rng.random()}", "create", 5.0)
        return Move(self.rng.choice(["list", f"get {self.rng.choice(self.seen)}"]), "look")

    def last_straw(self) -> Move:
        if self.family == "bug":
            raise IndexError("no such frog")
        verbs = {"foggy": "fog", "frail": "break", "stumble": f"once {self.seen[-1]}"}
        return Move(verbs.get(self.family, "list"), "trouble")


class LeakyExplorer(PondExplorer):
    """Asks for a pond that does everything wrong."""

    def options(self) -> dict[str, Any]:
        return {**super().options(), "leaky": True}


class NoPond(PondExplorer):
    """Its episodes end before they begin."""

    def act(self, last) -> Move | None:
        return None


KIND = Kind(
    name="pond",
    driver="pond:PondDriver",
    needs=lambda: (Need("water", lambda: os.environ.get("POND"), "let it rain"),),
    prepare=lambda options, tell: None,
)
