"""`worldline import`, `predict` and `migrate` as a person and as a script meet them."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from functools import partial

import pytest

from benchmarks.stub import Answer, Stub
from tests import command
from worldline import jsonl
from worldline.cli.common import dollars

ROW = {
    "domain": "generic",
    "id": "r-1",
    "source": {"repo": "a/b", "commit": None, "path": "p", "licence": "MIT"},
    "task": None,
    "tools": None,
    "initial_state": None,
    "turns": [{"action": f"do {n}", "observation": f"done {n}"} for n in range(1, 4)],
    "notes": "n",
}


worldline = partial(command.worldline, timeout=60)


@pytest.fixture
def recordings(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"".join(jsonl.dumps({**ROW, "id": f"r-{n}"}) + b"\n" for n in range(2)))
    return path


@pytest.fixture
def trajectories(tmp_path, recordings):
    path = tmp_path / "t.jsonl"
    assert worldline("import", "common", recordings, "-o", path).returncode == 0
    return path


def test_from_recordings_to_predictions_in_two_commands(tmp_path, recordings):
    rows, out = tmp_path / "t.jsonl", tmp_path / "out.jsonl"
    done = worldline("import", "common", recordings, "-o", rows, "--json")
    assert json.loads(done.stdout)["dialects"] == {"generic/text": 2}
    done = worldline("predict", rows, "-o", out, "--model", "copy")
    assert (done.returncode, done.stdout) == (0, "")
    assert "6 rows" in done.stderr and "ok 6" in done.stderr
    assert [line.value["gen"] for line in jsonl.read(out)] == ["", "done 1", "done 2"] * 2
    again = worldline("bench", "infer", rows, "-o", out, "--model", "copy", "--json")
    report = json.loads(again.stdout)
    assert again.returncode == 0
    assert (report["rows"], report["resumed"], report["failed"]) == (6, 6, 0)


def test_flags_come_from_a_file_too(tmp_path, trajectories):
    config = tmp_path / "run.toml"
    config.write_text('model = "copy"\nlimit = 2\nmax-turns = 1\n')
    out = tmp_path / "out.jsonl"
    assert worldline("predict", trajectories, "-o", out, "--config", config).returncode == 0
    assert [line.value["turn_idx"] for line in jsonl.read(out)] == [1, 1]


def test_ur_s11_rows_without_an_answer_end_in_exit_1_with_counts_and_the_way_out(
    tmp_path, trajectories
):
    script, out = tmp_path / "script.jsonl", tmp_path / "out.jsonl"
    script.write_text(
        '{"match": "do 1", "reply": "one"}\n{"match": "do 2", "error": "rate_limited"}\n'
        '{"match": "do 3", "error": "context_too_long"}\n'
    )
    command = ("predict", trajectories, "-o", out, "--model", f"scripted:{script}")
    done = worldline(*command)
    assert done.returncode == 1
    assert "infra_error: rate_limited 2" in done.stderr
    assert "context_too_long: context_too_long 2" in done.stderr
    assert "--retry-failed" in done.stderr
    script.write_text('{"match": "do 2", "reply": "two"}\n')
    assert worldline(*command).returncode == 1
    done = worldline(*command, "--retry-failed")
    assert (done.returncode, "ok 4" in done.stderr) == (0, True)


def test_the_released_data_set_is_one_input_in_order_of_its_files(tmp_path):
    folder = tmp_path / "AgentWorldBench"
    folder.mkdir()
    row = {"id": 1, "prompt": ["a"], "response": ["o"], "current_prompt": "a"}
    row |= {"system_str": "s", "total_turns": 1, "turn_idx": 1}
    for name in ("web", "mcp", "os"):
        (folder / f"{name}_test.jsonl").write_bytes(jsonl.dumps({"task": name, **row}) + b"\n")
    (folder / "README.md").write_text("a card")
    out = tmp_path / "runs" / "out.jsonl"
    done = worldline("bench", "infer", folder, "-o", out, "-m", "copy", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["rows"] == 3
    assert [line.value["task"] for line in jsonl.read(out)] == ["mcp", "os", "web"]
    files = [folder / f"{name}_test.jsonl" for name in ("web", "os")]
    done = worldline("predict", *files, "-o", tmp_path / "two.jsonl", "-m", "copy")
    assert done.returncode == 0
    assert [line.value["task"] for line in jsonl.read(tmp_path / "two.jsonl")] == ["web", "os"]


def test_a_sample_is_spread_over_domains_and_sessions_in_input_order(tmp_path):
    out = tmp_path / "out.jsonl"
    command = ("predict", "worldline-bench", "-o", out, "-m", "copy", "--sample", "12")
    assert worldline(*command).returncode == 0
    rows = [line.value for line in jsonl.read(out)]
    assert Counter(row["task"] for row in rows) == dict.fromkeys(
        ("mcp", "search", "swe", "terminal"), 3
    )
    assert len({row["id"] for row in rows}) == 12
    assert rows == sorted(rows, key=lambda row: row["task"])
    manifest = json.loads((tmp_path / "out.jsonl.manifest.json").read_text())
    assert manifest["sample"] == 12
    done = worldline(*command[:-1], "13")
    assert done.returncode == 2 and "sample" in done.stderr


def test_a_flag_may_be_called_by_either_of_its_names(tmp_path, trajectories):
    for key in ("domain", "domains"):
        config, out = tmp_path / f"{key}.toml", tmp_path / f"{key}.jsonl"
        config.write_text(f'model = "copy"\n{key} = ["generic"]\n')
        assert worldline("predict", trajectories, "-o", out, "--config", config).returncode == 0
    (tmp_path / "one.toml").write_text(f'model = "copy"\ndomain = "generic"\nout = "{out}.b"\n')
    assert worldline("predict", trajectories, "--config", tmp_path / "one.toml").returncode == 0
    assert worldline("predict", trajectories, "--out", f"{out}.c", "-m", "copy").returncode == 0


def test_ctrl_c_is_one_line_that_says_how_to_go_on(tmp_path, trajectories):
    with Stub(Answer(content="late", delay=20)) as stub:
        words = ["predict", trajectories, "-o", tmp_path / "o.jsonl", "-m", f"openai:m@{stub.url}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "worldline", *map(str, words)],
            stderr=subprocess.PIPE,
            text=True,
            # A shell's background jobs ignore it, and what they start inherits that.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        )
        while not stub.requests:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "interrupted: run the same command again to go on\n"


def test_small_amounts_keep_two_digits():
    told = {0.0: "$0.00", 0.00034: "$0.00034", 0.0123: "$0.012", 0.5: "$0.50", 1234.5: "$1,234.50"}
    assert {value: dollars(value) for value in told} == told


def test_another_model_into_the_same_file_is_one_clear_line(tmp_path, trajectories):
    out = tmp_path / "out.jsonl"
    assert worldline("predict", trajectories, "-o", out, "--model", "copy").returncode == 0
    done = worldline("predict", trajectories, "-o", out, "--model", "copy", "--seed", 2)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "seed" in done.stderr and "another output file" in done.stderr


def test_recordings_that_are_not_imported_yet_say_how(tmp_path, recordings):
    done = worldline("predict", recordings, "-o", tmp_path / "out.jsonl", "--model", "copy")
    assert done.returncode == 2 and "worldline import common" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
    done = worldline("migrate", recordings, "-o", tmp_path / "out.jsonl")
    assert done.returncode == 2 and "worldline import common in.jsonl" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("name", ["none.jsonl", "nosuch-bench", "n" * 300, "in.jsonl/bench"])
def test_what_is_not_there_is_said_to_be_missing_and_the_built_in_benchmark_is_named(
    tmp_path, recordings, name
):
    done = worldline("predict", tmp_path / name, "-o", tmp_path / "o.jsonl", "-m", "copy")
    assert done.returncode == 2 and "there is no such file" in done.stderr
    assert "worldline-bench" in done.stderr and not (tmp_path / "o.jsonl").exists()


def test_a_collected_folder_is_predicted_like_the_file_in_it(tmp_path, trajectories):
    folder, out = tmp_path / "collected", tmp_path / "out.jsonl"
    folder.mkdir()
    done = worldline("predict", folder, "-o", out, "-m", "copy")
    assert done.returncode == 2 and "neither index.jsonl nor trajectories.jsonl" in done.stderr
    trajectories.rename(folder / "trajectories.jsonl")
    assert worldline("predict", folder, "-o", out, "-m", "copy").returncode == 0
    done = worldline("predict", folder / "trajectories.jsonl", "-o", out, "-m", "copy", "--json")
    assert json.loads(done.stdout)["resumed"] == 6


def test_a_row_of_agentworldbench_that_lacks_a_field_is_called_one(tmp_path):
    path = tmp_path / "rows.jsonl"
    row = {"task": "generic", "id": 1, "prompt": ["a"], "response": ["o"], "current_prompt": "a"}
    path.write_bytes(jsonl.dumps({**row, "system_str": "", "total_turns": 1}) + b"\n")
    done = worldline("predict", path, "-o", tmp_path / "out.jsonl", "--model", "copy")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "line 1" in done.stderr and "missing required field turn_idx" in done.stderr
    assert "An AgentWorldBench row has: task, id, prompt" in done.stderr


def test_a_bad_line_is_put_aside_and_the_rest_imported(tmp_path, recordings):
    bad = b'{"domain": "generic"'
    recordings.write_bytes(recordings.read_bytes() + bad + b"\n" + jsonl.dumps(ROW) + b"\n")
    out = tmp_path / "t.jsonl"
    done = worldline("import", "common", recordings, "-o", out, "--strict")
    assert done.returncode == 2 and "line 3" in done.stderr and not out.exists()
    done = worldline("import", "common", recordings, "-o", out, "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["bad"] == 1
    assert "line 3" in done.stderr and "t.jsonl.bad.jsonl says why" in done.stderr
    assert (tmp_path / "t.jsonl.bad").read_bytes() == bad + b"\n"
    (why,) = (line.value for line in jsonl.read(tmp_path / "t.jsonl.bad.jsonl"))
    assert (why["file"], why["line"]) == (str(recordings), 3) and "JSON" in why["message"]
    assert len(list(jsonl.read(out))) == 3
    assert worldline("import", "common", recordings, "-o", out, "--skip-bad").returncode == 0
    assert worldline("import", "common", recordings, "-o", recordings).returncode == 2
    assert worldline("import", "nope", recordings, "-o", out).returncode == 2


def test_migrate_leaves_current_files_as_they_are(tmp_path, trajectories):
    new = tmp_path / "new.jsonl"
    done = worldline("migrate", trajectories, "-o", new)
    assert done.returncode == 0 and "already current" in done.stderr
    assert new.read_bytes() == trajectories.read_bytes()
    assert worldline("migrate", trajectories, "-o", trajectories).returncode == 2
    assert worldline("migrate", trajectories, "-o", new).returncode == 2


def test_migrate_gives_a_schema_and_refuses_what_is_newer(tmp_path):
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    record = {"id": "a", "domain": "d", "dialect": "x", "turns": [], "mine": 1}
    old.write_bytes(jsonl.dumps(record) + b"\n")
    done = worldline("migrate", old, "-o", new, "--json")
    assert json.loads(done.stdout)["records"] == {"given a schema": 1}
    assert [line.value for line in jsonl.read(new)] == [
        {"schema": "worldline.trajectory/1", **record}
    ]
    for value, word in (
        ({**record, "schema": "worldline.trajectory/2"}, "newer"),
        ({"schema": "other/1"}, "is no Worldline record"),
        ({"a": 1}, "is no Worldline record"),
        ([1], "is no Worldline record"),
    ):
        old.write_bytes(jsonl.dumps(value) + b"\n")
        done = worldline("migrate", old, "-o", tmp_path / "other.jsonl")
        assert done.returncode == 2 and word in done.stderr and "line 1" in done.stderr
        assert not (tmp_path / "other.jsonl").exists()


def test_migrate_knows_sessions_and_predictions(tmp_path, trajectories):
    out, new = tmp_path / "out.jsonl", tmp_path / "new.jsonl"
    worldline("predict", trajectories, "-o", out, "--model", "copy")
    assert worldline("migrate", out, "-o", new).returncode == 0
    assert new.read_bytes() == out.read_bytes()
    session = tmp_path / "session.jsonl"
    session.write_text('{"schema":"worldline.session/1","id":"s"}\n{"kind":"step"}\n')
    assert worldline("migrate", session, "-o", tmp_path / "s2.jsonl").returncode == 0
