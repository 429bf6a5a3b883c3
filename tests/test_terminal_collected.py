"""What a ledger takes from collected turns: their `info` and the marks of altered output."""

import json

import pytest

from tests.terminal_play import ask, here
from worldline.domains.terminal import DOMAIN
from worldline.domains.terminal.observations import CUT_BYTES, omission
from worldline.facts import fact
from worldline.trajectory import Source, Trajectory, Turn

HOME = (
    here("/home/user"),
    fact("file", "/home/user", {"type": "dir", "entries": [], "writable": True}, origin="given"),
)


def _ask(turns: list[Turn], action: str):
    collected = Source(kind="collected")
    start = Trajectory(id="t", domain="terminal", dialect="command", source=collected)
    ledger = DOMAIN.open(start, HOME)
    for turn in turns:
        ledger = DOMAIN.track(ledger, turn, "real")
    return DOMAIN.known(ledger, action)


def _turn(action: str, observation: str = "", **info: str) -> Turn:
    return Turn(action=action, observation=observation, info=dict(info))


def test_a_command_that_did_not_end_is_not_taken_for_done():
    line = "sleep 60; echo late > a"
    assert _ask([_turn(line, status="timeout")], "cat a") is None
    assert _ask([_turn("echo now > a")], "cat a").observation == "now\n"


def test_a_shell_that_was_replaced_forgets_where_it_was():
    moved = [_turn("mkdir d"), _turn("cd d")]
    assert _ask(moved, "pwd").observation == "/home/user/d\n"
    assert _ask([*moved, _turn("exit 3", recovered="restarted")], "pwd") is None


def test_output_that_was_cut_is_not_taken_for_the_file():
    cut = f"head\n{omission(12_345)}\ntail\n"
    for turn, action in (
        (_turn("cat big", cut), "head -n 1 big"),
        (_turn("ls", cut), "ls -d head"),
        (_turn("cat raw", "\\xff\n"), "wc -c raw"),
    ):
        known = _ask([turn], action)
        assert known is None or "No such file" in known.observation  # as the start said
        assert _ask([_turn("cd /tmp"), turn], action) is None


def test_what_would_be_cut_is_not_claimed_whole():
    lines = "x" * (CUT_BYTES + 1)
    assert _ask([_turn(f"echo {lines} > a")], "cat a") is None
    assert _ask([_turn(f"echo {lines[:500]} > a")], "cat a").observation == lines[:500] + "\n"


def test_absent_below_what_became_a_file_is_another_error():
    missing = ("cat d/f", "cat: d/f: No such file or directory\n")
    known = ask([missing, ("echo x > d", "")], "cat d/f", facts=HOME)
    assert known is None or "Not a directory" in known.observation


def test_silence_of_rm_f_does_not_say_that_the_folder_is_one():
    turns = [("rm -rf d/f", ""), ("cat d/f", "cat: d/f: Not a directory\n")]
    for played in (turns[:1], turns):
        known = ask(played, "cat d/f d/f")
        assert known is None or known.observation.count("Not a directory") == 2


def test_commands_of_a_pipeline_see_the_exit_code_before_it():
    assert ask([], "seq 4 > d | echo $?", facts=HOME) is None


def test_folders_made_on_the_way_are_in_the_listing_above():
    turns = [("realpath d | mkdir -p d/e; cat d/e/*", "cat: 'd/e/*': No such file or directory\n")]
    known = ask(turns, "ls | wc -l", facts=HOME)
    assert known is None or known.observation == "1\n"


def test_what_is_written_where_nobody_knows_may_be_in_any_folder():
    turns = [("cd ~", ""), ("cd -", "/home/user\n"), ("echo x > a", ""), ("pwd", "/home/user\n")]
    known = ask(turns, "ls | wc -l", facts=HOME)
    assert known is None or known.observation == "1\n"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("ls", "a  b"),
        ("ls | wc -l", "2"),
        ("ls > c; cat c", "a\nb\nc"),
        ("echo 'end '", "end"),
    ],
)
def test_only_what_goes_to_the_screen_is_laid_out_for_it(command, output):
    action = json.dumps([{"keystrokes": f"{command}\n", "duration": 0.5}])
    start = "user@box:~$"
    facts = (*HOME, fact("entity", "home", "/home/user", origin="given"))
    facts += (fact("entity", "locale", "C.UTF-8", origin="given"),)
    made = f"New Terminal Output:\n\n{start} touch a b\n{start}\n"
    turns = [(json.dumps([{"keystrokes": "touch a b\n", "duration": 0.5}]), made)]
    known = ask(turns, action, facts=facts, dialect="terminus2", initial_state=start)
    if output is None or "\n" in output:
        assert known is None or (output is not None and f"\n{output}\n{start}" in known.observation)
    else:
        assert known is not None
        assert known.observation == (
            f"New Terminal Output:\n\n{start} {command}\n{output}\n{start}\n"
        )


def test_a_name_found_may_be_a_link_that_led_nowhere():
    turns = [
        ("head -n 1 a", "head: cannot open 'a' for reading: No such file or directory\n"),
        ("ls", "b\n"),
        ("printf 'made' > b", ""),
    ]
    assert ask(turns[:2], "cat a").observation == "cat: a: No such file or directory\n"
    assert ask(turns, "cat a") is None
    assert ask(turns, "ls") is None
