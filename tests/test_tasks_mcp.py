"""The MCP tasks: sound in reality, hidden where they say so, the same every time."""

import json
from collections import Counter, defaultdict
from typing import Any

import msgspec
import pytest

from worldline import jsonl
from worldline.environments import environment
from worldline.tasks.agents import BlindAgent, NullAgent, ReferenceAgent, acting
from worldline.tasks.checks import evaluate
from worldline.tasks.families.mcp import tasks
from worldline.tasks.families.mcp.making import answered, call, reads
from worldline.tasks.read import read_tasks, set_path
from worldline.tasks.run import run
from worldline.tasks.task import Check, Task
from worldline.tasks.template import emptied
from worldline.tasks.texts import Texts

TASKS = tasks()
BY_ID = {task.id: task for task in TASKS}


def test_there_are_enough_of_every_sort() -> None:
    assert len(TASKS) >= 40
    assert len({task.family for task in TASKS}) >= 6
    assert sum(task.unseen for task in TASKS) >= len(TASKS) / 2
    assert {task.difficulty for task in TASKS} == {"easy", "medium", "hard"}
    for count in (Counter(t.split for t in TASKS), Counter(t.kind for t in TASKS)):
        assert min(count.values()) >= 10
    dialects = Counter(task.dialect for task in TASKS)
    assert min(dialects["json"], dialects["call-tool-result"]) >= len(TASKS) / 3


def test_the_set_is_what_the_families_make() -> None:
    assert set_path("mcp").read_bytes() == b"".join(
        jsonl.dumps(msgspec.to_builtins(task)) + b"\n" for task in TASKS
    )
    assert list(read_tasks("mcp")) == TASKS


def test_a_family_belongs_to_one_split() -> None:
    splits = {(task.family, task.split) for task in TASKS}
    assert len(splits) == len({family for family, _ in splits})


def test_no_content_of_one_family_is_that_of_another() -> None:
    families = defaultdict[int, set[str]](set)
    for task in TASKS:
        families[task.seed].add(task.family)
    assert all(len(some) == 1 for some in families.values())


def test_instructions_do_not_reveal_what_is_to_be_found() -> None:
    for task in TASKS:
        if task.unseen:
            assert any(emptied(step) != step for step in task.reference), task.id
        if task.unseen and task.kind == "answer":
            pattern = task.probes[0].checks[0].arg["value"].removeprefix("^").removesuffix("$")
            told = Check(op="regex", arg=rf"\b{pattern}\b", of="answer")
            shown = Texts(domain="mcp", dialect="json", answer=task.instruction)
            assert evaluate(told, shown).ok is False, task.id


def test_what_is_typed_cannot_pass_for_what_is_found() -> None:
    """An error that repeats the probe's words must not satisfy it."""
    for task in TASKS:
        for probe in task.probes:
            echo = Texts(
                domain="mcp", dialect=task.dialect, observation=probe.action or "", answer=""
            )
            assert any(evaluate(check, echo).ok is False for check in probe.checks), task.id


def _said(answer: str) -> bool | None:
    check = answered("Ada Quill").checks[0]
    return evaluate(check, Texts(domain="mcp", dialect="json", answer=answer)).ok


def test_an_answer_may_be_dressed_but_is_no_list_of_guesses() -> None:
    assert _said("Ada Quill") and _said(" **ada quill**.\n") and _said('"Ada Quill"')
    assert _said("Ada Quill, Otto Brandt") is False
    assert _said("It is Ada Quill") is False
    assert _said("") is False


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_file_reads_alike_in_both_dialects(end: str) -> None:
    text = f'two "sorts" of\nquotes aren\'t a reason to fail\\{end}'
    printed = {
        "json": text,
        "call-tool-result": f"meta=None content=[TextContent(type='text', text={text!r}, "
        "annotations=None)] isError=False",
    }
    for dialect, shown in printed.items():
        check = reads(dialect, "", text).checks[0]  # pyright: ignore[reportArgumentType]
        for observation, ok in ((shown, True), (shown.replace("two", "too"), False)):
            texts = Texts(domain="mcp", dialect=dialect, observation=observation)
            assert evaluate(check, texts).ok is ok


def _env(task: Task) -> Any:
    return environment("mcp", **task.environment.options)


FEW = (
    "mcp/shop-ask-1",
    "mcp/note-move-2",
    "mcp/graph-shift-1",
    "mcp/graph-drop-2",
    "mcp/change-commit-1",
    "mcp/records-1",
)


@pytest.mark.system
@pytest.mark.parametrize("name", FEW)
def test_reference_succeeds_and_the_others_fail(name: str) -> None:
    task = BY_ID[name]
    with _env(task) as real:
        assert run(task, real, ReferenceAgent()).success is True
        assert run(task, real, NullAgent()).success is False
        assert run(task, real, BlindAgent()).success is False


@pytest.mark.system
def test_whoever_changes_more_than_was_asked_fails() -> None:
    shop = next(one for one in TASKS if "Set their status" in one.instruction)
    everything = call("write_query", query="UPDATE orders SET status = 'shipped'")
    with _env(shop) as real:
        assert run(shop, real, acting(lambda turns: None if turns else everything)).success is False

    drop = BY_ID["mcp/graph-drop-1"]

    def all_gone(turns: Any) -> str | None:
        if not turns:
            return call("read_graph")
        names = [one["name"] for one in json.loads(turns[0].observation)["entities"]]
        return call("delete_entities", entityNames=names) if len(turns) == 1 else None

    with _env(drop) as real:
        result = run(drop, real, acting(all_gone))
        assert result.success is False and len(result.turns) == 2
