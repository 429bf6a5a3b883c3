"""Tasks: what an agent is asked to do, and how success is decided, the same in both worlds.

After the agent stops, the probes run (in a fork of a simulated world; in the real environment
itself) and all their checks must hold. See docs/tasks.md.
"""

from typing import Any, Literal

import msgspec

TASK_SCHEMA = "worldline.task/1"

Op = Literal["equals", "contains", "absent", "regex", "jsonpath", "exit", "tree", "range"]
Of = Literal["observation", "state", "answer"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One condition. `of` says on what: a probe's observation, the state, or the answer (the
    agent's last message). Shapes of `arg` by `op`: docs/tasks.md."""

    op: Op
    arg: Any = None
    of: Of = "observation"
    weight: float = 1.0


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """An action taken after the agent stopped, and what must hold of its observation.

    `action` is `None` where only the answer is checked.
    """

    action: str | None = None
    checks: tuple[Check, ...] = ()


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The environment a task happens in: an environment's name and its options."""

    name: str
    options: dict[str, Any] = {}


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A task.

    Args:
        kind: ``effect`` changes the environment, ``answer`` ends in a message.
        seed: of the environment's reset; with `environment` it decides all hidden content.
        reference: actions that solve it. One may hold ``{{N:PATTERN}}``: the first group (or all)
            of the RE2 pattern's first match in the observation of turn N (1-based; 0 is the first
            observation). Of an ``answer`` task the last one is the answer, no action.
        unseen: success depends on content the agent is not told, so that a blind agent fails.
        family: tasks made alike; a family belongs to one split.
    """

    id: str
    kind: Literal["effect", "answer"]
    domain: str
    dialect: str
    instruction: str
    environment: Place
    seed: int
    snapshot: str | None = None
    probes: tuple[Probe, ...] = ()
    reference: tuple[str, ...] = ()
    split: Literal["train", "dev", "test"] = "train"
    family: str = ""
    difficulty: Literal["easy", "medium", "hard"] = "easy"
    unseen: bool = False
    schema: str = TASK_SCHEMA
