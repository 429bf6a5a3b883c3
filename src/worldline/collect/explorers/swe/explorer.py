"""`SweExplorer`: works on repositories as coding agents do."""

import random
from collections.abc import Mapping
from typing import Any, ClassVar

from worldline.collect.explorers.base import Explorer, Family, Move
from worldline.collect.explorers.swe.desk import Desk
from worldline.collect.explorers.swe.editor import HANDS
from worldline.collect.explorers.swe.hands import Step
from worldline.collect.explorers.swe.moves import EPISODES
from worldline.environments.base import Opening
from worldline.environments.swe.mutants import mutants
from worldline.environments.swe.repos import repo, repos
from worldline.prediction import StepResult

MOST = 40
"""Moves of an episode."""
STYLES = ("cd", "cd", "relative", "absolute")
TOOLS = ("claude-code",) * 5 + ("aci",) * 3 + ("opencode", "pi")
"""Half of the episodes have a shell alone; of the others these shares."""
LIMIT_S = 30.0


class SweExplorer(Explorer):
    """One episode on one repository.

    The kind of an episode is the family's last word; families named ``held-*`` have repositories
    that no other family has.
    """

    domain = "swe"
    families: ClassVar[Mapping[str, Family]] = {
        "fix": Family(weight=4.0),
        "history": Family(weight=1.5),
        "survey": Family(weight=1.5),
        "function": Family(weight=1.5),
        "tests": Family(weight=1.0),
        "script": Family(weight=1.2),
        "rename": Family(weight=1.0),
        "held-fix": Family(weight=3.0, held_out=True),
        "held-survey": Family(weight=1.0, held_out=True),
    }

    def __init__(self, family: str, rng: random.Random) -> None:
        super().__init__(family, rng)
        self.kind = family.rpartition("-")[2]
        held = family.startswith("held-")
        self.dialect = "bash-returncode" if rng.random() < 0.5 else rng.choice(TOOLS)
        bugs = [one for one in mutants().values() if repo(one.repo).held_out == held]
        names = [one.name for one in repos().values() if one.held_out == held]
        self.bug = rng.choice(bugs) if self.kind in ("fix", "history") else None
        self.repo = repo(self.bug.repo if self.bug else rng.choice(names))
        self._moves: Step[None] | None = None
        self._made = 0

    def options(self) -> dict[str, Any]:
        """The repository, its bug and the dialect."""
        found: dict[str, Any] = {"dialect": self.dialect, "repo": self.repo.name}
        found["bug"] = self.bug.id if self.bug else "none"
        if self.kind == "history":
            found["history"] = True
        if self.dialect == "aci" and self.rng.random() < 0.2:
            found["state"] = True
        return found

    def begin(self, opening: Opening) -> None:
        """Sits down at the repository."""
        hands = HANDS[opening.dialect](self.repo.home, self.rng, self.rng.choice(STYLES))
        units = [one for one in self.repo.units if not self.bug or one.source == self.bug.file]
        unit = self.rng.choice(units or list(self.repo.units))
        self._moves = EPISODES[self.kind](Desk(hands, self.rng, self.repo, unit, self.bug))

    def act(self, last: StepResult | None) -> Move | None:
        """The next move of the episode."""
        assert self._moves is not None
        if self._made >= MOST or (last is not None and last.terminated):
            return None
        self._made += 1
        try:
            move = next(self._moves) if last is None else self._moves.send(last)
        except StopIteration:
            return None
        return move if move.limit_s else move._replace(limit_s=LIMIT_S)
