"""The show check `twice` on the pond: it passes what is sound and notices what is not."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
CODE = """
import importlib, sys
from pathlib import Path
from benchmarks.show import Show
from benchmarks.show import leftovers, marks
leftovers.SETTLE_S = float(sys.argv[3])
twice = importlib.import_module("benchmarks.show.03_twice")
twice.EPISODES = 6
marks.MARKS["pond"] = {"leaky": "Leaky" in sys.argv[2]}, ("put left {mark}", "get left")
show = Show("twice", None)
twice.of_domain(show, "pond", Path(sys.argv[1]), ("--policy", sys.argv[2]))
for line in show.lines():
    print(line)
"""


def twice(tmp_path, policy, settle_s):
    info = tmp_path / "site" / "pond-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pond\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[worldline.environments]\npond = pond:KIND\n")
    (tmp_path / "pond").mkdir()
    path = os.pathsep.join([str(info.parent), str(HERE), str(HERE.parent)])
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "runs"), policy, settle_s],
        env={**os.environ, "PYTHONPATH": path, "POND": str(tmp_path / "pond")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return {one["measure"].removeprefix("pond "): one for one in map(json.loads, lines)}


def test_a_sound_environment_passes(tmp_path):
    found = twice(tmp_path, "explorer:pond:PondExplorer", "20")
    failed = {name for name, one in found.items() if one["pass"] is False}
    # Its observations are too short for what they show of the clock; it has no control groups.
    assert failed <= {"masked", "groups left"}
    assert found["other observations"]["n"] > 20


def test_one_that_leaves_things_behind_and_differs_is_noticed(tmp_path):
    found = twice(tmp_path, "explorer:pond:LeakyExplorer", "1")
    failed = {name for name, one in found.items() if one["pass"] is False}
    assert {"other observations", "processes left", "folders left"} <= failed
    assert {"mark seen after it", "mark seen with another seed"} <= failed
    assert found["other actions"]["value"] == 0
