"""The terminal's tasks: sound in reality, hidden where they say so, the same every time."""

from collections import Counter

import msgspec
import pytest

from worldline import jsonl
from worldline.environments import environment
from worldline.tasks.agents import BlindAgent, NullAgent, ReferenceAgent
from worldline.tasks.families.terminal import tasks
from worldline.tasks.read import read_tasks, set_path
from worldline.tasks.run import run
from worldline.tasks.task import Task
from worldline.tasks.template import emptied

TASKS = tasks()


def test_there_are_enough_of_every_sort() -> None:
    assert len(TASKS) >= 60
    assert len({task.family for task in TASKS}) >= 8
    assert sum(task.unseen for task in TASKS) >= len(TASKS) / 2
    assert {task.split for task in TASKS} == {"train", "dev", "test"}
    assert {task.kind for task in TASKS} == {"effect", "answer"}
    assert {task.difficulty for task in TASKS} == {"easy", "medium", "hard"}
    dialects = Counter(task.dialect for task in TASKS)
    assert min(dialects["command"], dialects["terminus2"]) >= len(TASKS) / 3


def test_the_set_is_what_the_families_make() -> None:
    assert set_path("terminal").read_bytes() == b"".join(
        jsonl.dumps(msgspec.to_builtins(task)) + b"\n" for task in TASKS
    )
    assert list(read_tasks("terminal")) == TASKS


def test_a_family_belongs_to_one_split() -> None:
    splits = {(task.family, task.split) for task in TASKS}
    assert len(splits) == len({family for family, _ in splits})


def test_instructions_do_not_reveal_what_is_to_be_found() -> None:
    for task in TASKS:
        if task.unseen:
            wanted = [str(check.arg).strip("<>") for probe in task.probes for check in probe.checks]
            assert any(one not in task.instruction for one in wanted), task.id
            assert any(emptied(step) != step for step in task.reference), task.id


def test_what_is_typed_cannot_pass_for_what_is_found() -> None:
    for task in TASKS:
        for probe in task.probes:
            for check in probe.checks:
                assert probe.action is None or str(check.arg) not in probe.action, task.id


def _few() -> list[Task]:
    """One task of each family, dialects mixed."""
    families: dict[str, Task] = {}
    for number, task in enumerate(TASKS):
        if task.family not in families or number % 3 == 0:
            families[task.family] = task
    return list(families.values())


@pytest.mark.system
@pytest.mark.parametrize("task", _few(), ids=lambda task: task.id)
def test_reference_succeeds_and_the_others_fail(task: Task) -> None:
    with environment("terminal", **task.environment.options) as real:
        assert run(task, real, ReferenceAgent()).success is True
        assert run(task, real, NullAgent()).success is False
        if task.unseen:
            assert run(task, real, BlindAgent()).success is False
