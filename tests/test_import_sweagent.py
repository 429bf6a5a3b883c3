"""Trajectories of SWE-agent become ours, its old files and its new ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_import_atif import damaged

from worldline import jsonl
from worldline.collect.importers import BadLine, importer
from worldline.errors import DataError, WorldlineError

read = importer("sweagent")

SYSTEM = {"role": "system", "content": "You edit files."}
DEMO = {"role": "user", "content": "as shown here", "is_demo": True}
TASK = {"role": "user", "content": [{"type": "text", "text": "Mend the fence."}]}
VIEW = "[File: /farm/fence.py (2 lines total)]\n1:x = 1\n2:y = 2\n"


def step(action, observation, **more):
    return {"action": action, "observation": observation, "thought": "so", "response": "r"} | more


def document(**more):
    made = {
        "environment": "farm",
        "trajectory": [
            step("open fence.py\n", VIEW, state='{"open_file": "n/a", "working_dir": "/farm"}\n'),
            step("python fence.py", "\r\n3", state={"open_file": "x"}, execution_time=0.5),
        ],
        "history": [SYSTEM, DEMO, TASK],
        "info": {"exit_status": "submitted", "swe_agent_version": "1.0"},
    }
    return made | more


def written(tmp_path, value, name="farm__fence-1.traj"):
    path = tmp_path / name
    path.write_bytes(value if isinstance(value, bytes) else jsonl.dumps(value))
    return path


def test_steps_are_turns(tmp_path):
    (one,) = read(written(tmp_path, document()))
    assert (one.id, one.domain, one.dialect) == ("farm__fence-1", "swe", "aci")
    assert [(turn.action, turn.observation) for turn in one.turns] == [
        ("open fence.py", VIEW),
        ("python fence.py", "\r\n3"),
    ]
    assert one.turns[0].info["state"] == {"open_file": "n/a", "working_dir": "/farm"}
    assert one.turns[1].info == {
        "step": 2,
        "said": "r",
        "thought": "so",
        "state": {"open_file": "x"},
        "duration_s": 0.5,
    }
    assert one.task == "Mend the fence." and "Mend the fence." in one.system.task_description
    assert one.meta["agent_demonstrations"] == ["as shown here"]
    assert (one.source.name, one.source.version) == ("SWE-agent", "1.0")
    assert one.source.licence == "unknown"


def test_a_history_alone_is_enough(tmp_path):
    history = [
        SYSTEM,
        TASK,
        {"role": "assistant", "content": "look", "action": "open fence.py\n", "thought": "t"},
        {"role": "tool", "content": VIEW + "(Open file: /farm/fence.py)"},
        {"role": "assistant", "content": "done", "action": "submit"},
    ]
    (one,) = read(written(tmp_path, {"history": history}))
    assert [(turn.action, turn.observation) for turn in one.turns] == [
        ("open fence.py", VIEW + "(Open file: /farm/fence.py)")
    ]
    assert one.meta["unanswered"][0]["action"] == "submit"


def test_contests_are_played_in_a_terminal(tmp_path):
    system = {"role": "system", "content": "You are a CTF player."}
    (one,) = read(written(tmp_path, document(history=[system, TASK])))
    assert (one.domain, one.dialect) == ("terminal", "aci")


def test_a_reply_without_an_action_is_the_action(tmp_path):
    steps = [step("", "No command was found.", response="I am done"), step("", None)]
    (one,) = read(written(tmp_path, document(trajectory=steps)))
    assert [turn.action for turn in one.turns] == ["I am done"]
    assert [left["step"] for left in one.meta["unanswered"]] == [2]


def test_unknown_fields_are_kept_and_repeated_prompts_are_not(tmp_path):
    steps = [step("ls", "a\n", extra_info={"k": 1}, query=[SYSTEM], messages=[SYSTEM])]
    (one,) = read(written(tmp_path, document(trajectory=steps)))
    assert one.turns[0].info["extra_info"] == {"k": 1}
    assert "query" not in one.turns[0].info and "messages" not in one.turns[0].info


@pytest.mark.parametrize(
    ("value", "field", "words"),
    [
        ({"x": 1}, None, "no trajectory of SWE-agent"),
        (b"{", None, "is not JSON"),
        (document(trajectory=[]), "trajectory", "has no steps"),
        (document(trajectory=[step("ls", "a"), step(7, "b")]), "trajectory[1].action", "Expected"),
        (document(trajectory="ls"), "trajectory", "Expected"),
        (document(history=[{"content": "x"}]), "history[0]", "role"),
    ],
)
def test_damage_is_named_with_file_and_field(tmp_path, value, field, words):
    path = written(tmp_path, value)
    with pytest.raises(DataError, match=words) as caught:
        list(read(path))
    assert (caught.value.file, caught.value.field) == (str(path), field)


def test_a_folder_with_a_damaged_file(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, document() if name != "b" else b"[", "same.traj")
    bad: list[BadLine] = []
    assert [one.id for one in read(tmp_path, bad.append)] == ["same", "same#2"]
    assert [one.error.file for one in bad] == [str(tmp_path / "b" / "same.traj")]


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_random_damage_is_our_error_and_loses_no_good_file(tmp_path_factory, seed):
    folder = tmp_path_factory.mktemp("traj")
    for name in ("a", "c"):
        written(folder, document(), f"{name}.traj")
    written(folder, damaged(jsonl.dumps(document()), seed), "b.traj")
    bad: list[BadLine] = []
    ids = [one.id for one in read(folder, bad.append)]
    assert ids[0] == "a" and ids[-1] == "c"
    assert all(isinstance(one.error, WorldlineError) for one in bad)
