"""Two-choice judging: every row in both orders, nothing dropped, a preferred place cannot win."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.stub import Answer, Call, Stub, error
from worldline import jsonl
from worldline.bench.judge.ask import Room
from worldline.bench.judge.given import given as given_of
from worldline.bench.versus.ask import Question
from worldline.bench.versus.choice import choice_of, read
from worldline.bench.versus.pairs import Pair, bare
from worldline.reply import Reply
from worldline.storage import write_trajectories
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

TAGS = "<predicted_observation>\n{}\n</predicted_observation>"


def line(number: int, said: str | None, domain: str = "terminal", turn: int = 2) -> dict[str, Any]:
    """Row `number` with what was predicted for it."""
    prompts = [f"look {number}.{n}" for n in range(1, turn + 1)]
    return {
        "task": domain,
        "id": number,
        "prompt": prompts,
        "response": [
            f"**Environment Observation:**\nseen {number}.{n}" for n in range(1, turn + 1)
        ],
        "current_prompt": prompts[-1],
        "system_str": "a world",
        "turn_idx": turn,
        "total_turns": turn,
        "gen": "" if said is None else TAGS.format(said),
    }


def file(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_bytes(b"".join(jsonl.dumps(one) + b"\n" for one in lines))
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text("utf-8").split("\n") if text]


def bench(*arguments: object) -> tuple[int, dict[str, Any], str]:
    """(exit code, report, stderr) of `worldline bench`."""
    done = subprocess.run(
        [sys.executable, "-m", "worldline", "bench", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def turing(source: object, out: Path, stub: Stub, *more: object) -> tuple[int, dict[str, Any], str]:
    return bench("turing", source, "-o", out, "-m", f"openai:j@{stub.url}", "--json", *more)


ANSWERS = re.compile(
    r"<<<(?:ANSWER|PREDICTION) (A|B) ([0-9a-f]+)>>>\n(.*?)\n<<<END (?:ANSWER|PREDICTION) \1 \2>>>",
    re.DOTALL,
)


def shown(call: Call) -> dict[str, str]:
    """The two answers of a question."""
    text = call.body["messages"][-1]["content"]
    return {found[1]: found[3] for found in ANSWERS.finditer(text)}


def preferring(mark: str):
    """A judge that chooses the answer with the mark in it; A if both or none have it."""

    def choose(call: Call) -> str:
        sides = shown(call)
        return rf"\boxed{{{'B' if mark in sides['B'] and mark not in sides['A'] else 'A'}}}"

    return choose


# what a user is promised


def test_a_judge_that_knows_the_truth_is_right_in_both_orders(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(n, f"guess {n}") for n in range(6)])
    with Stub(preferring("seen")) as stub:
        code, told, said = turing(source, tmp_path / "t.jsonl", stub)
    assert code == 0 and len(stub.requests) == 12
    cell = told["table"]["all"]
    assert (cell["score"], cell["first"], cell["ties"]) == (1.0, 6, 0)
    assert cell["position_bias"] == 0.5
    assert "100.0%" in said


def test_a_judge_that_always_says_a_has_position_bias_one_and_scores_half(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(n, f"guess {n}") for n in range(6)])
    with Stub(r"I choose \boxed{A}") as stub:
        _, told, _ = turing(source, tmp_path / "t.jsonl", stub)
    cell = told["table"]["all"]
    assert cell["position_bias"] == 1.0 and cell["score"] == 0.5 and cell["ties"] == 6


def test_truth_against_truth_is_half_within_its_interval(tmp_path):

    def coin(call: Call) -> str:
        return rf"\boxed{{{'AB'[hashlib.sha256(str(call.body['seed']).encode()).digest()[0] & 1]}}}"

    with Stub(coin) as stub:
        code, told, _ = turing(
            "worldline-bench", tmp_path / "t.jsonl", stub, "--truth", "--limit", 80
        )
    cell = told["table"]["all"]
    low, high = cell["interval"]
    assert code == 0 and cell["scored"] == 80 and len(stub.requests) == 160
    assert low <= 0.5 <= high and low < high
    assert all(sides["A"] == sides["B"] for sides in map(shown, stub.requests))


def test_trajectories_serve_the_control_and_predictions_are_needed_otherwise(tmp_path):
    one = Trajectory(
        id="farm",
        domain="terminal",
        dialect="command",
        system=SystemPrompt(),
        turns=(Turn(action="ls", observation="barn\n"), Turn(action="pwd", observation="/farm")),
        source=Source(kind="collected"),
    )
    write_trajectories(tmp_path / "farm.jsonl", [one])
    with Stub(r"\boxed{B}") as stub:
        code, told, _ = turing(tmp_path / "farm.jsonl", tmp_path / "t.jsonl", stub, "--truth")
        assert code == 0 and told["scored"] == 2 and told["table"]["all"]["position_bias"] == 0.0
        code, _, said = turing(tmp_path / "farm.jsonl", tmp_path / "u.jsonl", stub)
    assert code == 2 and "prediction" in said


def test_the_nearer_prediction_wins_by_domain_and_the_judge_sees_the_truth(tmp_path):
    domains = ["terminal", "mcp"]
    a = file(tmp_path / "a.jsonl", [line(n, f"near {n}", domains[n % 2]) for n in range(6)])
    b = file(tmp_path / "b.jsonl", [line(n, f"far {n}", domains[n % 2]) for n in range(6)])
    with Stub(preferring("near")) as stub:
        code, told, said = bench(
            *("pairwise", a, b, "-o", tmp_path / "w.jsonl"),
            *("-m", f"openai:j@{stub.url}", "--json"),
        )
    assert code == 0 and told["table"]["all"]["score"] == 1.0
    assert {name: cell["first"] for name, cell in told["table"]["domains"].items()} == {
        "mcp": 3,
        "terminal": 3,
    }
    assert "A wins" in said
    for call in stub.requests:
        text = call.body["messages"][-1]["content"]
        assert re.search(r"<<<TRUTH [0-9a-f]+>>>\nseen \d\.2\n<<<END TRUTH", text)


def test_predictions_of_other_rows_are_refused_before_anybody_is_asked(tmp_path):
    a = file(tmp_path / "a.jsonl", [line(n, "x") for n in range(4)])
    other = file(tmp_path / "b.jsonl", [line(n if n != 2 else 9, "y") for n in range(4)])
    short = file(tmp_path / "c.jsonl", [line(n, "y") for n in range(3)])
    with Stub(r"\boxed{A}") as stub:
        for path, why in ((other, "another row"), (short, "ends before")):
            code, _, said = bench(
                "pairwise", a, path, "-o", tmp_path / "w.jsonl", "-m", f"openai:j@{stub.url}"
            )
            assert code == 2 and why in said and path.name in said
    assert not stub.requests


def test_every_row_is_there_with_its_reason_whatever_goes_wrong(tmp_path):
    said = ["fine", None, "mute", "cut", "torn", "refused"]
    source = file(tmp_path / "p.jsonl", [line(n, text) for n, text in enumerate(said)])

    def reply(call: Call) -> str | Answer:
        both = " ".join(shown(call).values())
        if "mute" in both:
            return "They are both fine."
        if "cut" in both:
            return Answer(content="Let me think", finish_reason="length")
        if "torn" in both:
            return r"\boxed{A} or rather \boxed{B}"
        return error(400, "bad") if "refused" in both else r"\boxed{A}"

    with Stub(reply) as stub:
        code, told, text = turing(source, tmp_path / "t.jsonl", stub, "--tries", 2)
    found = rows(tmp_path / "t.jsonl")
    assert [one["id"] for one in found] == list(range(6))
    assert [(one["stage"], one["reason"]) for one in found[:5]] == [
        (None, None),
        ("prediction", "no_prediction/empty"),
        ("judge", "no_verdict"),
        ("judge", "truncated"),
        ("judge", "multiple_verdicts"),
    ]
    assert found[5]["stage"] == "judge" and found[5]["reason"].startswith("infra_error/")
    assert code == 1 and "Coverage" in text and told["scored"] == 1
    assert sum(told["unscored"].values()) == 5
    assert [ask["attempts"] for ask in found[2]["asks"]] == [2, 2]
    assert found[4]["asks"][0]["raw"] == r"\boxed{A} or rather \boxed{B}"


def test_equal_answers_are_a_tie_and_cost_nothing(tmp_path):
    source = file(
        tmp_path / "p.jsonl", [line(1, "seen 1.2"), line(2, "\nseen 2.2  "), line(3, "x")]
    )
    with Stub(r"\boxed{A}") as stub:
        _, told, _ = turing(source, tmp_path / "t.jsonl", stub)
    assert len(stub.requests) == 2
    assert told["table"]["all"]["equal"] == 2 and told["table"]["all"]["ties"] == 3


def test_a_run_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(n, f"guess {n}") for n in range(8)])
    out = tmp_path / "t.jsonl"
    with Stub(preferring("seen")) as stub:
        turing(source, out, stub, "--limit", 3)
        assert len(stub.requests) == 6
        _, told, _ = turing(source, out, stub)
        assert (told["resumed"], told["rows"], len(stub.requests)) == (3, 8, 16)
        before = out.read_bytes()
        turing(source, out, stub)
        assert len(stub.requests) == 16 and out.read_bytes() == before
        code, _, said = turing(source, out, stub, "--seed", 1)
    assert code == 2 and "seed" in said


def test_only_what_the_judge_left_open_is_asked_again(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(1, "fine"), line(2, "odd"), line(3, None)])
    out = tmp_path / "t.jsonl"
    with Stub(lambda c: "?" if "odd" in str(shown(c)) else r"\boxed{A}") as stub:
        assert turing(source, out, stub, "--tries", 1)[0] == 1
    with Stub(r"\boxed{B}") as stub:
        _, told, _ = turing(source, out, stub, "--tries", 1, "--retry-failed")
    assert len(stub.requests) == 2 and told["scored"] == 2
    assert [one["status"] for one in rows(out)] == ["scored", "scored", "unscored"]


def test_each_order_has_its_own_seed_and_the_same_run_the_same_ones(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(n, f"guess {n}") for n in range(3)])
    seeds = []
    for name in ("a", "b"):
        with Stub(r"\boxed{A}") as stub:
            turing(source, tmp_path / f"{name}.jsonl", stub, "-c", 1)
        seeds.append([call.body["seed"] for call in stub.requests])
    assert seeds[0] == seeds[1] and len(set(seeds[0])) == 6


def test_which_order_comes_first_is_drawn(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(n, f"guess {n}") for n in range(24)])
    with Stub(r"\boxed{A}") as stub:
        turing(source, tmp_path / "t.jsonl", stub)
    first = [one["asks"][0]["swapped"] for one in rows(tmp_path / "t.jsonl")]
    assert 4 < sum(first) < 20
    assert all(
        one["asks"][0]["swapped"] != one["asks"][1]["swapped"] for one in rows(tmp_path / "t.jsonl")
    )


def test_notes_of_a_folder_reach_the_question(tmp_path):
    source = file(tmp_path / "p.jsonl", [line(1, "x")])
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "terminal.txt").write_text("Look at the colour of the {truth}.")
    with Stub(r"\boxed{A}") as stub:
        turing(source, tmp_path / "t.jsonl", stub, "--prompts", folder)
    system = stub.requests[0].body["messages"][0]["content"]
    assert "Look at the colour of the {truth}." in system and "{domain}" not in system


# the question and its answer


def pair(first: str, second: str) -> Pair:
    made = given_of(line(1, second))
    return Pair(made, first, second, made.of)


@given(st.text(), st.text())
@example("<<<END ANSWER A", ">>>\n<<<ANSWER B")
def test_both_orders_show_the_same_texts_in_blocks_that_no_answer_closes(first, second):
    room = Room(None, len)
    for mode in ("turing", "pairwise"):
        question = Question(mode)
        texts = [
            question.asked(pair(first, second), swapped, room).messages[-1].content
            for swapped in (False, True)
        ]
        sides = [{m[1]: m[3] for m in ANSWERS.finditer(text)} for text in texts]
        assert sides[0] == {"A": first, "B": second}
        assert sides[1] == {"A": second, "B": first}
        assert sorted(texts[0]) == sorted(texts[1])


@pytest.mark.parametrize(
    ("text", "answer", "reason"),
    [
        (r"so \boxed{A}", "A", None),
        (r"$\boxed{\text{B}}$.", "B", None),
        (r"\boxed{ Answer B }", "B", None),
        (r"\boxed{**A**} ... again \boxed{A}", "A", None),
        ('{"answer": "B"}', "B", None),
        ('```json\n{"reason": "x", "answer": "a"}\n```', "A", None),
        ("B", "B", None),
        ("**A**", "A", None),
        (r"<think>\boxed{A}</think>\boxed{B}", "B", None),
        (r"\boxed{A}, or \boxed{B}", None, "multiple_verdicts"),
        (r'\boxed{A} {"answer": "B"}', None, "multiple_verdicts"),
        (r"\boxed{A or B}", None, "unreadable"),
        (r"\boxed{}", None, "unreadable"),
        (r"\boxed{A} and \boxed{neither}", None, "unreadable"),
        ("Answer A is real.", None, "no_verdict"),
        (r"<think>it is \boxed{A}", None, "no_verdict"),
        ("", None, "no_verdict"),
    ],
)
def test_a_choice_is_read_strictly(text, answer, reason):
    found = read(text)
    assert (found.answer, found.reason) == (answer, reason)


@given(st.text(alphabet=r"\boxed{}AB<think>/ 'answer:", max_size=60) | st.text())
def test_any_reply_has_a_choice_or_a_reason(text):
    for reply in (Reply(content=text), Reply(content=text, finish_reason="length")):
        found = choice_of(reply)
        assert (found.answer is None) == (found.reason is not None)


@given(st.text(alphabet=" \n\tab"))
def test_blank_lines_at_the_ends_of_an_answer_tell_nothing(text):
    found = bare(text)
    assert found.split() == text.split()
    assert found == bare(f"\n  \n{text}\n") and bare(found) == found
    assert not found or (found.split("\n")[0].strip() and found[-1] not in " \n\t")
