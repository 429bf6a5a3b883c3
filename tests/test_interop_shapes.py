"""Files that go between us and the official script, and what needs no other tool to be tested."""

import json
import subprocess
import sys
from statistics import mean

import pytest

from benchmarks.stub import Stub
from tests.judging import predicted, read, row, run, verdict, write
from worldline import jsonl
from worldline.bench.interop.posed import answered, measured, posed
from worldline.bench.judge import given as lines
from worldline.bench.judge.judged import JUDGED_FIELDS, official_keys
from worldline.bench.judge.verdict import read as verdict_in
from worldline.errors import DataError
from worldline.messages import Message
from worldline.reply import Reply
from worldline.storage import write_trajectories
from worldline.trajectory import Source, Trajectory, Turn
from worldline.verify.compare import DIMENSIONS

FIELDS = list(row())
"""The eight of a row, in their order."""
TYPES = {
    "total_score": float,
    **dict.fromkeys(DIMENSIONS, int),
    "failed": float,
    "strengths": list,
    "weaknesses": list,
    "extracted_output": str,
    "judge_raw_output": str,
}


def official(**more):
    """A judged line as the official script writes it."""
    return {
        **predicted(),
        "total_score": 3.4,
        **dict(zip(DIMENSIONS, (5, 2, 4, 3, 3), strict=True)),
        "failed": 0.0,
        "strengths": ["its form"],
        "weaknesses": [],
        "extracted_output": "a guess about 1",
        "judge_raw_output": verdict(),
        **more,
    }


# ours, read by others


def judged(tmp_path, *told, answer=None):
    source = write(tmp_path / "predictions.jsonl", list(told))
    with Stub(answer or verdict(4, realism=2)) as stub:
        run(source, tmp_path / "judged.jsonl", stub.url)
    return read(tmp_path / "judged.jsonl")


def test_a_scored_line_has_the_official_keys_in_their_types(tmp_path):
    (line,) = judged(tmp_path, predicted())
    assert list(line)[: len(FIELDS)] == FIELDS
    assert {name: type(line[name]) for name in TYPES} == TYPES
    assert set(line) - set(FIELDS) == {"gen", *TYPES, "worldline_judge"}
    assert line["total_score"] == pytest.approx(mean([4, 4, 4, 2, 4]))


def test_a_failed_line_is_failed_to_the_official_script_too(tmp_path):
    lost, empty = judged(
        tmp_path, predicted(id=1), {**row(id=2), "gen": ""}, answer="no verdict here"
    )
    for line, reason in ((lost, "no_verdict"), (empty, "no_prediction/empty")):
        assert (line["failed"], line["total_score"], line["error_message"]) == (1.0, 0, reason)
        assert not line.keys() & {*DIMENSIONS, "strengths"}


def test_arithmetic_over_the_official_keys_alone_gives_our_scores(tmp_path):
    """The mean of the valid lines' totals, (raw - 1) / 4 * 100, as scores are published."""
    told = [predicted(id=n) for n in range(4)] + [{**row(id=9), "gen": ""}]
    answers = {f"A3 of {n}": verdict(n + 1) for n in range(3)}

    def answer(call):
        text = call.body["messages"][-1]["content"]
        return next((said for name, said in answers.items() if name in text), "none")

    found = judged(tmp_path, *told, answer=answer)
    valid = [line for line in found if line["failed"] == 0.0]
    assert (len(valid), len(found)) == (3, 5)
    assert (mean(line["total_score"] for line in valid) - 1) / 4 * 100 == 25.0


def test_every_line_is_json_of_the_strict_kind_whatever_it_holds(tmp_path):
    hostile = "line\u2028separator, half \ud83d, tab\t, \0"
    (line,) = judged(tmp_path, predicted(hostile))
    raw = (tmp_path / "judged.jsonl").read_bytes()
    assert raw.count(b"\n") == 1 and raw.decode("utf-8")
    assert line["extracted_output"] == hostile


# others', read by us


def test_predictions_of_the_official_script_are_judged(tmp_path):
    (line,) = judged(tmp_path, {**row(note=[1]), "gen": "<think>x</think>O3 of 1"})
    assert line["extracted_output"] == "O3 of 1" and line["note"] == [1]


def test_its_judged_lines_are_read_with_their_judgement_apart(tmp_path):
    (seen,) = lines.read(write(tmp_path / "j.jsonl", [official()]))
    assert seen.line == predicted() and seen.observation == "a guess about 1"
    assert seen.earlier == {name: official()[name] for name in TYPES}
    assert set(seen.earlier) < set(JUDGED_FIELDS)


def test_its_judged_lines_can_be_judged_anew(tmp_path):
    (line,) = judged(tmp_path, official())
    assert line["total_score"] == pytest.approx(3.6)
    assert line["worldline_judge"]["of"] == jsonl.sha(predicted())


def test_its_failed_lines_are_lines_like_others(tmp_path):
    failed = {**predicted(), "total_score": -1, "failed": 1.0, "error_message": "Judge failed"}
    unsaid = {**row(id=2), "gen": "", "failed": 1.0, "error_message": "No model generation"}
    first, second = judged(tmp_path, failed, unsaid)
    assert (first["failed"], "error_message" in first) == (0.0, False)
    assert second["error_message"] == "no_prediction/empty"


def test_a_verdict_becomes_the_keys_that_the_official_script_would_write():
    scores = {name: official()[name] for name in DIMENSIONS}
    body = {"strengths": ["its form"], "weaknesses": [], "scores": scores}
    raw = f"<final_evaluation>{json.dumps(body)}</final_evaluation>"
    made = official_keys(verdict_in(raw), "a guess about 1", raw)
    assert made == {**{name: official()[name] for name in TYPES}, "judge_raw_output": raw}


# rows in another tool


def test_a_row_is_asked_as_it_is_and_its_answer_measured_from_json_alone(tmp_path):
    source, every = posed(write(tmp_path / "rows.jsonl", [row(), row(id=2, turn=1), row()]))
    first, second, again = every
    assert source.name == "rows.jsonl"
    assert [message.role for message in first.messages] == [
        *("system", "user", "assistant", "user", "assistant", "user")
    ]
    assert first.messages[0].content == "ROW-SYS" and first.messages[-1].content == "A3 of 1"
    assert first.truth == "O3 of 1"
    assert again.id == f"{first.id}#2" != second.id
    assert again.about["session"] == first.about["session"] != second.about["session"]
    about = json.loads(json.dumps(first.about))
    said = Reply(content="<predicted_observation>O3 of 1</predicted_observation>")
    card = measured(answered(about["row"], first.messages, said, "m"))
    assert card is not None and card.true.score == 1.0


def test_no_request_holds_anything_of_the_turn_it_asks_about(tmp_path):
    told = Trajectory(
        id="t",
        domain="terminal",
        dialect="command",
        source=Source(kind="recorded", name="somewhere"),
        turns=tuple(Turn(action=f"echo {n}", observation=f"seen-{n}") for n in range(4)),
    )
    write_trajectories(tmp_path / "t.jsonl", [told])
    _, every = posed(tmp_path / "t.jsonl", max_turns=3)
    asked = list(every)
    assert [one.about["turn"] for one in asked] == [1, 2, 3]
    for one in asked:
        text = "\n".join(message.content for message in one.messages)
        assert one.truth not in text
        assert all(f"seen-{n}" in text for n in range(one.about["turn"] - 1))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(content="<predicted_observation>O3", finish_reason="max_tokens"), "truncated"),
        (Reply(content="O3 of", finish_reason="model_length"), "truncated"),
        (Reply(content="", finish_reason="content_filter"), "filtered"),
        (Reply(content="", finish_reason="stop"), "empty"),
        (Reply(choices=0), "empty_choices"),
    ],
)
def test_what_is_no_observation_is_not_measured(reply, reason):
    asked = [Message("system", "In <predicted_observation> tags."), Message("user", "A3 of 1")]
    answer = answered(jsonl.dumps(row()).decode(), asked, reply, "m")
    assert (answer.observation, answer.reason) == (None, f"no_prediction/{reason}")
    assert measured(answer) is None


def test_rows_that_are_not_there_are_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.jsonl"):
        posed(tmp_path / "none.jsonl")


def test_nothing_of_ours_imports_inspect_ai_but_its_own_modules():
    code = (
        "import sys, worldline.cli, worldline.bench.interop.posed\n"
        "assert 'inspect_ai' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
