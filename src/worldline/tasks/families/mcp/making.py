"""What the families of MCP tasks share: calls, checks that hold in both dialects, seeds."""

import json
import random
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from worldline.environments.mcp.fixtures import make
from worldline.environments.mcp.fixtures.words import Words
from worldline.tasks.task import Check, Place, Probe, Task

Dialect = Literal["json", "call-tool-result"]
DIALECTS: tuple[Dialect, ...] = ("json", "call-tool-result")
HOME = "/home/user"
BREAK = r"[\\n\s]*"
"""Line ends and blanks between two parts of a JSON text, printed as they are or escaped."""
LINE = r"[^\\\n]"
"""A character of a line, in a text that is printed as it is or escaped."""


class Seeded(NamedTuple):
    """What a draft is made from: the environment's seed, words of its own, the dialect."""

    seed: int
    words: Words
    dialect: Dialect

    @property
    def rng(self) -> random.Random:
        """The dice of the words."""
        return self.words.rng

    def truth(self, fixture: str) -> dict[str, Any]:
        """What a fixture drew for this seed."""
        return make(fixture, self.seed).truth[fixture]


class Draft(NamedTuple):
    """A task before it is written.

    Args:
        instruction: what the agent is told.
        steps: actions of the reference; of an answer task the last is the answer.
        probes: of an effect task.
        answer: what the answer must be.
    """

    instruction: str
    steps: tuple[str, ...]
    probes: tuple[Probe, ...] = ()
    answer: str | None = None


class Family(NamedTuple):
    """Tasks made alike.

    Args:
        make: a draft; `None`: this seed will not do.
        servers: of the environment's list.
    """

    name: str
    make: Callable[[Seeded], Draft | None]
    servers: tuple[str, ...]
    split: Literal["train", "dev", "test"]
    difficulty: Literal["easy", "medium", "hard"]
    unseen: bool = True
    size: int = 3


def made(family: Family) -> Iterator[Task]:
    """The family's tasks, in both dialects by turns. Seeds are not those of another family, so
    that no content of one split is seen in another."""
    seed = zlib.crc32(family.name.encode()) % 10_000 * 100
    number = 0
    while number < family.size:
        seed += 1
        dialect = DIALECTS[number % 2]
        words = Words(random.Random(f"{family.name}/{seed}"))
        draft = family.make(Seeded(seed, words, dialect))
        if draft is not None:
            number += 1
            yield _task(family, draft, f"mcp/{family.name}-{number}", seed, dialect)


def _task(family: Family, draft: Draft, name: str, seed: int, dialect: Dialect) -> Task:
    first, *more = family.servers
    server = [first, *more] if more else first
    return Task(
        id=name,
        kind="effect" if draft.answer is None else "answer",
        domain="mcp",
        dialect=dialect,
        instruction=draft.instruction,
        environment=Place(name="mcp", options={"server": server, "dialect": dialect}),
        seed=seed,
        probes=draft.probes if draft.answer is None else (answered(draft.answer),),
        reference=draft.steps,
        split=family.split,
        family=f"mcp/{family.name}",
        difficulty=family.difficulty,
        unseen=family.unseen,
    )


# actions


def call(name: str, **arguments: Any) -> str:
    """A call as an action."""
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def seen(turn: int, pattern: str) -> str:
    """What an observation showed, as a template."""
    return f"{{{{{turn}:{pattern}}}}}"


# checks


def answered(value: str) -> Probe:
    """The answer is the value and nothing else, but for marks around it."""
    pattern = rf"^\W*{re.escape(value)}\W*$"
    return Probe(
        checks=(Check(op="regex", arg={"value": pattern, "ignore_case": True}, of="answer"),)
    )


def holds(action: str, *texts: str, lacks: str | None = None) -> Probe:
    """The observation has these texts, each of one line and without quotes of both sorts."""
    checks = [Check(op="contains", arg=text) for text in texts]
    checks += [Check(op="absent", arg=lacks)] if lacks else []
    return Probe(action=action, checks=tuple(checks))


def reads(dialect: Dialect, action: str, text: str) -> Probe:
    """The observation is this text, blanks and line ends around it aside."""
    pattern = re.escape(text.strip())
    if dialect == "call-tool-result":
        printed = re.escape(repr(text.strip())[1:-1])
        pattern = rf"text=['\"](?:\\n|\s)*{printed}(?:\\n|\s)*['\"], annotations"
    else:
        pattern = rf"^\s*{pattern}\s*$"
    return Probe(action=action, checks=(Check(op="regex", arg=pattern),))


def finds(action: str, *paths: tuple[str, Any, int]) -> Probe:
    """The observation's JSON: (path, value, how many nodes the path finds). One of them is the
    value; `None` asks for the number alone."""
    checks: list[Check] = []
    for path, value, count in paths:
        arg = {"path": path, "count": count} | ({} if value is None else {"equals": value})
        checks.append(Check(op="jsonpath", arg=arg))
    return Probe(action=action, checks=tuple(checks))
