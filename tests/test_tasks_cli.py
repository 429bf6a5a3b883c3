"""`worldline task` as a person runs it, on a real environment of our own."""

import subprocess

import msgspec
import pytest

from tests import command
from tests.shelf import install
from tests.test_tasks_run import COPY, TELL
from worldline import jsonl
from worldline.tasks.task import Check, Probe


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch)
    return tmp_path


def write(folder, *tasks):
    path = folder / "tasks.jsonl"
    jsonl.write(path, map(msgspec.to_builtins, tasks))
    return path


def worldline(*words: object) -> subprocess.CompletedProcess[str]:
    return command.worldline("task", *words)


def told(done):
    return [jsonl.loads(line) for line in done.stdout.splitlines()]


def test_sound_tasks_pass_and_are_counted(shelf):
    done = worldline("check", write(shelf, COPY, TELL), "--workers", 2)
    assert done.returncode == 0, done.stderr
    head, row = done.stdout.splitlines()
    assert head.split() == ["tasks", "unseen", "null", "reference", "blind"]
    assert row.split() == ["generic", "2", "2", "0/2", "2/2", "0/2"]


def test_each_task_that_is_not_sound_is_named_with_why(shelf):
    change = msgspec.structs.replace
    given = Probe(action="look", checks=(Check(op="contains", arg="box-"),))
    tasks = [
        COPY,
        change(COPY, id="free", probes=(given,)),
        change(COPY, id="wrong", reference=("look", "open {{1:cask-.*}}")),
        change(COPY, id="told", reference=("look", "put out amber{{1:$}}")),
        change(COPY, id="dark", probes=(change(COPY.probes[0], action="lose"),)),
        change(COPY, id="none", reference=(), unseen=False),
        change(COPY, id="option", environment=change(COPY.environment, options={"size": 1})),
    ]
    done = worldline("check", write(shelf, *tasks), "--json")
    assert done.returncode == 1
    (report,) = told(done)
    assert report["failed"] == 6
    assert [row["task"] for row in report["tasks"]] == [task.id for task in tasks]
    trouble = {row["task"]: " ".join(row["trouble"]) for row in report["tasks"]}
    assert trouble.pop(COPY.id) == ""
    assert "the null agent succeeds" in trouble["free"]
    assert "the reference agent fails (stuck" in trouble["wrong"]
    assert "the blind agent succeeds" in trouble["told"]
    assert "the null agent is undecided" in trouble["dark"]
    assert "it went dark" in trouble["dark"]
    assert "it has no reference" in trouble["none"]
    assert "no option 'size'" in trouble["option"]
    for name in trouble:
        assert f"{name}: " in done.stderr


def test_an_environment_that_cannot_be_prepared_is_said_once(shelf):
    change = msgspec.structs.replace
    empty = change(COPY.environment, options={"boxes": 0})
    tasks = [change(COPY, id=str(n), environment=empty) for n in range(3)]
    done = worldline("check", write(shelf, *tasks))
    assert done.returncode == 2
    assert done.stderr.count("an empty shelf cannot be had") == 1


def test_an_agent_runs_in_reality(shelf):
    path = write(shelf, COPY, TELL)
    done = worldline("run", path, "--id", COPY.id, "--json")
    (result,) = told(done)
    assert done.returncode == 0, done.stderr
    assert (result["task"], result["success"], result["world"]) == (COPY.id, True, "real")
    done = worldline("run", path, "--agent", "null", "-o", shelf / "out.jsonl")
    *outcomes, summary = done.stderr.splitlines()
    assert [line.split()[0] for line in outcomes[-2:]] == ["failed", "failed"]
    assert summary.startswith("0 of 2 solved") and done.stdout == ""
    assert [line.value["success"] for line in jsonl.read(shelf / "out.jsonl")] == [False, False]


def test_a_simulated_world_starts_from_a_snapshot_of_the_real_one(shelf):
    actions = shelf / "answers.jsonl"
    steps = ["box-1\nbox-2", "amber", "Done.", "amber"]
    jsonl.write(actions, steps)
    path = write(shelf, COPY)
    done = worldline("run", path, "--world", "sim", "--model", f"scripted:{actions}", "--json")
    assert done.returncode == 0, done.stderr
    (result,) = told(done)
    assert (result["world"], result["success"]) == ("sim", True)
    assert [turn["observation"] for turn in result["turns"]] == steps[:3]


def test_a_model_acts_and_answers(shelf):
    script = shelf / "acts.jsonl"
    jsonl.write(script, ["look", "ANSWER: box-1"])
    done = worldline("run", write(shelf, TELL), "--agent", f"scripted:{script}", "--json")
    (result,) = told(done)
    assert done.returncode == 0, done.stderr
    assert result["answer"] == "box-1"
    assert result["turns"][0]["observation"].startswith("box-")
    assert result["agent"].startswith("scripted")


def test_what_cannot_be_decided_is_an_exit_of_one(shelf):
    dark = msgspec.structs.replace(COPY, probes=(Probe(action="lose", checks=(Check(op="exit"),)),))
    done = worldline("run", write(shelf, dark))
    assert done.returncode == 1
    assert "UNDECIDED" in done.stderr


def test_tasks_are_listed_and_mistakes_are_told_without_running(shelf):
    done = worldline("list", write(shelf, COPY, TELL))
    counts, head, *rows = done.stdout.splitlines()
    assert counts.endswith(": 2 tasks, 1 families, 2 unseen")
    assert head.split() == ["task", "split", "difficulty", "unseen", "instruction"]
    assert [row.split()[:2] for row in rows] == [[one.id, one.split] for one in (COPY, TELL)]
    assert rows[0].index(COPY.instruction) == head.index("instruction")
    row = {**msgspec.to_builtins(COPY), "reference": ["{{1:x}}"]}
    (shelf / "bad.jsonl").write_bytes(jsonl.dumps(row) + b"\n")
    for verb in ("list", "check", "run"):
        done = worldline(verb, shelf / "bad.jsonl")
        assert done.returncode == 2
        assert "bad.jsonl, line 1, reference[0]: {{1:...}} names a turn" in done.stderr


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["check", "nowhere.jsonl"], "there is no task file or set 'nowhere.jsonl'"),
        (["run", "TASKS", "--id", "x"], "there is no task 'x'"),
        (["run", "TASKS", "--world", "both"], "there is no world 'both'"),
        (["run", "TASKS", "--agent", "copy"], "cannot act"),
        (["run", "TASKS", "--agent", "nobody"], "nobody"),
    ],
)
def test_what_cannot_be_is_refused(shelf, args, why):
    path = write(shelf, COPY)
    done = worldline(*(path if arg == "TASKS" else arg for arg in args))
    assert done.returncode != 0
    assert why in done.stderr
    assert "Traceback" not in done.stderr
