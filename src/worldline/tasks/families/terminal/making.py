"""What the families of terminal tasks share: both dialects, probes that no echo can satisfy."""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from worldline.environments.terminal.fixtures import Words
from worldline.tasks.task import Check, Place, Probe, Task

Dialect = Literal["command", "terminus2"]
DIALECTS: tuple[Dialect, ...] = ("command", "terminus2")


class Draft(NamedTuple):
    """A task before it is written in a dialect.

    Args:
        instruction: what the agent is told.
        steps: command lines of the reference; of an answer task the last is the answer.
        wants: probes, as (what a command substitution is to give, the value that it must have).
        answer: what the answer must be.
        fixture: of the environment.
        files: more files of the home.
        typed: a batch of keystrokes in place of steps, where a program is talked to (`terminus2`).
    """

    instruction: str
    steps: tuple[str, ...] = ()
    wants: tuple[tuple[str, str], ...] = ()
    answer: str | None = None
    fixture: str | None = None
    files: dict[str, str] | None = None
    typed: tuple[str, ...] | None = None


class Family(NamedTuple):
    """Tasks made alike.

    Args:
        make: a draft from words and the environment's seed; `None`: this seed will not do.
    """

    name: str
    make: Callable[[Words, int], Draft | None]
    split: Literal["train", "dev", "test"]
    difficulty: Literal["easy", "medium", "hard"]
    unseen: bool
    size: int = 5


def made(family: Family) -> Iterator[Task]:
    """The family's tasks, in both dialects by turns."""
    number, seed = 0, 0
    while number < family.size:
        seed += 1
        words = Words(random.Random(f"{family.name}/{seed}"))
        draft = family.make(words, seed)
        if draft is not None:
            number += 1
            yield _task(family, draft, number, seed, DIALECTS[number % 2])


def _task(family: Family, draft: Draft, number: int, seed: int, dialect: Dialect) -> Task:
    steps = draft.steps
    if dialect == "terminus2" and draft.typed is not None:
        steps = draft.typed
    elif dialect == "terminus2":
        last = len(steps) - (draft.answer is not None)
        steps = (*(keyed(f"{step}\n") for step in steps[:last]), *steps[last:])
    options: dict[str, Any] = {"dialect": dialect}
    options |= {"fixture": draft.fixture} if draft.fixture else {}
    options |= {"files": draft.files} if draft.files else {}
    return Task(
        id=f"terminal/{family.name}-{number}",
        kind="effect" if draft.answer is None else "answer",
        domain="terminal",
        dialect=dialect,
        instruction=draft.instruction,
        environment=Place(name="terminal", options=options),
        seed=seed,
        probes=_probes(draft, dialect),
        reference=steps,
        split=family.split,
        family=f"terminal/{family.name}",
        difficulty=family.difficulty,
        unseen=family.unseen,
    )


def keyed(*texts: str, wait: float = 1.0) -> str:
    """A batch of keystrokes."""
    return json.dumps([{"keystrokes": text, "duration": wait} for text in texts])


def _probes(draft: Draft, dialect: Dialect) -> tuple[Probe, ...]:
    """Each prints what it found between marks that its own text does not show so."""
    if draft.answer is not None:
        pattern = rf"^\W*{re.escape(draft.answer)}\W*$"
        return (Probe(checks=(Check(op="regex", arg=pattern, of="answer"),)),)
    probes = []
    for command, value in draft.wants:
        line = f"printf '<%s>\\n' \"$({command})\""
        action = line if dialect == "command" else keyed(f"{line}\n", wait=3.0)
        probes.append(Probe(action=action, checks=(Check(op="contains", arg=f"<{value}>"),)))
    return tuple(probes)


def only(files: dict[str, bytes], end: str) -> str | None:
    """The one file with this ending, or `None`."""
    found = [name for name in files if name.endswith(end)]
    return found[0] if len(found) == 1 else None


def most(counts: dict[str, int]) -> tuple[str, int] | None:
    """The entry with the highest count, unless two share it."""
    ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    return None if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0]


def lines(rows: Sequence[str]) -> str:
    """Rows as a text."""
    return "".join(f"{row}\n" for row in rows)
