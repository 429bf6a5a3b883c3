"""Trajectories in Harbor's interchange format become ours, and damaged ones are named."""

import gzip
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline import jsonl
from worldline.collect.importers import BadLine, importer
from worldline.domains import domain
from worldline.errors import DataError, SchemaVersionError, WorldlineError

read = importer("atif")


def call(name, at=1, **arguments):
    return {"tool_call_id": f"c{at}", "function_name": name, "arguments": arguments}


def step(number, calls=(), results=(), source="agent", message="thinking", **more):
    made = {"step_id": number, "source": source, "message": message, **more}
    if calls:
        made["tool_calls"] = list(calls)
    if results:
        made["observation"] = {"results": list(results)}
    return made


def document(*steps, **more):
    first = step(1, source="user", message="tidy the shed")
    agent = {"name": "gardener", "version": "1.2"}
    return {"schema_version": "ATIF-v1.6", "agent": agent, "steps": [first, *steps]} | more


def shell(number, command="ls", output="rake\n"):
    calls = [call("bash", number, command=command)]
    return step(number, calls, [{"source_call_id": f"c{number}", "content": output}])


def written(tmp_path, *documents, name="t.json"):
    path = tmp_path / name
    path.write_bytes(b"".join(jsonl.dumps(one) + b"\n" for one in documents))
    return path


def made(tmp_path, *documents, name="t.json"):
    return list(read(written(tmp_path, *documents, name=name)))


def test_a_session_of_a_shell(tmp_path):
    given = document(shell(2), shell(3, "pwd", "/shed\n"), session_id="s1", notes="n")
    (one,) = made(tmp_path, given)
    assert (one.id, one.domain, one.dialect, one.task) == (
        "s1",
        "terminal",
        "json",
        "tidy the shed",
    )
    assert [turn.observation for turn in one.turns] == ["rake\n", "/shed\n"]
    assert json.loads(one.turns[0].action) == {"name": "bash", "arguments": {"command": "ls"}}
    assert (one.source.kind, one.source.name, one.source.version) == ("recorded", "gardener", "1.2")
    assert one.source.licence == "unknown" and one.meta["notes"] == "n"
    assert one.turns[0].info == {"step": 2, "said": "thinking"}
    domain("terminal").dialects["json"].parse_action(one.turns[0].action)


def test_batches_of_keystrokes_are_one_turn_with_one_screen(tmp_path):
    keys = [call("bash_command", at, keystrokes=f"{at}\n", duration=0.1) for at in (1, 2)]
    done = call("mark_task_complete", 3)
    given = document(
        step(2, keys, [{"content": "New Terminal Output:\n\n$ 1\n$ 2\n$"}]),
        step(3, [*keys[:1], done], [{"source_call_id": "c1", "content": "$ 1\n$"}]),
        step(4, [done]),
    )
    (one,) = made(tmp_path, given)
    assert (one.domain, one.dialect) == ("terminal", "terminus2")
    assert json.loads(one.turns[0].action) == [
        {"keystrokes": "1\n", "duration": 0.1},
        {"keystrokes": "2\n", "duration": 0.1},
    ]
    assert one.turns[1].info["other_calls"] == [{"name": "mark_task_complete", "arguments": {}}]
    assert [left["step"] for left in one.meta["unanswered"]] == [4]


def test_calls_answered_one_by_one_are_a_turn_each(tmp_path):
    calls = [call("get_plant", at, id=at) for at in (1, 2, 3)]
    results = [{"source_call_id": f"c{at}", "content": f"plant {at}"} for at in (2, 1)]
    (one,) = made(tmp_path, document(step(2, calls, results)))
    assert (one.domain, one.dialect) == ("mcp", "json")
    assert [turn.observation for turn in one.turns] == ["plant 1", "plant 2"]
    assert json.loads(one.meta["unanswered"][0]["action"])["arguments"] == {"id": 3}


def test_results_that_name_no_call_are_one_observation(tmp_path):
    calls = [call("get_plant", at, id=at) for at in (1, 2)]
    (one,) = made(tmp_path, document(step(2, calls, [{"content": "a"}, {"content": "b"}])))
    assert one.turns[0].observation == "a\nb" and len(json.loads(one.turns[0].action)) == 2


def test_a_coding_harness_is_recognised(tmp_path):
    calls = [call("Read", 2, file_path="/a.py")]
    results = [{"source_call_id": "c2", "content": "1\tx = 1\n"}]
    (one,) = made(tmp_path, document(step(2, calls, results)))
    assert (one.domain, one.dialect) == ("swe", "claude-code")


def test_an_action_of_swe_agent_is_bare_again(tmp_path):
    calls = [call("swe_agent_action", 2, raw_action="open a.py")]
    results = [{"source_call_id": "c2", "content": "[File: /a.py (1 lines total)]\n1:x\n"}]
    (one,) = made(tmp_path, document(step(2, calls, results)))
    assert (one.domain, one.dialect, one.turns[0].action) == ("swe", "aci", "open a.py")


def test_pictures_are_named_in_the_text_and_kept_beside_it(tmp_path):
    source = {"media_type": "image/png", "path": "images/1.png"}
    parts = [{"type": "text", "text": "a rake"}, {"type": "image", "source": source}]
    (one,) = made(tmp_path, document(step(2, [call("look")], [{"content": parts}])))
    assert one.turns[0].observation == "a rake\n[image: images/1.png]"
    assert one.turns[0].info["media"][0]["path"] == "images/1.png"


def test_what_is_said_between_turns_stands_before_the_turn_it_preceded(tmp_path):
    given = document(
        step(2, source="system", message="you are a gardener"),
        shell(3),
        step(4, source="user", message="and the hoe?"),
        shell(5),
        step(6, source="user", message="thanks"),
    )
    (one,) = made(tmp_path, given)
    assert one.meta["agent_prompt"] == "you are a gardener"
    assert [said["message"] for said in one.turns[1].info["between"]] == ["and the hoe?"]
    assert one.meta["unanswered"][0]["between"][0]["message"] == "thanks"


def test_sub_agents_are_trajectories_of_their_own(tmp_path):
    inner = document(shell(2), trajectory_id="weeds")
    given = document(shell(2), trajectory_id="main", subagent_trajectories=[inner])
    main, weeds = made(tmp_path, given)
    assert (main.id, weeds.id, weeds.meta["parent"]) == ("main", "main/weeds", "main")


def test_nothing_but_token_lists_is_lost(tmp_path):
    metrics = {"prompt_tokens": 5, "logprobs": [0.1], "cost_usd": 0.5}
    given = document(
        step(
            2, [call("bash", command="x") | {"extra": {"t": 9}}], [{"content": "y"}], extra={"k": 1}
        )
        | {"reasoning_content": "hm", "metrics": metrics, "is_copied_context": True, "new": 7},
        final_metrics={"total_steps": 2},
        extra={"licence": "MIT", "x": [1]},
        future={"z": 1},
    )
    (one,) = made(tmp_path, given)
    info = one.turns[0].info
    assert info["thought"] == "hm" and info["metrics"] == {"prompt_tokens": 5, "cost_usd": 0.5}
    assert info["extra"] == {"k": 1} and info["copied"] and info["calls_extra"] == [{"t": 9}]
    assert info["row"] == {"new": 7} and one.meta["row"] == {"future": {"z": 1}}
    assert one.source.licence == "MIT" and one.meta["final_metrics"] == {"total_steps": 2}


def test_folders_patterns_lines_and_lists(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        made(tmp_path / name, document(shell(2), session_id=name))
    assert [one.id for one in read(tmp_path)] == ["a", "b"]
    assert [one.id for one in read(tmp_path / "*" / "t.json")] == ["a", "b"]
    many = [document(shell(2), session_id=name) for name in ("x", "x", "y")]
    assert [one.id for one in made(tmp_path, *many, name="m.jsonl")] == ["x", "x#2", "y"]
    assert [one.id for one in made(tmp_path, many, name="l.json")] == ["x", "x#2", "y"]
    with pytest.raises(DataError, match="no recordings there"):
        list(read(tmp_path / "*.nothing"))


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"schema_version": None}, "schema_version", "no ATIF document"),
        ({"schema_version": "ATIF-v2.0"}, "schema_version", "reads ATIF-v1"),
        ({"agent": {}}, "agent", "name"),
        ({"steps": []}, "steps", "is empty"),
        ({"steps": [step(2)]}, "steps[0].step_id", "expected 1, got 2"),
        ({"steps": [step(1, message=None)]}, "steps[0].message", "Expected"),
        (
            {"steps": [step(1, [call("x")], [{"source_call_id": "zz", "content": "y"}])]},
            "steps[0].observation",
            "'zz' is no call",
        ),
        ({"steps": [step(1, [call("x"), call("x")])]}, "steps[0].observation", "same tool_call_id"),
    ],
)
def test_a_damaged_document_is_named_with_file_and_field(tmp_path, change, field, words):
    with pytest.raises(DataError, match=words) as caught:
        made(tmp_path, document() | change)
    assert caught.value.field == field and caught.value.file == str(tmp_path / "t.json")


def test_another_major_version_says_so(tmp_path):
    with pytest.raises(SchemaVersionError):
        made(tmp_path, document(schema_version="ATIF-v2.0"))


def test_the_damaged_one_is_set_aside_and_the_rest_read(tmp_path):
    good = [document(shell(2), session_id=str(at)) for at in range(3)]
    written(tmp_path, *good, document() | {"steps": 5}, name="a.jsonl")
    (tmp_path / "b.json").write_bytes(b'{"schema_version": "ATIF-v1.')
    (tmp_path / "c.json").write_bytes(jsonl.dumps(document(shell(2), session_id="c")))
    bad: list[BadLine] = []
    assert [one.id for one in read(tmp_path, bad.append)] == ["0", "1", "2", "c"]
    assert [(one.error.file, one.number) for one in bad] == [
        (str(tmp_path / "a.jsonl"), 4),
        (str(tmp_path / "b.json"), 0),
    ]


def test_a_torn_archive_in_a_folder_is_set_aside(tmp_path):
    made(tmp_path, document(shell(2), session_id="a"), name="a.json")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(jsonl.dumps(document(shell(2))))[:-9])
    (tmp_path / "c.json.gz").write_bytes(b"no archive")
    bad: list[BadLine] = []
    assert "a" in [one.id for one in read(tmp_path, bad.append)]
    assert [one.error.file for one in bad] == [
        str(tmp_path / "b.jsonl.gz"),
        str(tmp_path / "c.json.gz"),
    ]


GOOD = document(shell(2), step(3, source="user", message="more"), shell(4), session_id="good")
DAMAGED = jsonl.dumps(document(shell(2, "cat a", "b" * 30), shell(3), session_id="damaged"))


@settings(max_examples=200)
@given(st.integers(0, 2**32))
def test_random_damage_is_our_error_and_loses_no_good_record(tmp_path_factory, seed):
    path = tmp_path_factory.mktemp("atif") / "t.jsonl"
    path.write_bytes(b"\n".join([jsonl.dumps(GOOD), damaged(DAMAGED, seed), jsonl.dumps(GOOD)]))
    bad: list[BadLine] = []
    ids = [one.id for one in read(path, bad.append)]
    assert ids[0] == "good" and ids[-1] == "good#2" and len(ids) + len(bad) >= 3
    assert all(isinstance(one.error, WorldlineError) for one in bad)


def damaged(data: bytes, seed: int) -> bytes:
    """A line with some bytes changed, left out or doubled, or cut; never a line end more."""
    chance = random.Random(seed)
    made = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at, end = sorted(chance.randrange(len(made) + 1) for _ in range(2))
        kind = chance.randrange(4)
        if kind == 0:
            made[at : at + 1] = bytes([chance.choice(b'0{}[]",:nul\\\xff')])
        elif kind == 1:
            del made[at : min(end, at + 20)]
        elif kind == 2:
            made[at:at] = made[at : min(end, at + 20)]
        else:
            made = made[: max(at, 1)] or made
    return bytes(made).replace(b"\n", b" ") or b"x"
