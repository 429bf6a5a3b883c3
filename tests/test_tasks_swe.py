"""Tasks on repositories: what is promised of the set, and that some of them are sound."""

import re

import pytest

from worldline.cli.task_check import check_tasks
from worldline.environments.swe.mutants import mutants
from worldline.environments.swe.repos import repos
from worldline.tasks.families import tasks
from worldline.tasks.read import read_tasks

SET = tuple(read_tasks("swe"))


def test_there_are_enough_in_families_with_splits_and_half_depend_on_what_is_seen():
    assert len(SET) >= 40
    splits = {}
    for one in SET:
        splits.setdefault(one.family, set()).add(one.split)
    assert all(len(some) == 1 for some in splits.values())
    assert {one.split for one in SET} == {"train", "dev", "test"}
    assert sum(one.unseen for one in SET) >= len(SET) / 2
    assert {one.kind for one in SET} == {"effect", "answer"}
    assert {one.dialect for one in SET} >= {"bash-returncode", "claude-code", "aci"}


def test_the_set_is_what_the_families_make():
    assert tasks("swe") == SET


def test_no_instruction_tells_what_must_be_found_out():
    for one in SET:
        bug = mutants().get(str(one.environment.options.get("bug")))
        if bug is not None and one.kind == "effect":
            assert bug.new not in re.findall(r"\S+", one.instruction) or len(bug.new) < 3
        for probe in one.probes:
            for check in probe.checks:
                if check.of == "answer":
                    words = re.findall(r"[a-z_]{4,}|\d{2,}", str(check.arg))
                    told = [word for word in words if word in one.instruction and word != "value"]
                    assert not told or one.family == "swe-changed", one.id


def test_held_out_repositories_are_in_the_test_split_alone():
    for one in SET:
        name = one.environment.options.get("repo")
        bug = mutants().get(str(one.environment.options.get("bug")))
        name = bug.repo if bug else name
        assert name is not None
        if repos()[name].held_out:
            assert one.split == "test"


@pytest.mark.system
@pytest.mark.parametrize("family", sorted({one.family for one in SET}))
def test_one_task_of_each_family_is_sound(family):
    one = next(task for task in SET if task.family == family)
    for found in check_tasks([one], 1):
        assert not found.trouble
