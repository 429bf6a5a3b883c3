"""What a coding session's ledger claims with certainty, and what it must not claim."""

import json

import pytest

from tests.swe_play import LOOM, ROWS, ask, call, numbered, play, returned, shell
from worldline.domains.swe import DOMAIN
from worldline.facts import fact
from worldline.trajectory import Turn

PART = "".join(f"{row}\n" for row in ROWS[1:6])
SEEN = ("sed -n '2,6p' /w/loom.py", PART)
WEFT = "cat > /w/weft.py << 'EOF'\nWEFT = 3\nEOF"

FOLLOWS = [
    # lines that were shown, by other programs and in other cuts
    ([SEEN], "sed -n '3,4p' /w/loom.py", "WARP = 12\n\n"),
    ([SEEN], "sed -n 3p /w/loom.py", "WARP = 12\n"),
    ([SEEN], "sed -n '3,4p;5q' /w/loom.py", "WARP = 12\n\n"),
    ([SEEN], "cat /w/loom.py | sed -n '3,4p'", "WARP = 12\n\n"),
    ([SEEN], "cat -n /w/loom.py | sed -n '3,3p'", "     3\tWARP = 12\n"),
    ([SEEN], "head -n 4 /w/loom.py | tail -n +3", "WARP = 12\n\n"),
    (
        [("head -3 /w/loom.py", "".join(f"{row}\n" for row in ROWS[:3]))],
        "head -2 /w/loom.py",
        f"{ROWS[0]}\n\n",
    ),
    (
        [("grep -n WARP /w/loom.py", "3:WARP = 12\n8:    return rows * WARP\n")],
        "sed -n '8,8p' /w/loom.py",
        "    return rows * WARP\n",
    ),
    (
        [("cat /w/loom.py | grep -n -A 1 WARP", "3:WARP = 12\n4-\n--\n8:    return rows * WARP\n")],
        "sed -n '3,4p' /w/loom.py",
        "WARP = 12\n\n",
    ),
    (
        [("sed -n '8,99p' /w/loom.py", "    return rows * WARP\n")],
        "sed -n '8,20p' /w/loom.py",
        "    return rows * WARP\n",
    ),
    (
        [("cd /w && cat -n loom.py", numbered(LOOM.rstrip("\n"), "\t", 6) + "\n")],
        "cd /w && grep -c WARP loom.py",
        "2\n",
    ),
    # where a line goes first decides what its names mean
    ([("cd /w && sed -n '2,6p' loom.py", PART)], "cd /w && sed -n '3,3p' loom.py", "WARP = 12\n"),
    ([("cd /w && sed -n '2,6p' loom.py", PART)], "sed -n '3,3p' /w/loom.py", "WARP = 12\n"),
    (
        [("pwd", "/w\n"), ("cd /w && sed -n '2,6p' loom.py", PART)],
        "sed -n 3p loom.py",
        "WARP = 12\n",
    ),
    ([("pwd && ls", "/w\nloom.py\n")], "pwd", "/w\n"),
    # what was written
    ([(WEFT, "")], "cat /w/weft.py", "WEFT = 3\n"),
    ([("cd /w && " + WEFT.replace("/w/", ""), "")], "cd /w && tail -n 1 weft.py", "WEFT = 3\n"),
    # plain edits in place
    ([SEEN, ("sed -i '3s/12/14/' /w/loom.py", "")], "sed -n '3,4p' /w/loom.py", "WARP = 14\n\n"),
    ([SEEN, ("sed -i 2d /w/loom.py", "")], "sed -n '2,2p' /w/loom.py", "WARP = 12\n"),
    (
        [SEEN, ("sed -i '3a\\  EXTRA = 1' /w/loom.py", "")],
        "sed -n '4,5p' /w/loom.py",
        "  EXTRA = 1\n\n",
    ),
    ([SEEN, ("sed -i '3s/12/14/' /w/loom.py", "")], "sed -i '3s/14/16/' /w/loom.py", ""),
    # a module that is not there was not run
    (
        [("python -m weave", "/usr/bin/python: No module named weave\n")],
        "python -m weave",
        "/usr/bin/python: No module named weave\n",
    ),
    (
        [SEEN, ("python -m weave", "python: No module named weave\n")],
        "sed -n 3p /w/loom.py",
        "WARP = 12\n",
    ),
]


@pytest.mark.parametrize(("turns", "command", "printed"), FOLLOWS)
def test_what_follows_from_what_was_shown_is_known(turns, command, printed):
    assert shell(turns, command) == printed


OPEN = [
    ([], "sed -n 3p /w/loom.py"),
    ([SEEN], "sed -n '5,7p' /w/loom.py"),  # line 7 was not shown
    ([SEEN], "sed -n '2,$p' /w/loom.py"),
    ([SEEN], "cat /w/loom.py"),
    ([SEEN], "grep -n WARP /w/loom.py"),
    ([SEEN], "sed -n 3p loom.py"),  # perhaps another file
    ([("cd /w && sed -n '2,6p' loom.py", PART)], "cd /v && sed -n 3p loom.py"),
    ([("cd /w && sed -n '2,6p' loom.py", PART)], "sed -n 3p loom.py"),
    ([SEEN, ("python edit.py", "")], "sed -n 3p /w/loom.py"),
    ([SEEN, ("pip install -e .", "ok\n")], "sed -n 3p /w/loom.py"),
    ([SEEN, (WEFT, "")], "sed -n 3p /w/loom.py"),  # one may be a link to the other
    ([SEEN, ("git checkout .", "")], "sed -n 3p /w/loom.py"),
    ([SEEN, ("sed -i '3s/1*/x/' /w/loom.py", "")], "sed -n 3p /w/loom.py"),
    ([SEEN, ("sed -i '3e date' /w/loom.py", "")], "sed -n 3p /w/loom.py"),
    ([SEEN, ("sed -i 's/a/b\\nc/' /w/loom.py", "")], "sed -n 3p /w/loom.py"),
    (
        [SEEN, ("sed -i '3s/12/14/' /w/loom.py", ""), ("python a.py", "")],
        "sed -i '3s/14/16/' /w/loom.py",
    ),
    ([("cd /w && python a.py", "")], "cd /w && ls"),
    ([(WEFT, ""), ("cd /w && python weft.py", "")], "cat /w/weft.py"),
    ([("export A=1", "")], "echo $A"),  # another shell
    ([("cd /w", "")], "pwd"),
    (
        [("python -m weave", "python: No module named weave\n"), ("pip install weave", "ok\n")],
        "python -m weave",
    ),
    ([("python run.py", "python: No module named weave\n")], "python run.py"),
    ([SEEN, ("python run.py", "python: No module named weave\n")], "sed -n 3p /w/loom.py"),
    ([("grep -no WARP /w/loom.py", "3:WARP\n")], "sed -n 3p /w/loom.py"),
    ([("grep -rn WARP /w/loom.py", "3:WARP\n")], "sed -n 3p /w/loom.py"),
    ([("tail -n 2 /w/loom.py", "a\nb\n")], "sed -n 1p /w/loom.py"),
    ([("sed -n '2,6p' /proc/stat", "a\nb\n")], "sed -n 2p /proc/stat"),
]


@pytest.mark.parametrize(("turns", "command"), OPEN)
def test_what_does_not_follow_is_not_claimed(turns, command):
    assert shell(turns, command) is None


def test_a_directory_that_was_not_there_teaches_nothing():
    line = "cd /w && sed -n '2,6p' loom.py"
    failed = (line, returned("bash: line 1: cd: /w: No such file or directory\n", 1))
    assert ask([failed], line.replace("2,6", "3,3")) is None


def test_the_head_of_output_that_was_cut_is_known_line_by_line():
    head = "".join(f"row {n}\n" for n in range(1, 40)) + "row 4"
    cut = (
        f"<returncode>0</returncode>\n<warning>\nlong\n</warning><output_head>\n{head}\n"
        "</output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n<output_tail>\nx\n"
        "</output_tail>"
    )
    known = ask([("cat /w/rows.txt", cut)], "sed -n '39,39p' /w/rows.txt")
    assert known is not None and known.observation == returned("row 39\n")
    assert ask([("cat /w/rows.txt", cut)], "sed -n '40,40p' /w/rows.txt") is None


def test_a_call_of_bash_is_the_command_it_holds():
    turn = (call("bash", command=SEEN[0]), returned(PART))
    known = ask([turn], call("bash", command="sed -n 3p /w/loom.py"))
    assert known is not None and known.observation == returned("WARP = 12\n")


def test_what_only_a_model_said_is_consistent_not_true():
    turns = [(SEEN[0], returned(SEEN[1]))]
    known = ask(turns, "sed -n 3p /w/loom.py", origin="model")
    assert known is not None and known.consistent_only


# tools

READ = {
    "claude-code": (call("Read", file_path="/w/loom.py"), numbered(LOOM)),
    "hermes": (
        call("read_file", path="/w/loom.py"),
        json.dumps(
            {
                "content": numbered(LOOM, "|", 6),
                "total_lines": 8,
                "file_size": len(LOOM),
                "truncated": False,
                "is_binary": False,
                "is_image": False,
            }
        ),
    ),
    "pi": (call("read", path="/w/loom.py"), LOOM),
}
SWAP = {"old_string": "WARP = 12", "new_string": "WARP = 14"}
EDIT = {
    "claude-code": (
        call("Edit", file_path="/w/loom.py", **SWAP),
        "The file /w/loom.py has been updated successfully.",
    ),
    "hermes": (
        call("patch", mode="replace", path="/w/loom.py", **SWAP),
        json.dumps({"success": True, "diff": "", "files_modified": ["/w/loom.py"]}),
    ),
    "pi": (
        call("edit", path="/w/loom.py", edits=[{"oldText": "12", "newText": "14"}]),
        "Successfully replaced 1 block(s) in /w/loom.py.",
    ),
}


@pytest.mark.parametrize("dialect", READ)
def test_a_file_reads_back_as_it_was_edited(dialect):
    known = ask([READ[dialect], EDIT[dialect]], READ[dialect][0], dialect=dialect)
    assert known is not None
    assert known.observation.replace("WARP = 14", "WARP = 12") == READ[dialect][1]
    assert "WARP = 14" in known.observation and known.because == ("file:/w/loom.py",)


@pytest.mark.parametrize("dialect", READ)
def test_a_harness_may_refuse_to_show_again_what_has_not_changed(dialect):
    assert ask([READ[dialect]], READ[dialect][0], dialect=dialect) is None


SHELL = {"claude-code": "Bash", "hermes": "terminal", "pi": "bash"}
QUIET = {
    "claude-code": "done",
    "hermes": json.dumps({"output": "", "exit_code": 0, "error": None}),
    "pi": "(no output)",
}


@pytest.mark.parametrize("dialect", READ)
def test_a_program_that_ran_in_between_may_have_changed_it(dialect):
    ran = (call(SHELL[dialect], command="python tidy.py"), QUIET[dialect])
    turns = [READ[dialect], EDIT[dialect], ran]
    assert ask(turns, READ[dialect][0], dialect=dialect) is None
    assert ask(turns, EDIT[dialect][0], dialect=dialect) is None


def test_a_second_edit_is_confirmed_in_the_words_of_the_first():
    turns = [READ["claude-code"], EDIT["claude-code"]]
    action = call("Edit", file_path="/w/loom.py", old_string="14", new_string="15")
    known = ask(turns, action, dialect="claude-code")
    assert known is not None and known.observation == EDIT["claude-code"][1]
    assert ask(turns[:1], action.replace("14", "12"), dialect="claude-code") is None
    twice = call("Edit", file_path="/w/loom.py", old_string="WARP", new_string="W")
    assert ask(turns, twice, dialect="claude-code") is None


REFUSED = "<tool_use_error>String to replace not found in file.\nString: {}</tool_use_error>"


def test_an_edit_of_text_that_is_not_there_is_refused():
    action = call("Edit", file_path="/w/loom.py", old_string="WEFT = 12", new_string="x")
    known = ask([READ["claude-code"]], action, dialect="claude-code")
    assert known is not None and known.observation == REFUSED.format("WEFT = 12")


@pytest.mark.parametrize("old", ["WARP  =  12", "WARP = 12", "“”“Weaves.”“”", "", "<b>"])
def test_an_edit_that_may_match_in_some_way_is_not_refused(old):
    action = call("Edit", file_path="/w/loom.py", old_string=old, new_string="x")
    assert ask([READ["claude-code"]], action, dialect="claude-code") is None


def test_a_file_that_no_tool_has_read_gets_another_error():
    cat = (call("Bash", command="cat /w/loom.py"), LOOM.rstrip("\n"))
    action = call("Edit", file_path="/w/loom.py", old_string="WEFT", new_string="x")
    assert ask([cat], action, dialect="claude-code") is None


def test_opencode_may_format_what_it_edits():
    body = numbered(LOOM.rstrip("\n"), ": ")
    read = (
        call("read", filePath="/w/loom.py"),
        f"<path>/w/loom.py</path>\n<type>file</type>\n<content>\n{body}\n\n"
        "(End of file - total 8 lines)\n</content>",
    )
    edit = call("edit", filePath="/w/loom.py", oldString="12", newString="14")
    turns = [read, (edit, "Edit applied successfully.")]
    assert ask(turns, read[0], dialect="opencode") is None


def test_a_failed_edit_changes_nothing_and_an_odd_answer_may_have_changed_it():
    edit, action = (
        EDIT["claude-code"],
        call("Edit", file_path="/w/loom.py", old_string="q", new_string="z"),
    )
    turns = [READ["claude-code"], edit, (action, REFUSED.format("q"))]
    assert ask(turns, READ["claude-code"][0], dialect="claude-code") is not None
    turns[-1] = (action, "Something else happened.")
    assert ask(turns, READ["claude-code"][0], dialect="claude-code") is None


def test_a_tool_nobody_knows_may_have_changed_everything():
    for name, claimed in (("Grep", True), ("Task", False)):
        turns = [READ["claude-code"], EDIT["claude-code"], (call(name, prompt="go"), "ok")]
        assert (ask(turns, READ["claude-code"][0], dialect="claude-code") is None) != claimed


def test_a_world_of_ours_reads_back_what_is_given_and_written():
    given = [fact("file", "/w/loom.py", {"type": "file", "content": LOOM}, origin="given")]
    for dialect, (action, shown) in READ.items():
        known = ask([], action, dialect=dialect, foreign=False, facts=given)
        assert known is not None and known.observation == shown


def test_only_a_world_of_ours_answers_for_the_protocol():
    ours, tools = {"foreign": False}, ({"name": "Read"},)
    ledger = play(dialect="claude-code", tools=tools, **ours)
    assert DOMAIN.protocol(ledger, call("Reed")).origin == "protocol"
    assert DOMAIN.protocol(ledger, "read it").origin == "protocol"
    assert DOMAIN.protocol(ledger, call("Read")) is None
    assert DOMAIN.protocol(play(dialect="claude-code", **ours), call("Reed")) is None
    assert DOMAIN.protocol(play(dialect="claude-code", tools=tools), call("Reed")) is None


@pytest.mark.parametrize("dialect", DOMAIN.dialects)
@pytest.mark.parametrize(
    "action",
    ["", "{", '{"name": "x", "arguments": {"a": 1}}', "\0", "\ud800", "x" * 70_000, "cd /w && "]
    + [call(n, **{p: "/w/\0"}) for n, p in (("Read", "file_path"), ("read", "path"))],
)
def test_no_action_ends_a_session(dialect, action):
    ledger = play(dialect=dialect)
    assert DOMAIN.known(ledger, action) is None or dialect in ("bash-returncode", "aci")
    for seen in ("", "\0", "\ud800", "<returncode>0</returncode>\n<output>\n</output>"):
        ledger = DOMAIN.track(ledger, Turn(action=action, observation=seen), "real")
    assert ledger.turn == 4
    DOMAIN.facts(ledger, action, 500)
    DOMAIN.checks(ledger, action, "x")
