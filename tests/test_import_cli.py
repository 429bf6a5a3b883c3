"""`worldline import`: licences are recorded, secrets replaced, damage set aside, and it says so."""

import json

import pytest
from test_cli import worldline
from test_import_atif import document, shell
from test_import_sweagent import document as traj

from worldline import jsonl
from worldline.collect.importers import importer
from worldline.storage import read_trajectories

KEY = "AKIA" + "QWERTYUIOPASDFGH"
ROW = {
    "domain": "generic",
    "id": "r-1",
    "source": {"repo": "a/b"},
    "turns": [{"action": f"use {KEY} in /home/jdoe", "observation": "ok"}],
}


def put(path, *values):
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(jsonl.dumps(one) + b"\n" for one in values))
    return path


def test_ur_s39_licence_and_origin_are_recorded_for_each_source(tmp_path):
    rows = [
        {**ROW, "source": {"repo": "free/one", "licence": "Apache-2.0"}},
        {**ROW, "source": {"repo": "silent/two"}},
        {**ROW, "source": {"repo": "bound/three", "licence": "research only"}},
    ]
    out = tmp_path / "t.jsonl"
    done = worldline("import", "common", put(tmp_path / "in.jsonl", *rows), "-o", out, "--json")
    assert json.loads(done.stdout)["licences"] == {
        "Apache-2.0": {"free/one": 1},
        "unknown": {"silent/two": 1},
        "research only": {"bound/three": 1},
    }
    assert "Licence unknown (say what it is: --licence): silent/two 1" in done.stderr
    found = [one.source.licence for one in read_trajectories(out)]
    assert found == ["Apache-2.0", "unknown", "research only"]


def test_ur_s39_a_licence_given_fills_what_is_unknown_alone(tmp_path):
    rows = [ROW, {**ROW, "source": {"repo": "free/one", "licence": "MIT"}}]
    out = tmp_path / "t.jsonl"
    given = ("--licence", "CC-BY-4.0", "--origin", "our/farm")
    path = put(tmp_path / "in.jsonl", *rows)
    assert worldline("import", "common", path, "-o", out, *given).returncode == 0
    sources = [(one.source.licence, one.source.name) for one in read_trajectories(out)]
    assert sources == [("CC-BY-4.0", "our/farm"), ("MIT", "our/farm")]


def test_ur_s38_secrets_are_replaced_in_every_file_an_import_writes(tmp_path):
    good = document(shell(2, f"echo {KEY}", "/home/jdoe\n"), session_id="s")
    bad = document(shell(2)) | {"schema_version": KEY}
    path = put(tmp_path / "in" / "in.jsonl", good, bad)
    path.write_bytes(path.read_bytes() + b'{"' + KEY.encode() + b"\n")
    out = tmp_path / "out" / "t.jsonl"
    out.parent.mkdir()
    done = worldline("import", "atif", path, "-o", out, "--json")
    assert done.returncode == 1 and json.loads(done.stdout)["redacted"]["aws_key"] >= 1
    written = {one.name: one.read_text() for one in out.parent.iterdir()}
    assert sorted(written) == ["t.jsonl", "t.jsonl.bad", "t.jsonl.bad.jsonl"]
    assert KEY not in "".join(written.values()) + done.stderr
    assert "jdoe" not in written["t.jsonl"]
    assert [line.value["line"] for line in jsonl.read(out.with_name("t.jsonl.bad.jsonl"))] == [2, 3]
    (one,) = read_trajectories(out)
    assert one.meta["redacted"] == {"aws_key": 1, "login": 1}


def test_benchmarks_stay_as_they_are_unless_asked(tmp_path):
    path, out = put(tmp_path / "in.jsonl", ROW), tmp_path / "t.jsonl"
    done = worldline("import", "common", path, "-o", out)
    assert done.returncode == 0 and "--redact replaces secrets" in done.stderr
    assert KEY in out.read_text()
    assert worldline("import", "common", path, "-o", out, "--redact").returncode == 0
    assert KEY not in out.read_text() and "jdoe" not in out.read_text()
    done = worldline("import", "sweagent", put(tmp_path / "x.traj", traj()), "-o", out)
    assert done.returncode == 0 and "--redact" not in done.stderr


def test_ur_s40_a_dry_run_lists_what_would_change_and_writes_nothing(tmp_path):
    path = put(tmp_path / "in" / "in.jsonl", document(shell(2, f"echo {KEY}", "/home/jdoe")))
    done = worldline("import", "atif", path, "--dry-run")
    assert done.returncode == 0 and KEY not in done.stdout
    assert "aws_key: AKIA... (20 characters) -> [REDACTED:aws_key]" in done.stdout
    assert "login: jdoe -> person-" in done.stdout
    rows = worldline("import", "atif", path, "--dry-run", "--json").stdout.splitlines()
    assert {json.loads(row)["kind"] for row in rows} == {"aws_key", "login"}
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_a_salt_decides_the_pseudonyms(tmp_path):
    path = put(tmp_path / "in.jsonl", document(shell(2, "ls", "/home/jdoe"), session_id="s"))
    texts = []
    for at, salt in enumerate(("a", "a", "b")):
        out = tmp_path / f"{at}.jsonl"
        assert worldline("import", "atif", path, "-o", out, "--salt", salt).returncode == 0
        texts.append(out.read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_folders_and_several_paths(tmp_path):
    for name in ("a", "b"):
        put(tmp_path / name / "x.traj", traj())
    out = tmp_path / "t.jsonl"
    done = worldline("import", "sweagent", tmp_path / "a", tmp_path / "b" / "*.traj", "-o", out)
    assert done.returncode == 0, done.stderr
    assert len(list(read_trajectories(out))) == 2
    put(tmp_path / "rows" / "a.jsonl", ROW, ROW)
    assert worldline("import", "common", tmp_path / "rows", "-o", out).returncode == 0
    assert len(list(read_trajectories(out))) == 2
    assert worldline("import", "sweagent", tmp_path / "a").returncode == 2


FORMATS = ["atif", "asciinema", "sweagent", "common", "awb"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", ["gone.jsonl", "gone-*.jsonl"])
def test_what_is_not_there_is_an_error_before_anything_is_written(tmp_path, format, name):
    damaged = put(tmp_path / "in" / "in.jsonl", {"no": "row"})
    for flags in (["-o", tmp_path / "t.jsonl"], ["--dry-run"]):
        done = worldline("import", format, damaged, tmp_path / name, *flags)
        assert done.returncode == 2 and name in done.stderr and "skipped" not in done.stderr
        assert [one.name for one in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_file_is_told_in_every_format(tmp_path, format):
    path, out = put(tmp_path / "in.jsonl"), tmp_path / "t.jsonl"
    done = worldline("import", format, path, "-o", out)
    assert done.returncode == 1 and "skipped: " in done.stderr and "in.jsonl" in done.stderr
    assert "0 trajectories" in done.stderr and "Dialects" not in done.stderr
    assert out.read_bytes() == b""
    (why,) = (line.value for line in jsonl.read(tmp_path / "t.jsonl.bad.jsonl"))
    assert why["file"] == str(path)
    assert worldline("import", format, path, "-o", out, "--strict").returncode == 2


@pytest.mark.parametrize("output", ["runs/all.jsonl", "runs/deeper/all.jsonl"])
def test_what_is_set_aside_is_never_read_again(tmp_path, output):
    damaged = put(tmp_path / "runs" / "bad.jsonl", *[{"n": "x" * 80}] * 300)
    put(tmp_path / "runs" / "deeper" / "a.traj", traj())
    out, before = tmp_path / output, damaged.read_bytes()
    done = worldline("import", "sweagent", tmp_path / "runs", "-o", out)
    assert done.returncode == 2 and "which is read" in done.stderr
    assert not out.exists() and damaged.read_bytes() == before


def test_lines_that_were_set_aside_are_no_input_of_the_same_output(tmp_path):
    out = tmp_path / "t.jsonl"
    rows = put(tmp_path / "in.jsonl", ROW, {"no": "row"})
    assert worldline("import", "common", rows, "-o", out).returncode == 1
    aside = tmp_path / "t.jsonl.bad"
    before = aside.read_bytes()
    done = worldline("import", "common", aside, "-o", out)
    assert done.returncode == 2 and "set aside" in done.stderr
    assert aside.read_bytes() == before
    assert worldline("import", "common", put(rows, ROW), "-o", out).returncode == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in.jsonl", "t.jsonl"]


@pytest.mark.parametrize("verb", [["task", "list"], ["corpus", "stats"], ["import", "atif"]])
def test_a_name_that_no_file_can_have_is_no_file(tmp_path, verb):
    flags = ["-o", tmp_path / "t.jsonl"] if verb[0] == "import" else []
    done = worldline(*verb, "a" * 5000, *flags)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr


def test_a_link_that_leads_to_itself_is_told(tmp_path):
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to(loop)
    done = worldline("import", "atif", loop, "-o", tmp_path / "t.jsonl")
    assert done.returncode == 1 and "symbolic links" in done.stderr


@pytest.mark.parametrize("name", ["awb", "agentworldbench"])
def test_both_names_of_the_benchmark_are_known(name):
    assert importer(name) is importer("awb")
