"""What a report of `verify` tells and leaves apart: rules alone, notes on actions, guesses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_rows import READ_FILE, after, call, opened

from tests.command import told as worldline
from worldline import jsonl
from worldline.cli.verify_told import listed
from worldline.domains.common import shortened
from worldline.domains.mcp import DOMAIN
from worldline.storage import write_trajectories
from worldline.trajectory import Source, Trajectory, Turn


def calls() -> Trajectory:
    """Two calls: one passes what its tool does not declare, the other reads it all again."""
    turns = (
        Turn(action=call("read_file", path="/a", colour="red"), observation="oats"),
        Turn(action=call("read_file", path="/b"), observation="hay"),
        Turn(action=call("read_file", path="/b"), observation="wheat"),
    )
    ours = Source(kind="collected")  # where nobody else writes, what was read stays
    return Trajectory(
        id="barn", domain="mcp", dialect="json", tools=(READ_FILE,), turns=turns, source=ours
    )


def bare(task: str, **more: str) -> dict[str, object]:
    """A benchmark row that says no dialect."""
    return {
        "task": task,
        "id": 1,
        "prompt": ["ls"],
        "response": ["a.txt"],
        "current_prompt": "ls",
        "system_str": "",
        "turn_idx": 1,
        "total_turns": 1,
        **more,
    }


@given(st.text(), st.integers(1, 60))
def test_a_text_that_is_cut_says_so_and_is_never_too_long(text: str, limit: int):
    told = shortened(text, limit)
    assert len(told) <= limit
    if told != text:
        assert len(text) > limit and told.endswith("…") and text.startswith(told[:-1])


def test_a_cut_stands_between_words():
    assert shortened("the harbour master", 12) == "the harbour…"
    assert shortened("x" * 20, 12) == "x" * 11 + "…"
    assert shortened("the harbour", 11) == "the harbour"


def test_what_the_session_settles_is_quoted_up_to_a_whole_word():
    action = call("read_file", path="/a")
    ledger = after(opened(READ_FILE), (action, "the tide table of the harbour " * 20))
    (found,) = [v for v in DOMAIN.checks(ledger, action, "x") if v.rule == "contradicts_session"]
    assert found.message.endswith(("tide…", "table…", "of…", "the…", "harbour…")), found.message


def test_of_recordings_only_rules_are_told_and_notes_on_actions_stand_apart(tmp_path):
    path, page, rows = tmp_path / "barn.jsonl", tmp_path / "p.html", tmp_path / "rows.jsonl"
    write_trajectories(path, [calls()])
    code, told, said = worldline("verify", path, "--json", "--page", page, "-o", rows)
    assert code == 0
    assert "only rules ran: 3 turns, 1 impossible, 0 odd; 1 with a note of the action" in said
    assert "scored" not in said and "plausible" not in said
    assert "mcp: contradicts_session" in said and "mcp: undeclared_argument" in said
    whole = json.loads(told)["groups"][0]
    assert (whole["errors"], whole["warnings"], whole["noted"]) == (1, 0, 1)
    assert [len(one.value["notes"]) for one in jsonl.read(rows)] == [1, 0, 0]
    html = page.read_text("utf-8")
    assert "Farthest" not in html and html.count("<pre class=action>") == 1


def test_a_note_on_the_action_makes_no_row_of_a_model_odd(tmp_path):
    path, out = tmp_path / "barn.jsonl", tmp_path / "copy.jsonl"
    write_trajectories(path, [calls()])
    assert worldline("predict", path, "-m", "copy", "-o", out)[0] == 0
    _, told, said = worldline("verify", out, "--json")
    whole = json.loads(told)["groups"][0]
    assert "undeclared_argument" not in whole["rules"] and whole["noted"] == 1
    assert "mcp: of the action, 1 rows: undeclared_argument 1" in said


def test_a_list_of_rules_that_is_cut_says_how_many_are_left():
    counts = {f"rule{n}": 9 - n for n in range(8)}
    assert listed(counts).endswith("rule5 4 and 2 more")
    assert listed(dict(list(counts.items())[:6])).endswith("rule5 4")


@pytest.mark.parametrize("verb", ["verify", "assess"])
def test_a_file_without_rows_is_refused(tmp_path, verb):
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    code, _, said = worldline(verb, path, "-o", tmp_path / "out")
    assert code == 2 and (
        "holds no rows" in said if verb == "verify" else "no recorded turn" in said
    )
    assert not (tmp_path / "out").exists()


def test_the_benchmark_that_comes_along_is_verified_by_its_name():
    code, told, said = worldline("verify", "worldline-bench", "--json")
    groups = {one["domain"]: one for one in json.loads(told)["groups"] if one["dialect"] == "*"}
    assert code == 0 and set(groups) == {"mcp", "search", "swe", "terminal"}
    assert all(one["guarded"] == one["rows"] > 1000 for one in groups.values())
    assert "only rules ran" in said and sum(one["errors"] for one in groups.values()) == 0


def test_a_folder_of_ones_own_is_read_file_by_file(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    for name in ("a.jsonl", "b.parquet", "c.jsonl.gz"):
        write_trajectories(mine / name, [calls()])
    (mine / "notes.txt").write_text("not a recording")
    code, told, _ = worldline("verify", mine, "--json")
    assert code == 0 and json.loads(told)["groups"][0]["rows"] == 9
    code, told, said = worldline("assess", mine, "-m", "copy", "-o", tmp_path / "out", "--json")
    assert code == 0, said
    assert json.loads(told)["turns"] == 9


@pytest.mark.parametrize("verb", ["verify", "assess"])
def test_a_folder_without_recordings_says_what_is_expected(tmp_path, verb):
    (tmp_path / "notes.txt").write_text("nothing")
    code, _, said = worldline(verb, tmp_path)
    assert code == 2 and "trajectories.jsonl" in said and ".parquet" in said


def test_assess_says_that_predictions_are_measured_by_verify(tmp_path):
    path = tmp_path / "p.jsonl"
    jsonl.write(path, [bare("terminal", gen="a.txt")])
    code, _, said = worldline("assess", path, "-m", "copy", "-o", tmp_path / "out")
    assert code == 2 and "holds predictions, not recordings" in said
    assert "worldline verify p.jsonl" in said
    jsonl.write(path, [bare("terminal")])
    code, _, said = worldline("assess", path, "-m", "copy", "-o", tmp_path / "out")
    assert code == 2 and "worldline import awb p.jsonl" in said


def test_a_domain_that_is_not_installed_is_told_once(tmp_path):
    path, own = tmp_path / "p.jsonl", tmp_path / "own.jsonl"
    jsonl.write(path, [bare("weather", gen="a.txt"), bare("weather", gen="b.txt")])
    code, _, said = worldline("verify", path)
    told = [line for line in said.splitlines() if '"weather" is not an installed domain' in line]
    assert code == 0 and len(told) == 1
    assert "its 2 rows are read as plain text" in told[0] and "terminal" in told[0]
    assert "dialect guessed" not in said
    turns = (Turn(action="ls", observation="a"),)
    write_trajectories(own, [Trajectory(id="s", domain="shell", dialect="plain", turns=turns)])
    assert '"shell" is not an installed domain' in worldline("verify", own)[2]
    said = worldline("assess", own, "-m", "copy", "-o", tmp_path / "out")[2]
    assert '"shell" is not an installed domain' in said


def test_dialects_that_are_guessed_are_told(tmp_path):
    path = tmp_path / "p.jsonl"
    jsonl.write(path, [bare("terminal", gen="a.txt"), bare("terminal", gen="b.txt")])
    assert "dialect guessed: terminal/command 2 rows" in worldline("verify", path)[2]
    own, out = tmp_path / "own.jsonl", tmp_path / "copy.jsonl"
    write_trajectories(own, [calls()])
    worldline("predict", own, "-m", "copy", "-o", out)
    assert "dialect guessed" not in worldline("verify", out)[2]
