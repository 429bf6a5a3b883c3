"""What cannot be: rules on a terminal's observations, silent on everything real."""

import json

import pytest

from tests.terminal_play import PROJECT, play
from worldline.domains.terminal import DOMAIN

WROTE = [("mkdir w", ""), ("echo one > w/a", "")]


def broken(turns, action, observation, **options):
    found = DOMAIN.checks(play(turns, **options), action, observation)
    return {one.rule for one in found if one.severity == "error"}


@pytest.mark.parametrize(
    ("action", "observation", "rule"),
    [
        ("cat w/a", "two\n", "terminal.known"),
        ("cat w/b", "something\n", "terminal.known"),
        ("ls w", "a\nb\n", "terminal.known"),
        ("mkdir x", "Directory created.\n", "terminal.silent"),
        ("cd /tmp", "/tmp\n", "terminal.silent"),
        ("touch f", "I have created the file f.\n", "terminal.silent"),
        ("cat w/a", "<predicted_observation>\none\n</predicted_observation>", "leaked_tag"),
        ("ls /x", "<think>hm</think>", "leaked_tag"),
    ],
)
def test_an_impossible_observation_is_an_error(action, observation, rule):
    assert rule in broken(WROTE, action, observation)


@pytest.mark.parametrize(
    ("action", "observation"),
    [
        ("cat w/a", "one\n"),
        ("cat w/a", "one"),
        ("ls", "anything\nat all\n"),
        ("mkdir x", ""),
        ("mkdir x", "mkdir: cannot create directory 'x': File exists\n"),
        ("mkdir -v x", "mkdir: created directory 'x'\n"),
        ("cd nope", "bash: line 3: cd: nope: No such file or directory\n"),
        ("cd -", "/old\n"),
        ("rm -i f", "rm: remove regular file 'f'? "),
        ("python3 -c 'print(1)'", "1\n"),
        ("grep '</think>' page", "x</think>\n"),
        ("foo", "bash: foo: command not found\n"),
    ],
)
def test_what_may_be_is_no_error(action, observation):
    assert broken(WROTE, action, observation) == set()


def test_talk_about_the_answer_is_an_error():
    found = DOMAIN.checks(play(), "ls", "As an AI, I cannot list files.")
    assert [one.severity for one in found] == ["error"]


def test_a_violation_names_the_facts_it_contradicts():
    (found,) = DOMAIN.checks(play([], facts=PROJECT), "cat notes.txt", "yellow\n")
    assert "file:/app/notes.txt" in found.because


def test_what_only_a_model_said_contradicts_nothing():
    ledger = play([("cat f", "hello\n")], origin="model")
    assert DOMAIN.checks(ledger, "cat f", "other\n") == []


def call(command):
    return json.dumps({"name": "terminal", "arguments": {"command": command}})


def test_json_results_keep_their_fields_and_exit_codes():
    assert broken([], call("ls"), "a\nb\n", dialect="json") == {"terminal.shape"}
    lie = '{"output": "bash: foo: command not found", "exit_code": 0, "error": null}'
    assert broken([], call("foo"), lie, dialect="json") == {"terminal.exit"}
    assert broken([], call("foo | head"), lie, dialect="json") == set()


def keys(command):
    return json.dumps([{"keystrokes": command + "\n", "duration": 1}])


@pytest.mark.parametrize(
    ("observation", "rules"),
    [
        ("New Terminal Output:\n\nroot@h:/app# ls\nx\nroot@h:/app#\n", set()),
        ("New Terminal Output:\n\nx\nroot@h:/app#\n", {"terminal.echo"}),
        ("New Terminal Output:\n\nroot@h:/app# ls\nx\nroot@h:/tmp#\n", {"terminal.cwd"}),
        ("Current Terminal Screen:\nx\n", set()),
    ],
)
def test_a_screen_echoes_and_stays_where_it_is(observation, rules):
    start = "New Terminal Output:\n\nroot@h:/app# true\nroot@h:/app#\n"
    assert broken([(keys("true"), start)], keys("ls"), observation, dialect="terminus2") == rules


def test_a_view_adds_up():
    good = "[File: /a (9 lines total)]\n(2 more lines above)\n3:x\n4:y\n(5 more lines below)"
    assert broken([], "goto 3", good, dialect="aci") == set()
    for bad in (good.replace("(2 more", "(7 more"), good.replace("9 lines total", "3 lines total")):
        assert broken([], "goto 3", bad, dialect="aci") == {"terminal.view"}
