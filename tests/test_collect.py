"""`worldline collect` as a person meets it, in a tiny real environment (tests/pond)."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from worldline import jsonl
from worldline.collect.thinking import Undecided, thinking
from worldline.storage import read_trajectories

HERE = Path(__file__).parent
EXPLORER = "explorer:pond:PondExplorer"


@pytest.fixture
def pond(tmp_path, monkeypatch):
    """The plugin as an installer leaves it; gives the folder its sessions live in."""
    info = tmp_path / "site" / "pond-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pond\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[worldline.environments]\npond = pond:KIND\n")
    (tmp_path / "pond").mkdir()
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(info.parent), str(HERE)]))
    monkeypatch.setenv("POND", str(tmp_path / "pond"))
    return tmp_path / "pond"


def command(out, *flags, episodes=6, policy=EXPLORER):
    given = ["collect", "pond", "--episodes", episodes, "--out", out, "--policy", policy, *flags]
    return [sys.executable, "-m", "worldline", *map(str, given)]


def collect(out, *flags, **known):
    return subprocess.run(
        command(out, *flags, **known), capture_output=True, text=True, timeout=120, check=False
    )


def played(out):
    return sorted(read_trajectories(out / "trajectories.jsonl"), key=lambda one: one.id)


def told(out):
    return [[(turn.action, turn.info["intent"]) for turn in one.turns] for one in played(out)]


def test_episodes_are_recorded_with_all_that_a_trajectory_says_of_itself(pond, tmp_path):
    done = collect(tmp_path / "out", "--json", "--seed", 7, "--workers", 2)
    assert done.returncode == 0, done.stderr
    report, found = json.loads(done.stdout), played(tmp_path / "out")
    assert report["episodes"] == len(found) == 6 and report["set_aside"] == 0
    assert report["counts"]["turns"] == sum(len(one.turns) for one in found)
    one = found[0]
    assert (one.domain, one.dialect, one.system.task_description) == ("generic", "text", "A pond.")
    assert one.system.initial_state == f"{one.meta['options']['stock']} fish"
    assert one.source.kind == "collected" and "pond 1.0" in (one.source.version or "")
    assert one.source.seed is not None and "CC0" in one.source.licence
    assert os.uname().nodename not in (one.source.host or "")
    assert one.tools and one.tools[0]["name"] == "pond"
    assert {"intent", "duration_s"} <= set(one.turns[0].info)
    assert one.meta["family"] == "calm" and one.meta["end"] == "done"
    assert one.meta["explorer"] == "PondExplorer" and one.meta["failed_steps"] == []
    manifest = jsonl.loads((tmp_path / "out" / "manifest.json").read_bytes())
    assert manifest["counts"] == report["counts"] and str(tmp_path) not in str(manifest)
    assert manifest["environment"]["pond"] == ["1.0"]
    assert not list(pond.iterdir()), "a session's folder was left behind"


def test_the_same_seed_plays_the_same_whatever_the_workers_and_another_seed_does_not(
    pond, tmp_path
):
    for name, flags in {"a": ("--workers", 1), "b": ("--workers", 3), "c": ("--seed", 9)}.items():
        assert collect(tmp_path / name, *flags).returncode == 0
    assert told(tmp_path / "a") == told(tmp_path / "b") != told(tmp_path / "c")
    assert [one.id for one in played(tmp_path / "a")] == [one.id for one in played(tmp_path / "b")]


def test_a_session_never_sees_what_the_one_before_left(pond, tmp_path):
    assert collect(tmp_path / "out", "--workers", 1, episodes=12).returncode == 0
    for one in played(tmp_path / "out"):
        made = {f"fish{n}" for n in range(one.meta["options"]["stock"])}
        for turn in one.turns:
            if turn.action.startswith("put "):
                made.add(turn.action.split()[1])
            if turn.action == "list":
                assert set(turn.observation.split()) == made


def test_kill_9_and_the_same_command_again_play_exactly_the_missing_episodes(pond, tmp_path):
    calm, out = tmp_path / "calm", tmp_path / "out"
    flags = ("--families", "slow", "--workers", 2)
    assert collect(calm, *flags, episodes=8).returncode == 0
    process = subprocess.Popen(command(out, *flags, episodes=8), stderr=subprocess.DEVNULL)
    lines = out / "trajectories.jsonl"
    while process.poll() is None and (not lines.exists() or lines.read_bytes().count(b"\n") < 3):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with lines.open("ab") as file:  # as a kill in the middle of a write leaves it
        file.write(b'{"id":"half')
    before = lines.read_bytes().count(b"\n")
    assert 3 <= before < 8
    gone(pond)
    done = collect(out, *flags, "--json", episodes=8)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["episodes"], report["resumed"]) == (8, before)
    assert told(out) == told(calm)
    again = json.loads(collect(out, *flags, "--json", episodes=8).stdout)
    assert (again["resumed"], again["turns"]) == (8, 0)
    more = json.loads(collect(out, *flags, "--json", episodes=9).stdout)
    assert (more["episodes"], more["resumed"]) == (9, 8)


def gone(pond):
    """Wait until all that a killed run started has cleaned up and ended."""
    until = time.monotonic() + 20
    while list(pond.glob("session-*")) or processes(pond):
        assert time.monotonic() < until, (list(pond.iterdir()), processes(pond))
        time.sleep(0.05)


def processes(pond):
    """Processes that were started with this pond."""
    found = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if str(pond).encode() in place.read_bytes() and place.parts[2] != str(os.getpid()):
                found.append((place.parent / "cmdline").read_bytes())
        except OSError:
            continue
    return found


def test_a_worker_or_an_environment_that_is_killed_is_replaced(pond, tmp_path):
    out, lines = tmp_path / "out", tmp_path / "out" / "trajectories.jsonl"
    flags = ("--families", "slow", "--workers", 1)
    process = subprocess.Popen(command(out, *flags, episodes=5), stderr=subprocess.DEVNULL)
    for count, what in ((1, b"worldline.collect.worker"), (2, b"worldline.environments.host")):
        while process.poll() is None and (
            not lines.exists() or lines.read_bytes().count(b"\n") < count
        ):
            time.sleep(0.01)
        for place in Path("/proc").glob("[0-9]*/environ"):
            try:
                ours = str(pond).encode() in place.read_bytes()
                if ours and what in (place.parent / "cmdline").read_bytes():
                    os.kill(int(place.parts[2]), signal.SIGKILL)
            except OSError:
                continue
    assert process.wait(60) == 0
    assert len(played(out)) == 5


def test_ctrl_c_ends_cleanly_and_keeps_what_is_finished(pond, tmp_path):
    out, lines = tmp_path / "out", tmp_path / "out" / "trajectories.jsonl"
    process = subprocess.Popen(
        command(out, "--families", "slow", episodes=50),
        stderr=subprocess.PIPE,
        text=True,
        # Whoever is started in the background of a script ignores it, and so would this one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not lines.exists() or lines.read_bytes().count(b"\n") < 2:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in said
    assert not list(pond.glob("session-*")) and not processes(pond)
    counts = jsonl.loads((out / "manifest.json").read_bytes())["counts"]
    assert counts["episodes"] == len(played(out)) >= 2


def test_an_episode_that_dies_is_tried_again_then_set_aside_with_its_reason(pond, tmp_path):
    out = tmp_path / "out"
    assert collect(out, "--families", "stumble").returncode == 0  # dies once, then goes on
    done = collect(tmp_path / "x", "--families", "frail", episodes=2)
    assert done.returncode == 1
    failed = [line.value for line in jsonl.read(tmp_path / "x" / "failed.jsonl")]
    assert [one["episode"] for one in sorted(failed, key=lambda one: one["episode"])] == [0, 1]
    assert all("process ended" in one["reason"] and one["tries"] == 2 for one in failed)
    assert "2 set aside" in done.stderr
    done = collect(tmp_path / "y", "--families", "bug", episodes=1)
    assert done.returncode == 1 and "no such frog" in done.stderr


def test_an_explorer_that_never_decides_does_not_stop_the_others():
    with pytest.raises(Undecided, match="no move"), thinking(0.05):
        never_decides()
    with thinking(60):
        pass


def never_decides():
    while True:
        pass


def test_a_step_that_gave_nothing_ends_the_episode_and_is_noted_and_is_no_turn(pond, tmp_path):
    assert collect(tmp_path / "out", "--families", "foggy", episodes=2).returncode == 0
    for one in played(tmp_path / "out"):
        assert one.meta["end"] == "capture_failed" and one.turns
        (failed,) = one.meta["failed_steps"]
        assert (failed["action"], failed["reason"]) == ("fog", "nothing to be seen")
        assert all(turn.action != "fog" for turn in one.turns)


def test_when_nothing_can_be_played_the_run_stops_and_says_why(pond, tmp_path):
    (pond / "dry").touch()
    done = collect(tmp_path / "out", episodes=10**9)  # too many to list
    assert done.returncode == 2 and "the pond is dry" in done.stderr
    assert len((tmp_path / "out" / "failed.jsonl").read_bytes().splitlines()) < 20


def test_the_command_of_the_manifest_repeats_the_run_when_pasted(pond, tmp_path):
    out = tmp_path / "out"
    assert collect(out, "--seed", 7, "--held-out").returncode == 0
    program, *flags = shlex.split(jsonl.loads((out / "manifest.json").read_bytes())["command"])
    assert program == "worldline"
    again = [sys.executable, "-m", "worldline", *flags]
    assert subprocess.run(again, cwd=tmp_path, timeout=120, check=False).returncode == 0
    assert told(tmp_path / "DIR") == told(out)
    assert [one.id for one in played(tmp_path / "DIR")] == [one.id for one in played(out)]


def test_a_folder_belongs_to_one_run(pond, tmp_path):
    out = tmp_path / "out"
    assert collect(out, episodes=2).returncode == 0
    before = (out / "trajectories.jsonl").read_bytes()
    for flags in (("--seed", 3), ("--limit-s", 9), ("--families", "slow")):
        done = collect(out, *flags, episodes=2)
        assert done.returncode == 2 and "was made with" in done.stderr
    done = collect(out, episodes=2, policy="explorer:pond:NoPond")
    assert done.returncode == 2 and "plan.policy" in done.stderr
    assert (out / "trajectories.jsonl").read_bytes() == before


def test_two_runs_never_write_one_folder(pond, tmp_path):
    out = tmp_path / "out"
    first = subprocess.Popen(
        command(out, "--families", "slow", episodes=6), stderr=subprocess.DEVNULL
    )
    while not (out / "manifest.json").exists():
        time.sleep(0.01)
    second = collect(out, "--families", "slow", episodes=6)
    assert second.returncode == 2 and "another process" in second.stderr
    assert first.wait(60) == 0 and len(played(out)) == 6


def test_held_out_families_are_collected_only_when_asked_for(pond, tmp_path):
    assert collect(tmp_path / "a").returncode == 0
    assert {one.meta["family"] for one in played(tmp_path / "a")} == {"calm"}
    done = collect(tmp_path / "b", "--families", "kept")
    assert done.returncode == 2 and "--held-out" in done.stderr
    assert collect(tmp_path / "c", "--held-out").returncode == 0
    assert {one.meta["family"] for one in played(tmp_path / "c")} == {"kept"}
    ids = {one.id for one in played(tmp_path / "a")} & {one.id for one in played(tmp_path / "c")}
    assert not ids


@pytest.mark.parametrize(
    ("flags", "known", "says"),
    [
        (("--families", "wild"), {}, "there is no family 'wild'"),
        ((), {"policy": "explorer:pond:Nobody"}, "cannot be loaded"),
        ((), {"policy": "explorer:pond:PondDriver"}, "is no Explorer"),
        ((), {"policy": "explorer:.pond:PondExplorer"}, "cannot be loaded"),
        ((), {"policy": "copy"}, "cannot act"),
        ((), {"policy": "nobody"}, "is no model"),
        (("--limit-s", "inf"), {}, "no number of seconds"),
        ((), {"policy": "explorer"}, "no explorer for 'pond'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_played(pond, tmp_path, flags, known, says):
    done = collect(tmp_path / "out", *flags, **known)
    assert done.returncode == 2 and says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists(), "the folder belongs to a run that cannot be"


def test_what_the_machine_lacks_is_said_with_its_remedy(pond, tmp_path, monkeypatch):
    monkeypatch.delenv("POND")
    done = collect(tmp_path / "out")
    assert done.returncode == 2 and "let it rain" in done.stderr


def test_a_model_acts_and_stops_when_it_is_done(pond, tmp_path):
    script = tmp_path / "agent.jsonl"
    script.write_text('"list"\n"```\\nput frog 1\\n```"\n"get frog"\n"DONE"\n')
    done = collect(tmp_path / "out", "--workers", 1, policy=f"scripted:{script}", episodes=2)
    assert done.returncode == 0, done.stderr
    for one in played(tmp_path / "out"):
        assert [turn.action for turn in one.turns] == ["list", "put frog 1", "get frog"]
        assert one.turns[-1].observation == "1" and one.meta["end"] == "done"
        assert one.task and one.meta["policy"] == "scripted:agent"
    assert str(script.parent) not in (tmp_path / "out" / "manifest.json").read_text()


def test_a_secret_never_reaches_the_folder_and_is_counted(pond, tmp_path):
    key, script = "AKIA" + "QWERTYUIOPASDFGH", tmp_path / "agent.jsonl"
    script.write_text(f'"put key {key}"\n"get key"\n"DONE"\n')
    done = collect(tmp_path / "out", "--json", policy=f"scripted:{script}", episodes=1)
    assert json.loads(done.stdout)["counts"]["redacted"] == {"aws_key": 2}
    assert not [one for one in (tmp_path / "out").iterdir() if key.encode() in one.read_bytes()]
    (one,) = played(tmp_path / "out")
    assert one.turns[1].observation == "[REDACTED:aws_key]"


@pytest.mark.parametrize(
    ("reply", "end"),
    [
        ('{"reply": "put a", "finish_reason": "length"}', "policy:truncated"),
        ('{"reply": ""}', "policy:no_prediction"),
        ('{"reply": "I am sorry, but I can\'t help with that."}', "policy:refused"),
        ('{"error": "rate_limited"}', "policy:infra_error"),
    ],
)
def test_trouble_of_a_model_ends_the_episode_and_never_becomes_an_action(
    pond, tmp_path, reply, end
):
    script = tmp_path / "agent.jsonl"
    script.write_text(f'"list"\n{reply}\n')
    done = collect(tmp_path / "out", policy=f"scripted:{script}", episodes=1)
    assert done.returncode == 0, done.stderr
    (one,) = played(tmp_path / "out")
    assert [turn.action for turn in one.turns] == ["list"] and one.meta["end"] == end
    script.write_text(f"{reply}\n")
    done = collect(tmp_path / "none", policy=f"scripted:{script}", episodes=1)
    assert done.returncode == 1 and end.removeprefix("policy:") in done.stderr


def test_a_dead_endpoint_is_named_with_what_to_do_and_no_record_keeps_a_secret(pond, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:  # and nobody answers once it is closed
        port = taken.getsockname()[1]
    policy = f"openai:m@http://127.0.0.1:{port}/v1?attempts=1"
    done = collect(tmp_path / "out", policy=policy, episodes=1)
    (failed,) = (line.value for line in jsonl.read(tmp_path / "out" / "failed.jsonl"))
    for said in (failed["reason"], done.stderr):
        assert f"127.0.0.1:{port}" in said and "check that the model's server runs" in said
    assert str(port) not in (tmp_path / "out" / "manifest.json").read_text()


def test_what_varies_between_runs_is_masked_by_the_environments_own_patterns(pond, monkeypatch):
    code = """
from worldline.collect.masks import masked
print(masked("pond", "put frog in 12345 ns"), masked("pond", "\\ud800 1 ns"), masked("moon", "1"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "text='put frog in <duration>', characters=8" in done.stdout, done.stderr
    assert "ud800" not in done.stderr and "text='1', characters=0" in done.stdout
