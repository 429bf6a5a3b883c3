"""The built-in search tasks, on the pages of the tests beside the made-up ones."""

from collections import Counter

import msgspec
import pytest
from harbour import PAPERS

from worldline.environments.process import environment
from worldline.tasks import read_tasks
from worldline.tasks.agents import BlindAgent, NullAgent, ReferenceAgent
from worldline.tasks.families import tasks as made
from worldline.tasks.run import run

TASKS = read_tasks("search")
FAMILIES = sorted({one.family for one in TASKS} - {"search/manual"})
"""The manuals' tasks need the whole corpus; `worldline task check search` lets agents at them."""


def succeeds(task, agent):
    options = {**task.environment.options, "folder": str(PAPERS)}
    with environment("search", **options) as real:
        return run(task, real, agent).success


def test_the_set_is_what_its_families_make():
    assert list(made("search")) == list(TASKS)


def test_there_are_enough_and_most_depend_on_reading():
    assert len(TASKS) >= 40 and len(FAMILIES) >= 6
    assert sum(one.unseen for one in TASKS) * 2 >= len(TASKS)
    assert Counter(one.split for one in TASKS).keys() == {"train", "dev", "test"}
    assert {one.dialect for one in TASKS} == {"awb", "json", "react"}


def test_no_instruction_holds_what_is_to_be_found():
    for one in TASKS:
        if not one.unseen:
            continue
        for probe in one.probes:
            for check in probe.checks:
                wanted = check.arg.get("equals") if isinstance(check.arg, dict) else None
                assert wanted is None or f" {wanted} " not in f" {one.instruction} ", one.id


@pytest.mark.parametrize("family", FAMILIES)
def test_only_who_reads_succeeds(family):
    task = next(one for one in TASKS if one.family == family)
    assert succeeds(task, NullAgent()) is False
    assert succeeds(task, ReferenceAgent()) is True
    assert not task.unseen or succeeds(task, BlindAgent()) is False


def test_another_seed_has_another_answer():
    task = next(one for one in TASKS if one.family == "search/fact")
    assert succeeds(msgspec.structs.replace(task, seed=task.seed + 100), ReferenceAgent()) is False
