"""Models without a language model: what they promise to answer, and what they refuse to."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from worldline import World, jsonl
from worldline.errors import DataError, ModelError, UsageError
from worldline.messages import Message, Request, Sampling
from worldline.models import WorldModel, load
from worldline.models.base import OnText
from worldline.models.recorded import RecordedModel, Recorder
from worldline.models.retrieval import RetrievalModel
from worldline.models.scripted import ScriptedModel
from worldline.prediction import Prediction, Usage
from worldline.reply import stamp
from worldline.trajectory import SystemPrompt, Trajectory, Turn

O, C = "<predicted_observation>", "</predicted_observation>"  # noqa: E741


def request(action: str = "ls", *turns: tuple[str, str], **fields: Any) -> Request:
    history = tuple(Turn(action=a, observation=o) for a, o in turns)
    values = {
        "domain": "terminal",
        "dialect": "command",
        "messages": (Message("system", f"Use {O}."), Message("user", action)),
        "history": history,
        "action": action,
        **fields,
    }
    return Request(**values)


def predict(model: WorldModel, asked: Request, on_text: OnText | None = None) -> Prediction:
    return asyncio.run(model.predict(asked, on_text))


# copy


def test_copy_repeats_the_observation_before():
    model, seen = load("copy"), []
    got = predict(model, request("ls", ("cd", "a"), ("pwd", "/b")), seen.append)
    assert (got.outcome, got.origin, got.observation, seen) == ("ok", "model", "/b", ["/b"])
    assert predict(model, request(initial_state="$ ")).observation == "$ "
    assert predict(model, request()).observation == ""
    assert got.raw == {"content": "/b", "reasoning": None}
    assert got.request_sha is not None


# scripted


def script(tmp_path: Path, *rules: Any) -> ScriptedModel:
    path = tmp_path / "demo.jsonl"
    jsonl.write(path, rules)
    return ScriptedModel(path)


def test_a_script_answers_and_says_so_in_its_name(tmp_path):
    model = script(
        tmp_path,
        {"match": "ls", "reply": f"<think>hm</think>{O}\n  a\n{C}", "usage": {"completion": 3}},
        f"{O}first{C}",
        f"{O}second{C}",
    )
    seen: list[str] = []
    got = predict(model, request("ls"), seen.append)
    assert (got.model, got.observation, got.reasoning) == ("scripted:demo", "  a", "hm")
    assert (got.usage, seen) == (Usage(completion=3), ["  a"])
    actions = ["x", "ls", "y", "z"]
    answers = [predict(model, request(action)) for action in actions]
    assert [a.observation for a in answers] == ["first", "  a", "second", None]
    assert (answers[3].outcome, answers[3].reason) == ("no_prediction", "not_scripted")


def test_a_script_can_fail_in_every_way_a_model_can(tmp_path):
    model = script(
        tmp_path,
        {"reply": "<think>let me", "finish_reason": "length"},
        {"error": "timeout"},
        {"error": {"code": "context_too_long", "message": "9 > 8"}},
        {"choices": 0},
        {},
        {"refusal": "no"},
        {"outcome": "filtered"},
        {"reasoning": f"hm {O}a{C}"},
    )
    got = [predict(model, request()) for _ in range(8)]
    assert [(one.outcome, one.reason) for one in got] == [
        ("truncated", "cut_in_reasoning"),
        ("infra_error", "timeout"),
        ("context_too_long", "context_too_long"),
        ("no_prediction", "empty_choices"),
        ("no_prediction", "empty"),
        ("refused", "refusal"),
        ("filtered", "scripted"),
        ("ok", "answer_in_reasoning"),
    ]
    assert got[2].raw is not None and got[2].raw["error"]["message"] == "9 > 8"


def test_rules_for_one_action_are_used_in_order_and_the_last_stays(tmp_path):
    model = script(
        tmp_path,
        {"match": "make", "error": "timeout", "times": 2},
        {"match": "make", "reply": f"{O}ok{C}"},
        {"turn": 2, "reply": f"{O}turn two{C}"},
    )
    got = [predict(model, request("make")).outcome for _ in range(4)]
    assert got == ["infra_error", "infra_error", "ok", "ok"]
    assert predict(model, request("any", ("a", "b"))).observation == "turn two"
    assert predict(model, request("any")).reason == "not_scripted"


def test_a_script_waits_as_long_as_it_is_told(tmp_path):
    model = script(tmp_path, {"reply": f"{O}a{C}", "latency_s": 0.05})

    async def timed() -> tuple[float, Prediction]:
        loop = asyncio.get_running_loop()
        start = loop.time()
        got = await model.predict(request())
        return loop.time() - start, got

    seconds, got = asyncio.run(timed())
    assert seconds >= 0.045
    assert got.latency_s == 0.05


def test_a_script_may_be_toml(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(f'[[rule]]\nmatch = "ls"\nreply = """\n{O}\n  a\n{C}"""\n')
    assert predict(load(f"scripted:{path}"), request("ls")).observation == "  a"
    path.write_text("rules = 3")
    with pytest.raises(DataError, match=r"\[\[rule\]\]"):
        load(f"scripted:{path}")
    path.write_text("rules = ")
    with pytest.raises(DataError, match="cannot be read as TOML"):
        load(f"scripted:{path}")


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ({"match": "a", "replay": "b"}, "replay"),
        ({"turn": 0}, "turn"),
        ({"outcome": "ok"}, "outcome"),
        ({"outcome": "lost"}, "outcome"),
        ({"latency_s": -1}, "latency_s"),
        (3, "line 2"),
    ],
)
def test_a_wrong_rule_is_named_by_line_and_field(rule: Any, says: str, tmp_path):
    with pytest.raises(DataError) as caught:
        script(tmp_path, "fine", rule)
    assert says in str(caught.value)
    assert "demo.jsonl, line 2" in str(caught.value)


def test_a_field_that_no_rule_has_is_answered_with_those_there_are(tmp_path):
    with pytest.raises(DataError) as caught:
        script(tmp_path, {"match": "a", "replay": "b"})
    assert "A rule has: match, turn, times, reply, reasoning" in str(caught.value)
    assert "docs/models.md" in str(caught.value)


def test_a_script_that_is_not_there_is_said_without_an_error_number(tmp_path):
    with pytest.raises(DataError) as caught:
        load(f"scripted:{tmp_path / 'none.toml'}")
    assert "cannot be read (No such file or directory)" in str(caught.value)


# recorded


class Counting(WorldModel):
    """Answers each call with its number; counts calls."""

    name = "counting"
    context = 100
    style = "compact"
    sampling = Sampling(temperature=0.5)

    def __init__(self) -> None:
        self.calls = 0

    async def predict(self, request: Request, on_text: OnText | None = None) -> Prediction:
        self.calls += 1
        if request.action == "down":
            return stamp(request, self.name, "infra_error", reason="timeout")
        if request.action == "cut":
            return stamp(request, self.name, "truncated", reason="cut_in_text")
        return stamp(request, self.name, "ok", observation=f"\ud83d{self.calls}", latency_s=0.5)

    def count(self, text: str) -> int:
        return len(text) * 7


def test_a_recording_is_replayed_to_the_letter_and_never_calls(tmp_path):
    model = Counting()
    recorder = Recorder(model, tmp_path / "r")
    asked = [request("a"), request("b"), request("cut"), request("a", seed=1)]
    made = [predict(recorder, one) for one in asked]
    assert model.calls == 4
    replay, seen = load(f"recorded:{tmp_path / 'r'}"), []
    assert [predict(replay, one, seen.append) for one in asked] == made
    assert (model.calls, len(seen)) == (4, 3)
    assert (made[0].model, replay.name) == ("counting", "recorded:counting")
    miss = predict(replay, request("c"))
    assert (miss.outcome, miss.observation, miss.model) == (
        "not_in_record",
        None,
        "recorded:counting",
    )
    assert miss.request_sha == request("c").sha("counting")


def test_a_recorded_model_is_sent_what_the_model_on_record_was(tmp_path):
    """Same style, sampling and context, and the same count of tokens where that decides."""
    recorder = Recorder(Counting(), tmp_path)
    assert recorder.count("abc") == 21
    replay = RecordedModel(tmp_path)
    for one in (recorder, replay):
        assert (one.context, one.style, one.sampling) == (100, "compact", Sampling(temperature=0.5))
    assert replay.count("abc") == 21
    assert replay.count("never counted") > 0


def test_an_interrupted_recording_goes_on_without_asking_twice(tmp_path):
    first = Counting()
    predict(Recorder(first, tmp_path), request("a"))
    with (tmp_path / "counts.jsonl").open("ab") as file:
        file.write(b'{"sha":"torn')
    second = Counting()
    recorder = Recorder(second, tmp_path)
    assert predict(recorder, request("a")).observation == "\ud83d1"
    assert second.calls == 0
    recorder.count("xy")
    assert RecordedModel(tmp_path).count("xy") == 14


def test_trouble_of_the_infrastructure_is_asked_again_not_recorded(tmp_path):
    model = Counting()
    recorder = Recorder(model, tmp_path)
    assert [predict(recorder, request("down")).outcome for _ in range(2)] == ["infra_error"] * 2
    assert model.calls == 2
    assert predict(RecordedModel(tmp_path), request("down")).outcome == "not_in_record"


def test_a_folder_holds_the_record_of_one_model(tmp_path):
    Recorder(Counting(), tmp_path)
    other = Counting()
    other.name = "other"
    with pytest.raises(UsageError, match="is the record of 'counting'"):
        Recorder(other, tmp_path)
    warmer = Counting()
    warmer.sampling = Sampling(temperature=1)
    with pytest.raises(UsageError, match="sampling"):
        Recorder(warmer, tmp_path)
    with pytest.raises(DataError, match=r"record\.json"):
        load(f"recorded:{tmp_path / 'nothing'}")


def test_a_crash_while_recording_leaves_whole_files_only(tmp_path, monkeypatch):
    model = Counting()
    recorder = Recorder(model, tmp_path)

    def crash(*_: object) -> None:
        raise OSError("power cut")

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(OSError, match="power cut"):
        predict(recorder, request("a"))
    monkeypatch.undo()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["record.json"]
    assert predict(RecordedModel(tmp_path), request("a")).outcome == "not_in_record"


def test_a_damaged_record_is_trouble_not_an_answer(tmp_path):
    predict(Recorder(Counting(), tmp_path), request("a"))
    entry = next(path for path in tmp_path.rglob("*.json") if path.name != "record.json")
    entry.write_text("{")
    got = predict(RecordedModel(tmp_path), request("a"))
    assert (got.outcome, got.reason, got.observation) == ("infra_error", "record_damaged", None)


# retrieval


ROWS = [
    {
        "domain": "terminal",
        "id": "one",
        "initial_state": "$ ",
        "turns": [
            {"action": "ls", "observation": "a.txt", "state_before": None},
            {"action": "cat a.txt", "observation": "hello"},
            {"action": "ls", "observation": "a.txt b.txt"},
        ],
    },
    {
        "domain": "terminal",
        "id": 2,
        "turns": [{"action": "ls -la", "observation": "total 0"}],
    },
    {"domain": "mcp", "id": "three", "turns": [{"action": "ls", "observation": "not a shell"}]},
]


def recordings(tmp_path: Path, rows: list[Any] = ROWS) -> Path:
    path = tmp_path / "turns.jsonl"
    jsonl.write(path, rows)
    return path


def test_the_nearest_action_of_the_same_domain_answers(tmp_path):
    model, seen = load(f"retrieval:{recordings(tmp_path)}"), []
    got = predict(model, request("cat b.txt"), seen.append)
    assert (got.outcome, got.observation, seen) == ("ok", "hello", ["hello"])
    assert got.model == "retrieval:turns"
    assert got.raw is not None
    assert got.raw["neighbour"] == {"trajectory": "one", "turn": 2, "score": pytest.approx(8 / 9)}
    assert predict(model, request("ls -l", domain="mcp")).observation == "not a shell"
    nobody = predict(model, request("ls", domain="web"))
    assert (nobody.outcome, nobody.reason) == ("no_prediction", "no_neighbour")


def test_the_same_action_is_told_apart_by_the_state_before(tmp_path):
    model = RetrievalModel(recordings(tmp_path))
    assert predict(model, request("ls", initial_state="$ ")).observation == "a.txt"
    after = request("ls", ("cat a.txt", "hello you"))
    assert predict(model, after).observation == "a.txt b.txt"
    assert predict(model, request("ls", ("x", "zzz"))).observation == "a.txt"


def test_neighbours_are_ranked(tmp_path):
    model = RetrievalModel(recordings(tmp_path))
    found = model.nearest(request("ls", initial_state="$ "), 9)
    assert [(n.trajectory, n.turn) for n in found] == [("one", 1), ("one", 3), ("2", 1), ("one", 2)]
    assert [n.score for n in found] == sorted((n.score for n in found), reverse=True)
    assert found[0].score == 1
    assert model.nearest(request("ls", initial_state="$ "), 3) == found[:3]
    assert model.nearest(request("ls"), 0) == []


def test_a_recording_never_answers_for_itself(tmp_path):
    model = RetrievalModel(recordings(tmp_path))
    assert predict(model, request("ls", session="one")).observation == "total 0"
    assert predict(model, request("ls", session="one/main")).observation == "total 0"
    assert predict(model, request("ls", session="on")).observation == "a.txt"
    assert predict(model, request("ls", session="three", domain="mcp")).reason == "no_neighbour"


def test_only_the_training_split_is_seen(tmp_path):
    path, splits = recordings(tmp_path), tmp_path / "splits.json"
    splits.write_text(json.dumps({"one": "test", "2": "train"}))
    seen = load(f"retrieval:{path}?splits={splits}")
    assert predict(seen, request("ls")).observation == "total 0"
    assert predict(seen, request("ls", domain="mcp")).reason == "no_neighbour"
    test = load(f"retrieval:{path}?splits={splits}&split=test")
    assert predict(test, request("ls")).observation == "a.txt"
    beside = load(f"retrieval:{path}")  # a splits.json in the same folder is used unasked
    assert predict(beside, request("ls")).observation == "total 0"
    splits.rename(tmp_path / "elsewhere.json")
    for wrong in ("split=train", f"splits={tmp_path / 'elsewhere.json'}&split=all"):
        with pytest.raises(UsageError, match="split"):
            load(f"retrieval:{path}?{wrong}")


def test_a_file_without_a_training_split_says_so(tmp_path):
    (tmp_path / "splits.json").write_text(json.dumps({"somebody": "train"}))
    with pytest.raises(ModelError, match="no trajectory of the split 'train'"):
        predict(load(f"retrieval:{recordings(tmp_path)}"), request("ls"))


def test_a_dialect_answers_only_its_own(tmp_path):
    turn = {"action": "ls", "observation": "x"}
    rows = [
        Trajectory(
            id="t",
            domain="terminal",
            dialect=dialect,
            system=SystemPrompt(initial_state="$"),
            turns=(msgspec.convert({**turn, "observation": dialect}, Turn),),
        ).record()
        for dialect in ("terminus2", "command")
    ]
    model = RetrievalModel(recordings(tmp_path, rows))
    assert predict(model, request("ls")).observation == "command"
    assert predict(model, request("ls", dialect="aci")).reason == "no_neighbour"


def test_long_and_odd_texts_are_compared_too(tmp_path):
    turns = [{"action": "\ud83d" + "x" * 9000, "observation": "long"}]
    turns += [{"action": f"echo {i}", "observation": f"{i}"} for i in range(2000)]
    rows = [{"domain": "terminal", "id": "a", "turns": turns}]
    model = RetrievalModel(recordings(tmp_path, rows))
    assert predict(model, request("\ud83d" + "x" * 8999)).observation == "long"
    assert predict(model, request("echo 1999")).observation == "1999"
    assert predict(model, request("")).outcome == "ok"


def test_a_file_that_cannot_be_searched_is_named(tmp_path):
    with pytest.raises(ModelError, match="no such file"):
        load(f"retrieval:{tmp_path / 'none.jsonl'}")
    bad = RetrievalModel(recordings(tmp_path, [*ROWS, {"domain": "terminal", "id": "x"}]))
    with pytest.raises(ModelError, match=r"turns\.jsonl, line 4"):
        predict(bad, request())
    splits = tmp_path / "s.json"
    splits.write_text("[]")
    with pytest.raises(ModelError, match=r"s\.json"):
        predict(RetrievalModel(recordings(tmp_path), splits=splits), request())


def test_offline_models_take_the_common_options(tmp_path):
    for spec in ("copy", f"retrieval:{recordings(tmp_path)}"):
        model = load(f"{spec}?ctx=512&prompts=compact")
        assert (model.context, model.style) == (512, "compact")
        assert load(spec).style == "full"


# in a world


def test_a_recorded_session_is_replayed_by_a_world(tmp_path):
    path = tmp_path / "demo.jsonl"
    jsonl.write(path, [f"{O}\n  one\n{C}", f"{O}two{C}"])

    async def play(model: str | WorldModel) -> list[Prediction | None]:
        async with World.open("generic", model=model, seed=7) as world:
            return [(await world.step(action)).prediction for action in ("a", "b")]

    made = asyncio.run(play(Recorder(load(f"scripted:{path}"), tmp_path / "r")))
    assert [one and one.observation for one in made] == ["  one", "two"]
    assert asyncio.run(play(f"recorded:{tmp_path / 'r'}")) == made
