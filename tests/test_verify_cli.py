"""`worldline verify`, `assess` and `bench rules`, end to end on rows of our own."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

from tests.command import told as worldline
from worldline import jsonl
from worldline.bench.assess import kind_of
from worldline.storage import write_trajectories
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

HOSTILE = "<script>alert(1)</script>\x1b]52;c;aGk=\x07"


def recorded() -> list[Trajectory]:
    turns = (
        Turn(action="echo oats > /tmp/feed.txt", observation=""),
        Turn(action="cat /tmp/feed.txt", observation="oats"),
        Turn(action="ls barn", observation=f"ls: cannot access 'barn': {HOSTILE}"),
    )
    return [
        Trajectory(
            id=f"farm-{n}",
            domain="terminal",
            dialect="command",
            system=SystemPrompt(task_description="A farm."),
            turns=turns,
            source=Source(kind="collected"),
        )
        for n in range(2)
    ]


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    path = tmp_path / "farm.jsonl"
    write_trajectories(path, recorded())
    return path


def test_predictions_are_scored_by_domain_dialect_and_dimension(traces, tmp_path):
    out, rows, page = tmp_path / "copy.jsonl", tmp_path / "rows.jsonl", tmp_path / "page.html"
    assert worldline("predict", traces, "-m", "copy", "-o", out)[0] == 0
    code, told, said = worldline("verify", out, "-o", rows, "--page", page, "--json")
    assert code == 0
    groups = {(g["domain"], g["dialect"]): g for g in json.loads(told)["groups"]}
    assert set(groups) == {("terminal", "*"), ("terminal", "command")}
    assert groups["terminal", "*"]["rows"] == groups["terminal", "*"]["scored"] == 6
    assert 0 < groups["terminal", "*"]["true"]["score"] < 1
    kept = [line.value for line in jsonl.read(rows)]
    assert [row["turn"] for row in kept] == [1, 2, 3, 1, 2, 3]
    assert "terminal" in said
    html = page.read_text("utf-8")
    assert "<script" not in html and "\x1b" not in html and "&lt;script&gt;" in html


def test_a_row_without_an_answer_is_unscored_and_the_exit_code_says_so(traces, tmp_path):
    out = tmp_path / "copy.jsonl"
    worldline("predict", traces, "-m", "copy", "-o", out)
    rows = [line.value for line in jsonl.read(out)]
    rows[1]["worldline"] = {
        **rows[1]["worldline"],
        "outcome": "truncated",
        "observation": None,
        "reason": "length",
    }
    jsonl.write(out, rows)
    code, told, said = worldline("verify", out, "--json")
    assert code == 1
    whole = json.loads(told)["groups"][0]
    assert (whole["rows"], whole["scored"]) == (6, 5)
    assert whole["reasons"] == {"truncated: length": 1} and "truncated: length" in said


def test_predictions_of_any_tool_are_rows_with_gen(tmp_path):
    row = {
        "task": "terminal",
        "id": "1",
        "prompt": ["echo oats > /tmp/feed.txt", "cat /tmp/feed.txt"],
        "response": ["", "oats"],
        "current_prompt": "cat /tmp/feed.txt",
        "system_str": "You are a terminal.",
        "turn_idx": 2,
        "total_turns": 2,
    }
    path = tmp_path / "theirs.jsonl"
    jsonl.write(path, [{**row, "gen": "<predicted_observation>\noats\n</predicted_observation>"}])
    code, told, _ = worldline("verify", path, "--json")
    assert code == 0
    assert json.loads(told)["groups"][0]["true"]["score"] == 1


def test_rows_without_predictions_are_refused_by_line_and_field(tmp_path):
    path = tmp_path / "rows.jsonl"
    jsonl.write(path, [{"task": "terminal", "id": "1"}])
    code, _, said = worldline("verify", path)
    assert code != 0 and "rows.jsonl" in said and "gen" in said and "line 1" in said


def test_recorded_trajectories_are_checked_against_the_rules(traces, tmp_path):
    code, told, _ = worldline("verify", traces, "--json")
    assert code == 0
    whole = json.loads(told)["groups"][0]
    assert (whole["rows"], whole["scored"], whole["errors"]) == (6, 0, 0)
    one = recorded()[0]
    lie = Turn(action="cat /tmp/feed.txt", observation="wheat")
    path = tmp_path / "false.jsonl"
    write_trajectories(path, [msgspec.structs.replace(one, turns=(one.turns[0], lie))])
    _, told, _ = worldline("verify", path, "--json")
    whole = json.loads(told)["groups"][0]
    assert whole["errors"] == 1 and "terminal.known" in whole["rules"]


def test_assess_tells_a_lie_rate_that_a_count_by_hand_gives(traces, tmp_path):
    out = tmp_path / "trust"
    code, told, _ = worldline("assess", traces, "-m", "copy", "-o", out, "--json")
    assert code == 0
    raw, grounded = json.loads(told)["arms"]
    # copy says nothing, "", and "oats" (which did not come), in each of two sessions
    assert (raw["rate"]["lies"], raw["rate"]["claims"]) == (2, 2)
    # the ledger knows the second answer ("oats", which is true)
    assert (grounded["rate"]["lies"], grounded["rate"]["claims"], grounded["known"]) == (2, 4, 2)
    assert "<script" not in (out / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ('{"name": "greet", "arguments": {"name": "Ines"}}', "greet"),
        ('{"arguments": {}}', "(call)"),
        ('{"name": "greet", ', "(call)"),
        ("wc -l a.txt", "wc"),
        ('[{"keystrokes": "ls\\n", "duration": 0.1}]', "ls"),
        ('[{"keystrokes": " "}]', "(keys)"),
        ("[[1]]", "(call)"),
        ('{"commands": [{"keystrokes": "ls -a\\n"}], "plan": "look"}', "ls"),
        ("  ", "(nothing)"),
    ],
)
def test_a_kind_of_action_is_its_tool_or_its_command(action: str, kind: str):
    assert kind_of(action) == kind


def test_assess_wants_traces_or_a_server(tmp_path):
    code, _, said = worldline("assess", "-m", "copy", "-o", tmp_path / "t")
    assert code != 0 and "--mcp" in said


def test_assess_records_a_server_of_ones_own(tmp_path):
    server = Path(__file__).parent / "mcp_servers" / "plain.py"
    out = tmp_path / "trust"
    command = f"{sys.executable} {server}"
    code, told, said = worldline(
        *("assess", "--mcp", command, "-m", "copy", "-o", out),
        *("--episodes", 1, "--turns", 6, "--json"),
    )
    assert code == 0, said
    assert json.loads(told)["turns"] == 6
    assert (out / "recorded" / "trajectories.jsonl").is_file()
