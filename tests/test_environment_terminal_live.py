"""The terminal end to end: a real shell in the sandbox."""

import json

import msgspec
import pytest

from worldline import environment
from worldline.domains import domain
from worldline.facts import Fact
from worldline.scenarios.snapshot import Snapshot
from worldline.trajectory import trajectory

pytestmark = pytest.mark.system


def _typed(*keys: str, duration: float = 1.0) -> str:
    return json.dumps([{"keystrokes": one, "duration": duration} for one in keys])


@pytest.fixture(scope="module")
def plain():
    with environment("terminal") as real:
        yield real


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("echo hi; echo oh >&2", "hi\noh\n", 0),
        ("printf 'no end'", "no end", 0),
        ("foo", "bash: foo: command not found\n", 127),
        ("ls /nowhere", "ls: cannot access '/nowhere': No such file or directory\n", 2),
        ("false; echo $?", "1\n", 0),
        ("cat <<'END'\n  $HOME\nEND", "  $HOME\n", 0),
        ("mkdir d; touch d/b d/a; ls d", "a\nb\n", 0),
        ("tr a-z A-Z <<< 'tab\there'", "TAB\tHERE\n", 0),
        ("python3 -c 'import sys; print(sys.stdout.isatty())'", "False\n", 0),
        ("echo x | tee /dev/stderr > /dev/null", "x\n", 0),
        ("sleep 0.1 & echo started; wait", "started\n", 0),
        (f"x={'é' * 6_000}; echo ${{#x}}", "6000\n", 0),
    ],
)
def test_a_command_prints_what_it_prints(plain, command, output, code):
    plain.reset(1)
    seen = plain.step(command)
    assert (seen.outcome, seen.observation) == ("ok", output)
    assert plain.turns[-1].info["exit_code"] == code


def test_commands_share_one_shell(plain):
    plain.reset(1)
    for command in ("cd /tmp", "word=kept", 'shout() { echo "${1^^}"; }', "(exit 7)"):
        plain.step(command)
    assert plain.step("echo $?; pwd; shout $word").observation == "7\n/tmp\nKEPT\n"


@pytest.mark.parametrize("open_end", ["echo 'a", 'echo "a', "echo $(", "if true; then"])
def test_a_command_with_an_open_end_is_an_error_and_swallows_nothing(plain, open_end):
    plain.reset(1)
    seen = plain.step(open_end)
    assert seen.outcome == "ok" and "unexpected" in seen.observation
    assert plain.step("echo next").observation == "next\n"


@pytest.mark.parametrize("end", ["exit 3", "exec true", "kill -9 $$"])
def test_a_shell_that_ends_is_followed_by_a_new_one_and_the_turn_says_so(plain, end):
    plain.reset(1)
    plain.step("cd /tmp")
    plain.step(end)
    assert plain.turns[-1].info["recovered"] == "restarted"
    assert plain.step("pwd").observation == "/home/user\n"


def test_the_same_seed_gives_the_same_session_and_nothing_stays(plain):
    told = []
    for _ in range(2):
        plain.reset(5)
        plain.step("echo left > over.txt")
        told.append([plain.step(c).observation for c in ("ls -la", "env | sort", "id; hostname")])
        plain.reset(5)
        assert plain.step("ls -A").observation == ""
    assert told[0][1:] == told[1][1:]


def test_fixtures_and_files_are_there_at_the_start_with_fixed_times():
    with environment("terminal", fixture="notes", files={"mine/a.txt": "A\n"}) as real:
        real.reset(2)
        state = real.opening.system.initial_state
        assert "mine/a.txt" in state and "notes/" in state
        assert real.step("cat mine/a.txt").observation == "A\n"
        listing = real.step("find . -newermt 2025-06-02").observation
        assert listing == ""


def test_a_snapshot_tells_files_directory_variables_and_changes(plain):
    plain.reset(1)
    plain.step("mkdir d; echo hi > d/a.txt; ln -s /etc/shadow d/l; cd d; export WORD=x; false")
    told = plain.snapshot()
    facts = {one["id"]: one["value"] for one in told["facts"]}
    assert facts["cwd:cwd"] == "/home/user/d"
    assert facts["env:WORD"] == "x"
    assert facts["file:/home/user/d/a.txt"]["content"] == "hi\n"
    assert facts["file:/home/user/d/l"]["target"] == "/etc/shadow"
    assert "content" not in facts["file:/home/user/d/l"]
    assert {"path": "/home/user/d/a.txt", "kind": "made"} in told["changes"]
    assert all(one["origin"] == "real" for one in told["facts"])
    assert set(Snapshot.__struct_fields__) <= set(told)
    assert plain.step("echo $?").observation == "1\n"  # taking it changed nothing


def test_a_recording_reads_back_and_its_ledger_agrees_with_the_shell(plain):
    opening = plain.reset(1)
    assert opening.observation is None
    for command in (
        "echo one > a",
        "cat a",
        "mkdir d",
        "ls",
        "cd d",
        "pwd",
        "cat ../a",
        "cat ../b",
    ):
        plain.step(command)
    told = trajectory(plain.trajectory("t").record())
    assert told.source.kind == "collected" and told.meta["versions"]["bash"]
    terminal = domain("terminal")
    assert terminal.detect(told) == "command"
    ledger = terminal.open(told, msgspec.convert(told.meta["facts"], list[Fact]))
    known = 0
    for turn in told.turns:
        answer = terminal.known(ledger, turn.action)
        known += answer is not None
        assert answer is None or answer.observation == turn.observation
        ledger = terminal.track(ledger, turn, "real")
    assert known >= 5


def test_keystrokes_show_prompt_echo_and_output():
    with environment("terminal", dialect="terminus2") as real:
        assert real.reset(1).observation == "Current Terminal Screen:\nuser@box:~$\n"
        seen = real.step(_typed("echo hi\n", "cd /tmp\n"))
        assert seen.outcome == "ok"
        assert seen.observation == (
            "New Terminal Output:\n\nuser@box:~$ echo hi\nhi\nuser@box:~$ cd /tmp\nuser@box:/tmp$\n"
        )
        assert domain("terminal").detect(real.trajectory()) == "terminus2"


@pytest.mark.parametrize(
    ("keys", "outcome", "last"),
    [
        (("cat <<END\n", "a\n"), "awaiting_input", ">"),
        (("echo 'open\n",), "awaiting_input", ">"),
        (("read word\n",), "awaiting_input", "user@box:~$ read word"),
        (("python3 -q\n", "1 + 1\n"), "awaiting_input", ">>>"),
        (("python3 -q\n", "C-d"), "ok", "user@box:~$"),
        (("sleep 60\n",), "timeout", "user@box:~$ sleep 60"),
        (("sleep 60\n", "C-c"), "ok", "user@box:~$"),
        (("sleep 60\n", "C-z", "jobs\n"), "ok", "user@box:~$"),
        (("cat\n", "word\n", "C-d"), "ok", "user@box:~$"),
        (("ls /etc/host", "Tab"), "ok", "user@box:~$ ls /etc/host"),
        (("echo no", "C-u", "echo yes\n"), "ok", "user@box:~$"),
    ],
)
def test_keys_do_what_they_do_in_a_terminal(keys, outcome, last):
    with environment("terminal", dialect="terminus2") as real:
        real.reset(1)
        seen = real.step(_typed(*keys, duration=0.5))
        assert seen.outcome == outcome
        assert seen.observation.rstrip("\n").rpartition("\n")[2] == last


def test_an_editor_is_seen_as_a_screen_and_what_it_wrote_is_there():
    with environment("terminal", dialect="terminus2") as real:
        real.reset(1)
        seen = real.step(_typed("vi note\n"))
        assert seen.outcome == "awaiting_input"
        assert seen.observation.startswith("Current Terminal Screen:\n")
        real.step(_typed("ihello", "Escape", ":wq\n"))
        assert "\nhello\n" in real.step(_typed("cat note\n")).observation


def test_what_is_no_batch_is_said_to_be_none_and_an_empty_one_asks():
    with environment("terminal", dialect="terminus2") as real:
        real.reset(1)
        assert real.step("ls").observation.startswith("Not an action: ")
        assert "done?" in real.step("[]").observation
        over = real.step("[]")
        assert over.terminated
        assert real.step(_typed("exit\n")).terminated


def test_output_in_a_flood_is_cut_and_the_shell_answers_on():
    with environment("terminal", dialect="terminus2") as real:
        real.reset(1)
        seen = real.step(_typed("seq 20000\n", duration=8.0))
        assert seen.outcome == "ok"
        assert len(seen.observation.encode()) <= 10_000
        assert "bytes left out" in seen.observation
        assert seen.observation.endswith("20000\nuser@box:~$\n")
