"""Rules of the swe domain: each speaks up on what cannot be, and on nothing else."""

import json

import pytest

from tests.swe_play import call, numbered, returned
from tests.test_verify_swe import PASSED, PATH, RUN, SHUTTLE, TRUTHS, errors

READ = (call("read", filePath=PATH), TRUTHS[6][2])
EDIT = (
    call("edit", filePath=PATH, oldString="picks - 1", newString="picks + 12"),
    "Edit applied successfully.",
)
TESTED = (RUN, returned(PASSED))
COMMITTED = ("git commit -am Throw", returned("[main 0a1b2c3] Throw\n 1 file changed\n"))
CHANGED = ("git diff --stat", returned(" shuttle.py | 2 +-\n 1 file changed, 1 insertion(+)\n"))
VIEWED = ("aci", f"open {PATH}", TRUTHS[9][2])
FOUND = f'Found 1 matches for "return" in {PATH}:\nLine 5:    return picks - 1\n'
RULES = [
    # dialect, turns before, action, what cannot be, what can, rule
    ("opencode", [READ, EDIT], READ[0], READ[1], READ[1].replace("- 1", "+ 12"), "stale"),
    ("opencode", [READ], READ[0], READ[1].replace("- 1", "- 4"), READ[1], "lines"),
    (
        "opencode",
        [],
        call("read", filePath="/w/heddle.py"),
        READ[1],
        READ[1].replace("shuttle", "heddle"),
        "file",
    ),
    (
        "pi",
        [],
        call("edit", path=PATH, edits=[{"oldText": "a", "newText": "b"}]),
        f"Successfully replaced 2 block(s) in {PATH}.",
        f"Successfully replaced 1 block(s) in {PATH}.",
        "blocks",
    ),
    (
        "claude-code",
        [],
        call("Read", file_path=PATH),
        f"The file {PATH} has been updated successfully.",
        numbered(SHUTTLE),
        "answer",
    ),
    (
        "aci",
        [VIEWED[1:]],
        f'search_file "return" {PATH}',
        FOUND.replace("Line 5", "Line 7"),
        FOUND,
        "lines",
    ),
    (
        "bash-returncode",
        [TESTED],
        f"{RUN} --tb=short",
        returned(PASSED.replace("5 p", "7 p")),
        returned("..F..\n1 failed, 4 passed in 0.1s\n", 1),
        "tests",
    ),
    (
        "bash-returncode",
        [],
        RUN,
        returned("..F..\n1 failed, 4 passed in 0.1s\n"),
        returned("..F..\n1 failed, 4 passed in 0.1s\n", 1),
        "tests",
    ),
    (
        "bash-returncode",
        [],
        RUN,
        returned(PASSED.replace(".....", "......")),
        returned(PASSED),
        "tests",
    ),
    (
        "bash-returncode",
        [],
        f"cat {PATH}",
        returned(SHUTTLE, 1),
        returned(f"cat: {PATH}: No such file or directory\n", 1),
        "exit",
    ),
    (
        "bash-returncode",
        [],
        "pytest tests",
        returned("collected 5 items\n\n== 4 passed in 0.03s ==\n"),
        returned("collected 5 items / 1 deselected / 4 selected\n\n== 4 passed in 0.03s ==\n"),
        "tests",
    ),
    (
        "bash-returncode",
        [CHANGED],
        "git status --short",
        returned(""),
        returned(" M shuttle.py\n"),
        "git",
    ),
    (
        "bash-returncode",
        [COMMITTED],
        "git log --oneline -n 2",
        returned("77aa88b Warp\n"),
        returned("0a1b2c3 Throw\n77aa88b Warp\n"),
        "commit",
    ),
    (
        "bash-returncode",
        [("mkdir -p /w/looms/small", returned(""))],
        "ls /w/looms",
        returned(""),
        returned("big\nsmall\n"),
        "listing",
    ),
    (
        "bash-returncode",
        [],
        "sed -i 's/picks/rows/' shuttle.py",
        returned("rows\n"),
        returned("sed: can't read shuttle.py: No such file or directory\n", 2),
        "silent",
    ),
    (
        "hermes",
        [],
        call("read_file", path=PATH),
        json.dumps({"content": "     1|a\n     2|b\n     3|", "total_lines": 1}),
        json.dumps({"content": "     1|a\n     2|b\n     3|", "total_lines": 2}),
        "numbers",
    ),
]


@pytest.mark.parametrize(("dialect", "before", "action", "wrong", "right", "rule"), RULES)
def test_a_rule_speaks_up_on_what_cannot_be_alone(dialect, before, action, wrong, right, rule):
    assert f"swe.{rule}" in errors(dialect, action, wrong, before)
    assert errors(dialect, action, right, before) == []


WRITES = [
    ("sed -i 's/a/b/' tests/test_shuttle.py", returned("")),
    ("python weave.py", returned("")),
    ("git checkout shuttle.py", returned("Updated 1 path from the index\n")),
]


@pytest.mark.parametrize("write", WRITES)
def test_what_may_have_changed_is_forgotten(write):
    more = returned(PASSED.replace(".....  ", ".......").replace("5 passed", "7 passed"))
    assert errors("bash-returncode", RUN, more, [TESTED, write]) == []
    assert errors("bash-returncode", "git status -s", returned(""), [CHANGED, write]) == []
    other = returned("77aa88b Warp\n")
    moved = [COMMITTED, ("git reset --hard HEAD~1", returned("HEAD is now at 77aa88b Warp\n"))]
    assert errors("bash-returncode", "git log --oneline", other, moved) == []


def test_another_directory_may_be_another_repository():
    other = returned("77aa88b Warp\n")
    assert errors("bash-returncode", "cd /elsewhere && git log --oneline", other, [COMMITTED]) == []
    there = "cd /elsewhere && git status --short"
    assert errors("bash-returncode", there, returned(""), [CHANGED]) == []


def test_a_choice_of_tests_may_be_smaller():
    some = returned(PASSED.replace("5 passed", "2 passed, 3 deselected"))
    assert errors("bash-returncode", f"{RUN} -k picks", some, [TESTED]) == []
