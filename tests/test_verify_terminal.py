"""Measures of the terminal: the truth is whole, each rule speaks and is silent."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.terminal_play import here, play, trajectory
from worldline.domains.terminal import DOMAIN
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

VIEW = "[File: /w/area.py (3 lines total)]\n1:def area(w, h):\n2:    return w + h\n3:\n"
EDITED = "[File: /w/area.py (3 lines total)]\n1:def area(w, h):\n2:    return w * h\n3:\n"
FILE = "-rw-r--r-- 1 user user 26 Jun  3 10:20 prices\n"
LISTED = f"total 8\n{FILE}drwxr-xr-x 2 user user 40 Jun  1 2025 old\n"
TIMED = '{"output": "7 passed\\n1 failed", "duration_seconds": 0.22}'
EDIT = "edit 2:2\n    return w * h\nend_of_edit"
AT = "user@box:~$"
WROTE = ("cat > prices <<'EOF'\nlamp 30\nchair 45\ndesk 120\nEOF", "")


def keys(*lines: str) -> str:
    return json.dumps([{"keystrokes": f"{line}\n", "duration": 0.1} for line in lines])


def screen(*rows: str) -> str:
    return "\n".join(["New Terminal Output:", "", *rows, ""])


def shell(command: str) -> str:
    return json.dumps({"name": "terminal", "arguments": {"command": command}})


def told(output: str, code: int = 0) -> str:
    return json.dumps({"output": output, "exit_code": code, "error": None})


def last(*turns: tuple[str, str], dialect: str = "command", initial_state: str = "") -> Moment:
    *_, moment = moments(trajectory(turns, dialect=dialect, initial_state=initial_state))
    return moment


PROMPTED = {"dialect": "terminus2", "initial_state": "user@box:~$"}
LS = (keys("ls -l"), screen("user@box:~$ ls -l", *LISTED.rstrip().split("\n"), "user@box:~$"))
ROWS = {
    "command": last(("pwd", "/w\n"), ("ls -l", LISTED)),
    "processes": last(
        ("ps aux", "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\n"
                   "root 604 0.0 0.1 6412 1648 ? Rs 12:09 0:00 ps aux\n"),
    ),
    "terminus2": last(LS, **PROMPTED),
    "json": last((shell("ls"), told("a.txt\nb.txt\nc.txt")), dialect="json"),
    "tool": last(
        ('{"name": "run", "arguments": {}}', TIMED),
        dialect="json",
    ),
    "aci": last(("open area.py", VIEW), (EDIT, EDITED), dialect="aci"),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_the_truth_is_whole_and_breaks_no_rule(name):
    moment = ROWS[name]
    assert score(moment, moment.truth).true.score == 1
    assert DOMAIN.checks(moment.ledger, moment.action, moment.truth) == []
    assert DOMAIN.parts(moment.ledger, moment.action, moment.truth)


@pytest.mark.parametrize(
    ("name", "old", "new", "dimension"),
    [
        ("command", "drwxr-xr-x 2 user user 40 Jun  1 2025 old\n", "", "quality"),
        ("command", " 26 ", " 62 ", "factuality"),
        ("command", "total 8", "Sure, here is the output:\ntotal 8", "realism"),
        ("terminus2", "user@box:~$\n", "user@box:~/old$\n", "consistency"),
        ("terminus2", "user@box:~$\n", "root@box:~$\n", "consistency"),
        ("terminus2", "$ ls -l\n", "$ ls -a\n", "consistency"),
        ("terminus2", "New Terminal Output:\n\n", "", "format"),
        ("json", '"exit_code": 0', '"exit_code": 1', "factuality"),
        ("json", '"exit_code": 0, ', "", "format"),
        ("json", "null}", "null", "format"),
        ("json", "b.txt\\n", "", "quality"),
        ("aci", "[File: /w/", "[File: /v/", "consistency"),
        ("aci", "[File: ", "File ", "format"),
        ("aci", "return w * h", "return w - h", "factuality"),
        ("aci", "return w * h", "return w + h", "consistency"),
    ],
)
def test_a_difference_costs_its_dimension(name, old, new, dimension):
    moment = ROWS[name]
    assert moment.truth.count(old) >= 1
    card = score(moment, moment.truth[::-1].replace(old[::-1], new[::-1], 1)[::-1])
    assert getattr(card.true, dimension) < 1


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("command", "Jun  3 10:20", "Jul 14 09:01"),
        ("terminus2", "Jun  3 10:20", "Jul 14 09:01"),
        ("processes", "604 0.0 0.1 6412 1648 ? Rs 12:09", "91 0.3 0.2 7000 99 ? Rs 08:00"),
        ("tool", "0.22", "1.5"),
        ("command", "total 8\n", "total 8 \n"),
    ],
)  # fmt: skip
def test_what_nobody_can_know_costs_nothing(name, old, new):
    moment = ROWS[name]
    assert old in moment.truth
    assert score(moment, moment.truth.replace(old, new)).true.score == 1


def test_new_content_is_unknowable_and_messages_are_not():
    assert score(ROWS["command"], "").unknown
    moment = last(("cat gone.txt", "cat: gone.txt: No such file or directory\n"))
    assert not score(moment, moment.truth).unknowable


def test_status_is_the_exit_code_or_a_complaint():
    assert DOMAIN.status(play(dialect="json"), shell("x"), told("", 2)) == "exit 2"
    assert DOMAIN.status(play(), "cat x", "cat: x: No such file or directory\n") == "error"
    assert DOMAIN.status(play(), "cat x", "all is well\n") == "ok"


def broken(turns, action, observation, **options):
    found = DOMAIN.checks(play(turns, **options), action, observation)
    for one in found:
        assert one.span is None or 0 <= one.span[0] < one.span[1] <= len(observation)
    return {one.rule.removeprefix("terminal.") for one in found if one.severity == "error"}


# what each rule says is impossible, and what it lets pass
COMMANDS = [
    ("shape", [], "find . -name '*.md'", "./a.md\n./b.txt\n", "./a.md\n./b/c.md\n"),
    ("shape", [], "find src -maxdepth 1", "src\nsrc/a/b\n", "src\nsrc/a\n"),
    ("shape", [], "find src -type f", "lib/a\n", "src/a\nfind: 'src/x': Permission denied\n"),
    ("shape", [], "grep -n red list", "1\n", "1:red\n7:a redder one\n"),
    ("shape", [], "grep red list", "blue\n", "red\ngrep: list: Is a directory\n"),
    ("shape", [], "grep -v red list", "red\n", "blue\n"),
    ("shape", [], "grep -c red list", "red\n", "4\n"),
    ("shape", [], "cut -d, -f2 list", "a,b\n", "b\n"),
    ("shape", [], "awk '{print $1}' list", "a b\n", "a\nb\n"),
    ("shape", [], "ls", "/home/user\n", "home user\n"),
    ("shape", [], "ls -l", "a.txt\n", LISTED),
    ("shape", [], "wc -l list", "three lines\n", "3 list\n"),
    ("shape", [], "sha256sum list", "0a1b  list\n", f"{'0a1b' * 16}  list\n"),
    ("shape", [], "cat list | tr a-z A-Z", "Red\n", "RED 7\n"),
    ("shape", [], "sort list | uniq -c", "red\n", "      2 red\n"),
    ("count", [], "head -n 2 list", "a\nb\nc\n", "a\nb\n"),
    ("count", [], "ls | tail -3", "a\nb\nc\nd\n", "a\nb\nc\n"),
    ("count", [], "sed -n '3,4p' list", "a\nb\nc\n", "a\nb\n"),
    ("total", [], "wc -l a b", " 1 a\n 2 b\n 4 total\n", " 1 a\n 2 b\n 3 total\n"),
    ("order", [], "du -s * | sort -n", "9\ta\n10\tb\n2\tc\n", "2\tc\n9\ta\n10\tb\n"),
    ("order", [], "sort list | uniq", "a\na\nb\n", "a\nb\na \n"),
    ("order", [], "find .", "./a\n./a\n", "./a\n./b\n"),
    ("order", [], "cat -n list", "     1\ta\n     3\tb\n", "     1\ta\n     2\tb\n"),
    ("mute", [], "git log --oneline", "", "0a1b2c3 First\n"),
    ("lines", [WROTE], "sort -k2,2g prices", "shelf 8\n", "lamp 30\nchair 45\ndesk 120\n"),
    ("lines", [WROTE], "sed 's/lamp/torch/' prices", "2\n", "torch 30\nchair 45\ndesk 120\n"),
    ("lines", [("grep red l", "red 1\nred 2\n")], "grep red l | head -n 1", "red 2\n", "red 1\n"),
    ("lines", [("grep red l", "red 1\nred 2\n")], "grep -c red l", "5\n", "2\n"),
    ("size", [WROTE], "ls -l prices", FILE.replace(" 26 ", " 64 "), FILE),
    ("kind", [WROTE], "ls -l prices", FILE.replace("-rw", "drw"), FILE),
    ("missing", [WROTE], "find . -type f", "./other\n", "./other\n./prices\n"),
    ("absent", [("ls gone", "ls: cannot access 'gone': No such file or directory\n")], "stat gone",
     "  File: gone\n", "stat: cannot statx 'gone': No such file or directory\n"),
    ("exists", [WROTE], "xxd prices", "xxd: prices: No such file or directory\n", "0: 6c61\n"),
    ("silent", [], "echo red >> list", "red\n", "bash: list: Permission denied\n"),
    ("silent", [], "mkdir a && cd a", "a\n", "mkdir: cannot create directory 'a': File exists\n"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "before", "action", "wrong", "right"), COMMANDS)
def test_a_rule_on_commands_speaks_and_is_silent(rule, before, action, wrong, right):
    assert rule in broken(before, action, wrong, facts=[here()])
    assert broken(before, action, right, facts=[here()]) == set()


def test_a_new_name_leaves_other_files_as_they_are_known():
    shown = [("ls", "prices\n"), ("cat prices", "lamp\nchair\n")]
    for write, rules in (("touch new", {"lines"}), ("touch new; python3 x.py", set())):
        turns = [*shown, (write, "")]
        assert broken(turns, "cat prices | tail -n 1", "lamp\n", facts=[here()]) == rules


SCREENS = [
    ("prompt", keys("id"), [f"{AT} id", "uid=1", "root@vm:~#"], [f"{AT} id", "uid=1", AT]),
    ("prompt", keys("id"), [f"{AT} id", "root@vm:~$"], [f"{AT} id", f"no line end{AT}"]),
    ("cwd", keys("id"), [f"{AT} id", "uid=1", "user@box:/$"], [f"{AT} id", "uid=1", AT]),
    ("cwd", keys("cd a"), [f"{AT} cd a", "user@box:~/b$"], [f"{AT} cd a", "user@box:~/a$"]),
    ("cwd", keys("cd src"), [f"{AT} cd src", AT],
     [f"{AT} cd src", "bash: cd: src: No such file or directory", AT]),
    ("echo", keys("df", "du"), [f"{AT} df", f"{AT} ls", AT], [f"{AT} df", f"{AT} du", AT]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "action", "wrong", "right"), SCREENS)
def test_a_rule_on_screens_speaks_and_is_silent(rule, action, wrong, right):
    assert rule in broken([], action, screen(*wrong), **PROMPTED)
    assert broken([], action, screen(*right), **PROMPTED) == set()


def test_a_screen_has_its_title():
    rows = "user@box:~$ id\nuid=1\nuser@box:~$\n"
    assert broken([], keys("id"), rows, **PROMPTED) == {"frame"}


def tool(name: str, **arguments: str) -> str:
    return json.dumps({"name": name, "arguments": arguments})


DIFF = "@@ -1,2 +1,2 @@\n-old\n+new\n same"
ANSWERS = [
    ("exit", shell("stat x"), told("stat: cannot statx 'x': No such file or directory"),
     told("stat: cannot statx 'x': No such file or directory", 1)),
    ("exit", shell("grep red l"), told("red", 1), told("red")),
    ("exit", shell("mkdir a"), told("", 1), told("")),
    ("exit", shell("foo a"), told("bash: foo: command not found"), told("", 127)),
    ("shape", shell("ls"), '{"output": "a"}', told("a")),
    ("shape", shell("ls"), '{"output": "a", "exit_code": "zero", "error": null}', told("a")),
    ("written", tool("write_file", path="/a", content="12é"),
     '{"bytes_written": 3}', '{"bytes_written": 4}'),
    ("view", tool("read_file", path="/a"),
     '{"content": "     1|a\\n     3|b"}', '{"content": "     1|a\\n     2|b"}'),
    ("diff", tool("patch", path="/a"), json.dumps({"diff": DIFF.replace("-1,2", "-1,9")}),
     json.dumps({"diff": DIFF})),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "action", "wrong", "right"), ANSWERS)
def test_a_rule_on_answers_speaks_and_is_silent(rule, action, wrong, right):
    assert rule in broken([], action, wrong, dialect="json")
    assert broken([], action, right, dialect="json") == set()


@pytest.mark.parametrize(
    ("rule", "action", "wrong"),
    [
        ("view", "goto 2", VIEW.replace("3 lines total", "2 lines total")),
        ("view", "open area.py", VIEW.rstrip() + "\n(9 more lines below)"),
        ("edit", "edit 2:2\n    return w * h\nend_of_edit", VIEW),
        ("edit", "edit 2:2\n    return w * h\nend_of_edit", EDITED.replace("(3", "(4")),
        ("frame", "open area.py", VIEW.partition("\n")[2].rstrip()),
        ("frame", EDIT, EDITED.replace("[File: ", "File ")),
    ],
)
def test_a_rule_on_views_speaks(rule, action, wrong):
    assert rule in broken([("open area.py", VIEW)], action, wrong, dialect="aci")


def test_every_corruption_costs_its_dimension_and_every_variant_nothing():
    applied = dict.fromkeys(ROWS, 0)
    for name, moment in ROWS.items():
        for one in corruptions("terminal"):
            text = one.make(moment, Random(one.name), 0.0)
            if text is not None and text.rstrip() != moment.truth.rstrip():
                applied[name] += 1
                card = score(moment, text).true
                assert getattr(card, one.dimension) < 1 and card.score < 1, (name, one.name)
        for other in variants("terminal"):
            text = other.make(moment, Random(other.name))
            assert text is None or score(moment, text).true.score == 1, (name, other.name)
    assert min(applied.values()) >= 5


MUTATIONS = st.tuples(
    st.sampled_from(sorted(ROWS)),
    st.integers(0, 400),
    st.integers(0, 60),
    st.text(st.sampled_from('\n $#>{}[]":\\aé\t0|@~+-\x1b\ud800'), max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(MUTATIONS)
def test_whatever_is_said_can_be_measured(mutation):
    name, at, length, text = mutation
    moment = ROWS[name]
    said = moment.truth[:at] + text + moment.truth[at + length :]
    for part in DOMAIN.parts(moment.ledger, moment.action, said) or []:
        assert part.span is None or said[part.start : part.start + len(part.text)] == part.text
    for one in DOMAIN.checks(moment.ledger, moment.action, said):
        assert one.span is None or 0 <= one.span[0] <= one.span[1] <= len(said)
    assert 0 <= score(moment, said).true.score <= 1
