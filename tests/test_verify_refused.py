"""What `verify`, `assess` and `bench rules` refuse, and how they say so; calls that failed."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.command import worldline
from worldline import jsonl
from worldline.bench.rules.case import sets

BROKEN_FACTS = [
    (5, "meta.facts"),
    ("abc", "meta.facts"),
    ([{"id": 1}], "meta.facts[0].id"),
    ([{"id": "a", "kind": "fi\ud800le", "key": "/", "value": 1, "origin": "given"}], "meta.facts"),
]


def recording(path: Path, **fields) -> Path:
    turns = [
        {"action": "echo oats > /tmp/feed.txt", "observation": ""},
        {"action": "cat /tmp/feed.txt", "observation": "oats"},
        {"action": "ls barn", "observation": "hay"},
    ]
    row = {"id": "farm", "domain": "terminal", "dialect": "command", "turns": turns}
    row["source"] = {"kind": "collected"}
    jsonl.write(path, [{"schema": "worldline.trajectory/1", **row, **fields}])
    return path


def told(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    """It failed with one line of ours that holds all these."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr


@pytest.mark.parametrize(("facts", "field"), BROKEN_FACTS)
def test_facts_that_are_none_name_file_line_and_field(tmp_path, facts, field):
    path = recording(tmp_path / "farm.jsonl", meta={"facts": facts})
    told(worldline("verify", path), "farm.jsonl, line 1", field)


def test_a_cluster_that_is_no_text_names_the_recording(tmp_path):
    path = recording(tmp_path / "farm.jsonl", meta={"cluster": 5})
    said = worldline("assess", path, "-m", "copy", "-o", tmp_path / "t")
    told(said, "farm.jsonl, line 1, meta.cluster")


def test_an_unknown_dialect_is_told_by_every_verb(tmp_path):
    path = recording(tmp_path / "farm.jsonl", dialect="parchment")
    told(worldline("verify", path), "farm.jsonl, line 1, dialect", "'parchment'")
    said = worldline("assess", path, "-m", "copy", "-o", tmp_path / "t")
    told(said, "farm.jsonl, line 1, dialect", "'parchment'")
    told(worldline("predict", path, "-m", "copy", "-o", tmp_path / "o.jsonl"), "'parchment'")


@pytest.mark.parametrize("command", ["python3 '", "   ", ""])
def test_a_command_that_is_none_is_refused_before_anything_is_recorded(tmp_path, command):
    out = tmp_path / "t"
    told(worldline("assess", "--mcp", command, "-m", "copy", "-o", out), "mcp: ")
    assert not (out / "recorded").exists()


def test_a_file_where_the_folder_goes_is_refused_and_kept(tmp_path):
    path = recording(tmp_path / "farm.jsonl")
    before = path.read_bytes()
    told(worldline("assess", path, "-m", "copy", "-o", path), "farm.jsonl", "folder")
    assert path.read_bytes() == before


FAILS = [
    {"match": action, "error": "timeout"} for action in ("ls barn", "echo oats > /tmp/feed.txt")
]


@pytest.fixture
def script(tmp_path) -> Path:
    path = tmp_path / "script.jsonl"
    jsonl.write(path, [*FAILS, {"match": "cat /tmp/feed.txt", "error": "timeout"}])
    return path


def repair(script: Path) -> None:
    shown = "<predicted_observation>\nstraw\n</predicted_observation>"
    rows = [line.value for line in jsonl.read(script)]
    jsonl.write(script, [{"match": one["match"], "reply": shown} for one in rows])


def test_assess_of_a_model_that_fails_every_call_gives_no_lie_rate(tmp_path, script):
    path, out = recording(tmp_path / "farm.jsonl"), tmp_path / "t"
    command = ("assess", path, "-m", f"scripted:{script}", "-o", out, "--json")
    done = worldline(*command)
    assert done.returncode == 1
    raw, grounded = json.loads(done.stdout)["arms"]
    assert (raw["failed"], raw["by_model"], raw["known"]) == (3, 0, 0)
    assert grounded["by_model"] == 0 and grounded["failed"] + grounded["known"] == 3
    assert "lie rate 0" not in done.stderr and "--retry-failed" in done.stderr
    assert "none of the 3 turns was answered by the model" in done.stderr
    assert "answered by the model" in (out / "report.html").read_text("utf-8")
    repair(script)
    assert worldline(*command).returncode == 1  # what failed is kept
    done = worldline(*command, "--retry-failed")
    assert done.returncode == 0, done.stderr
    raw, grounded = json.loads(done.stdout)["arms"]
    assert (raw["failed"], raw["by_model"]) == (0, 3) and raw["rate"]["lies"] > 0


def test_bench_rules_asks_again_where_a_call_failed(tmp_path):
    from worldline.bench.rules.case import posed, read

    case = next(read(next(path for path in sets() if path.stem == "terminal")))
    action = next(posed([case]))[1].trajectory.turns[-1].action
    script, cases, out = (tmp_path / f"{name}.jsonl" for name in ("script", "cases", "out"))
    jsonl.write(script, [{"match": action, "error": "timeout"}])
    source = next(path for path in sets() if path.stem == "terminal")
    jsonl.write(cases, [next(iter(jsonl.read(source))).value])
    command = ("bench", "rules", "-m", f"scripted:{script}", "-o", out, "--cases", cases)
    done = worldline(*command)
    assert done.returncode == 1 and "--retry-failed" in done.stderr
    repair(script)
    assert worldline(*command).returncode == 1
    done = worldline(*command, "--retry-failed", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reasons"] == {}


def test_a_check_with_a_wrong_argument_names_file_line_and_field(tmp_path):
    row = next(iter(jsonl.read(sets()[0]))).value
    path = tmp_path / "cases.jsonl"
    jsonl.write(path, [row, {**row, "checks": [{"op": "regex", "arg": {"value": 5}}]}])
    done = worldline("bench", "rules", "-m", "copy", "-o", tmp_path / "o.jsonl", "--cases", path)
    told(done, "cases.jsonl, line 2, checks[0].arg.value")


def test_a_file_without_cases_is_told_as_such(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("")
    done = worldline(
        *("bench", "rules", "-m", "copy", "-o", tmp_path / "o.jsonl", "--cases", path),
        *("--domain", "mcp"),
    )
    told(done, "cases.jsonl", "holds no cases")
    assert "--domain" not in done.stderr
