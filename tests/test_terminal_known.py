"""What a terminal's ledger claims with certainty, and what it must not claim."""

import json

import pytest

from tests.terminal_play import NOTES, PROJECT, ask, given_dir, given_file, here, play
from worldline.domains.terminal import DOMAIN
from worldline.facts import fact
from worldline.trajectory import Turn

WROTE = [("mkdir w", ""), ("echo one > w/a", ""), ("echo 'two  words' >> w/a", "")]
LISTED = "notes.txt\nsrc\n"

KNOWN = [
    # read-back of a snapshot
    ("cat notes.txt", NOTES),
    ("cat /app/notes.txt", NOTES),
    ("cat ./notes.txt src/util.py", NOTES + "x = 1"),
    ("cat -n notes.txt", "     1\tred\n     2\tgreen tea\n     3\tblue\n"),
    ("cat < notes.txt", NOTES),
    ("head -n 1 notes.txt", "red\n"),
    ("head -2 notes.txt", "red\ngreen tea\n"),
    ("tail -n 1 notes.txt", "blue\n"),
    ("tail -n +3 notes.txt", "blue\n"),
    ("head -c 4 notes.txt", "red\n"),
    ("wc -l notes.txt", "3 notes.txt\n"),
    ("wc notes.txt", " 3  4 19 notes.txt\n"),
    ("wc -c notes.txt src/util.py", "19 notes.txt\n 5 src/util.py\n24 total\n"),
    ("wc -l src/util.py", "0 src/util.py\n"),
    ("wc -l < notes.txt", "3\n"),
    ("grep e notes.txt", "red\ngreen tea\nblue\n"),
    ("grep -n tea notes.txt", "2:green tea\n"),
    ("grep -c e notes.txt", "3\n"),
    ("grep -v green notes.txt", "red\nblue\n"),
    ("grep -i BLUE notes.txt src/util.py", "notes.txt:blue\n"),
    ("grep '^b' notes.txt", "blue\n"),
    ("grep nothing notes.txt", ""),
    ("grep -q red notes.txt && echo found", "found\n"),
    ("grep -r red src/missing 2>/dev/null; echo done", None),
    ("sed -n 2p notes.txt", "green tea\n"),
    ("sed -n '2,$p' notes.txt", "green tea\nblue\n"),
    ("sed 1d notes.txt", "green tea\nblue\n"),
    ("cut -d' ' -f2 notes.txt", "red\ntea\nblue\n"),
    ("cut -c1-3 notes.txt", "red\ngre\nblu\n"),
    ("sort notes.txt", "blue\ngreen tea\nred\n"),
    ("tac notes.txt", "blue\ngreen tea\nred\n"),
    ("cat notes.txt | tr a-z A-Z | head -1", "RED\n"),
    ("cat notes.txt | wc -l", "3\n"),
    ("md5sum src/util.py", "d37ffc54b67ce8de1f01efb1f2e33689  src/util.py\n"),
    # directories, and what is not in them
    ("ls empty", ""),
    ("ls src", "main.py\nutil.py\n"),
    ("ls src/*.py", None),
    ("echo src/*.py", "src/main.py src/util.py\n"),
    ("cat missing.txt", "cat: missing.txt: No such file or directory\n"),
    ("cat src/missing/deep", "cat: src/missing/deep: No such file or directory\n"),
    ("ls missing", "ls: cannot access 'missing': No such file or directory\n"),
    ("cat src", "cat: src: Is a directory\n"),
    ("test -f notes.txt && echo yes", "yes\n"),
    ("[ -d notes.txt ] || echo no", "no\n"),
    ("[ -e missing ]; echo $?", "1\n"),
    # the current directory
    ("pwd", "/app\n"),
    ("cd src", ""),
    ("cd src && pwd", "/app/src\n"),
    ("cd src && cat util.py", "x = 1"),
    ("cd ..", ""),
    ("cd src/..; pwd", "/app\n"),
    ("echo $PWD", "/app\n"),
    # what needs nothing but the shell
    ("echo hello   world", "hello world\n"),
    ("echo 'a  b' \"c  d\"", "a  b c  d\n"),
    ("echo -n x; echo y", "xy\n"),
    ("echo -e 'a\\tb'", "a\tb\n"),
    ("printf '%s=%d\\n' a 1 b 2", "a=1\nb=2\n"),
    ('x=3; echo "$x apples"', "3 apples\n"),
    ("export NAME=v", ""),
    ("echo $(echo inner)", "inner\n"),
    ("true && echo a || echo b", "a\n"),
    ("false && echo a || echo b", "b\n"),
    ("seq 3", "1\n2\n3\n"),
    ("basename /a/b.txt .txt; dirname /a/b.txt", "b\n/a\n"),
    ("# only a comment", ""),
    ("cat <<'EOF'\n$x `y`\nEOF", "$x `y`\n"),
]

UNKNOWN = [
    "cat cut.txt",  # a snapshot that replaced a secret
    "cat /etc/hostname",
    "python3 src/main.py",
    "cat *.txt | sort -R",
    "echo $HOME",
    "echo $UNSET",
    "echo $RANDOM",
    "echo {1..3}",
    "echo ~bob",
    "date",
    "cat notes.txt &",
    "sleep 1",
    "cat -A notes.txt",
    "grep 'r.*d' notes.txt",
    "sed 's/red/RED/' notes.txt",
    "find . -name '*.py'",
    "mkdir newdir",  # may not be allowed
    "touch newfile",
    "rm notes.txt",
    "echo x > notes.txt",
    "cp notes.txt other.txt",
    "cat elsewhere/../notes.txt",  # `..` might cross a link
    "ls -l",
    "cat /proc/self/status",
    "set -x; echo a",
    "ls missing src",
    "cat missing.txt notes.txt",  # order of the two streams
    "for f in a b; do echo $f; done",
    "cat 'unclosed",
    "unknowncommand",
    "which python3",
    "sudo cat notes.txt",
    "cat notes.txt > /dev/full",
    "wc -w src/main.py src/missing",
    "cd -",
    "cd",
    "exit",
]


@pytest.mark.parametrize(("action", "expected"), KNOWN, ids=[action for action, _ in KNOWN])
def test_follows_from_the_snapshot(action, expected):
    found = ask([], action, facts=PROJECT)
    assert (found and found.observation) == expected


@pytest.mark.parametrize("action", UNKNOWN)
def test_is_not_claimed(action):
    assert ask([], action, facts=PROJECT) is None


def test_a_claim_names_the_facts_it_rests_on():
    found = ask([], "cat notes.txt", facts=PROJECT)
    assert found.rule == "terminal.readback"
    assert "file:/app/notes.txt" in found.because
    assert found.origin == "known" and not found.consistent_only


def session_cases():
    """(turns, action, expected) of sessions with a history."""
    yield WROTE, "cat w/a", "one\ntwo  words\n"
    yield WROTE, "ls w", "a\n"
    yield WROTE, "cat w/b", "cat: w/b: No such file or directory\n"
    yield WROTE, "touch w/new", ""
    yield [*WROTE, ("touch w/new", "")], "ls w", "a\nnew\n"
    yield WROTE, "rm w/a", ""
    yield [*WROTE, ("rm w/a", "")], "cat w/a", "cat: w/a: No such file or directory\n"
    yield [*WROTE, ("rm w/a", "")], "rmdir w", None  # whether it may be removed from its parent
    yield WROTE, "echo again > w/a && cat w/a", "again\n"
    yield WROTE, "cp w/a w/b && cat w/b", "one\ntwo  words\n"
    yield [*WROTE, ("mv w/a w/b", "")], "cat w/a", "cat: w/a: No such file or directory\n"
    yield WROTE, "echo x | tee w/t", "x\n"
    yield WROTE, "mkdir -p w", ""
    yield WROTE, "mkdir w/sub && cd w/sub && pwd", None  # no current directory is known
    yield [("cat > f <<'EOF'\na $b\nEOF", "")], "cat f", "a $b\n"
    yield [("printf 'a\\nb' > f", "")], "cat f; echo; cat f | wc -l", "a\nb\n1\n"
    yield [("x=5", "")], "echo $x", "5\n"
    yield [("export x='a b'", "")], 'echo "$x"', "a b\n"
    yield [("x='a b'", "")], "echo $x", None  # the shell would split it
    yield [("pwd", "/data\n")], "pwd", "/data\n"
    yield [("pwd", "/data\n"), ("cd sub", "")], "pwd", "/data/sub\n"
    yield [("pwd", "/data\n"), ("cd sub", "bash: cd: sub: Permission denied\n")], "pwd", None
    yield [("cat f", "hello\nyou\n")], "head -1 f", "hello\n"
    yield [("cat f", "hello\nyou\n")], "cat f", "hello\nyou\n"
    yield [("ls d", "a\nb\n")], "ls d", "a\nb\n"
    yield [("ls d", "a\nb\n")], "cat d/c", "cat: d/c: No such file or directory\n"
    yield [("ls d", "a\nb\n")], "cat d/.c", None  # hidden names were not listed
    yield (
        [("ls d", "ls: cannot access 'd': No such file or directory\n")],
        "cat d/x",
        "cat: d/x: No such file or directory\n",
    )
    yield [("wc -l < f", "7\n"), ("ls", "f\n")], "wc -l < f", "7\n"
    yield (
        [("find src -type f | sort", "src/a\nsrc/b\n")],
        "find src -type f | sort",
        "src/a\nsrc/b\n",
    )
    yield [("foo", "bash: foo: command not found\n")], "foo --bar", "bash: foo: command not found\n"
    yield (
        [
            (
                "ls --nope",
                "ls: unrecognized option '--nope'\nTry 'ls --help' for more information.\n",
            )
        ],
        "ls --nope",
        "ls: unrecognized option '--nope'\nTry 'ls --help' for more information.\n",
    )


@pytest.mark.parametrize(("turns", "action", "expected"), list(session_cases()))
def test_follows_from_the_session(turns, action, expected):
    found = ask(turns, action)
    assert (found and found.observation) == expected


FORGETS = [
    "python3 build.py",
    "make",
    "./run.sh",
    "sh install.sh",
    "sed -i s/a/b/ other",
    "find . -name x -exec rm {} +",
    "find . -delete",
    "echo f | xargs rm",
    "awk '{print > \"f\"}' x",
    "sort -o f f",
    "cat x | sh",
    "git checkout .",
    "tar xf a.tar",
    "curl -o f http://x",
    'eval "$cmd"',
    "source env.sh",
    "f() { rm -rf .; }",
    "case x in x) rm f;; esac",
    "cp other f",
    "mv other f",
    "ln -sf other f",
    "echo x > $target",
    "touch f; chmod 000 f",
    "dd if=/dev/zero of=f",
    "make &",
    "nohup make",
    "$(cat cmd)",
    "rm -rf *",
]


@pytest.mark.parametrize("action", FORGETS)
def test_what_may_have_changed_is_not_claimed(action):
    before = [("cat f", "hello\n")]
    assert ask(before, "cat f") is not None
    assert ask([*before, (action, "")], "cat f") is None


KEEPS = ["ls -la", "grep x f", "cat g | sort | uniq -c", "find . -name '*.c' | wc -l", "date"]


@pytest.mark.parametrize("action", KEEPS)
def test_what_only_reads_forgets_nothing(action):
    found = ask([("cat f", "hello\n"), (action, "")], "cat f")
    assert found is not None and found.observation == "hello\n"


REPEATS = [
    ("date", False),
    ("ps aux", False),
    ("cat /proc/loadavg", False),
    ("ls /var/log", False),
    ("find / -name x", False),
    ("find . -mmin -5", False),
    ("echo $RANDOM", False),
    ("curl http://x", False),
    ("time ls", False),
    ("sort -R f", False),
    ("awk 'BEGIN{print rand()}'", False),
    ("stat f", False),
    ("du -sh src", False),
    ("ls -lu src", False),
    ("tail -f app.log", False),
    ("python3 x.py", False),
    ("find src -name '*.py' -exec md5sum {} + | sort", True),
    ("stat -c %s f", True),
    ("awk '{print $1}' f | sort | uniq -c", True),
    ("git log --oneline", True),
    ("grep -rn main src", True),
    ("diff a b", True),
    ("file f", True),
    ("uname -r", True),
]


@pytest.mark.parametrize(("action", "again"), REPEATS)
def test_a_repeated_command_is_known_only_if_it_must_answer_the_same(action, again):
    found = ask([(action, "12 x\n")], action)
    assert (found is not None) == again
    assert ask([(action, "12 x\n"), ("touch z", "")], action) is None


def test_answers_of_several_streams_are_not_repeated():
    pipe = "nosuch | cat f; grep -c x f"
    assert ask([(pipe, "3\nbash: line 1: nosuch: command not found\n")], pipe) is None


def test_a_failed_write_leaves_no_content():
    turns = [("echo new > f", "bash: f: Permission denied\n")]
    assert ask([("cat f", "old\n"), *turns], "cat f") is None


def test_a_write_whose_errors_are_hidden_is_not_believed():
    assert ask([("mkdir d 2>/dev/null", "")], "ls d") is None


def test_a_name_that_was_there_before_may_be_a_link():
    """`conf` was listed before it was written to, so it may be a link to `other`."""
    turns = [("ls", "conf\nother\n"), ("echo a > other", ""), ("echo b > conf", "")]
    assert ask(turns, "cat other") is None
    new = [("ls", "other\n"), ("echo a > other", ""), ("echo b > conf", "")]
    assert ask(new, "cat conf").observation == "b\n"
    long = (
        "total 0\n-rw-r--r-- 1 me me 0 Jan  1 12:00 conf\n-rw-r--r-- 1 me me 0 Jan  1 12:00 other\n"
    )
    plain = [("ls -l", long), *turns[1:]]
    assert ask(plain, "cat other").observation == "a\n"


def test_a_failed_read_does_not_prove_that_no_link_is_there():
    turns = [("cat x", "cat: x: No such file or directory\n")]
    assert ask(turns, "head x").observation == (
        "head: cannot open 'x' for reading: No such file or directory\n"
    )
    assert ask(turns, "ls x") is None
    assert ask([("ls x", "ls: cannot access 'x': No such file or directory\n")], "ls x")


def test_a_pipeline_that_reads_what_it_writes_is_a_race():
    assert ask(WROTE, "cat w/a | tee w/a") is None
    assert ask(WROTE, "ls w | tee w/list") is None
    assert ask(WROTE, "sort w/a > w/a && cat w/a") is None


def test_several_errors_are_all_reported():
    found = ask(WROTE, "rm w/x w/y")
    assert found.observation.count("No such file") == 2


def test_tools_beyond_the_core_ones_may_be_missing_elsewhere():
    assert ask([], "echo abc | rev").observation == "cba\n"
    assert ask([], "echo abc | rev", foreign=True) is None


def test_the_exit_code_of_an_earlier_turn_is_not_guessed():
    assert ask([("true", "")], "echo $?") is None


def test_a_tilde_in_an_assignment_is_not_literal():
    assert ask([("x=~", "")], "echo $x") is None
    assert ask([("export x=~/a", "")], "echo $x") is None


def test_a_link_is_not_followed():
    turns = [("echo a > f", ""), ("ln -s f l", ""), ("echo b > l", "")]
    assert ask(turns, "cat f") is None
    assert ask(turns, "cat l") is None


def test_background_work_makes_files_uncertain_until_the_end():
    turns = [("cat f", "x\n"), ("make &", "[1] 77\n"), ("echo y > g", "")]
    assert ask(turns, "cat g") is None
    assert ask(turns, "echo still fine").observation == "still fine\n"


def test_what_a_model_said_is_only_consistent():
    found = ask([("cat f", "hello\n")], "head -1 f", origin="model")
    assert found.observation == "hello\n" and found.consistent_only


def test_what_the_agent_wrote_is_certain_even_in_a_simulated_world():
    ledger = play([("mkdir w", ""), ("echo mine > w/f", "")], origin="model")
    assert ledger.get("file", "./w/f").origin == "action"
    assert not DOMAIN.known(ledger, "cat w/f").consistent_only


# foreign harnesses


def test_quotes_that_a_harness_may_eat_are_not_trusted():
    assert ask([], 'echo "a b"', foreign=True) is None
    assert ask([], 'echo "ab"', foreign=True).observation == "ab\n"
    assert ask([], "echo a b", foreign=True).observation == "a b\n"


def test_how_a_harness_quotes_is_found_out():
    eaten = [('echo "a b"', "a\n")]
    assert ask(eaten, 'echo "c d"; echo e', foreign=True).observation == "c\n"
    kept = [('echo "a b"', "a b\n")]
    assert ask(kept, 'echo "c d"', foreign=True).observation == "c d\n"


def test_variables_of_a_shell_that_may_be_gone_are_not_claimed():
    assert ask([("x=5", "")], "echo $x", foreign=True) is None


def test_after_cd_in_an_unknown_harness_the_place_is_not_known():
    turns = [("pwd", "/a\n"), ("cat f", "x\n"), ("cd sub", "")]
    assert ask(turns, "pwd", foreign=True) is None
    assert ask([*turns, ("true", "")], "cat f", foreign=True) is None


def test_an_unclosed_quote_gets_the_answer_that_was_seen_for_one():
    said = (
        "/bin/bash: -c: line 1: unexpected EOF while looking for matching `''\n"
        "/bin/bash: -c: line 2: syntax error: unexpected end of file\n"
    )
    turns = [("It's not closed", said)]
    assert ask(turns, "Let's try again", foreign=True).observation == said
    assert ask(turns, "(Let's see", foreign=True) is None
    assert ask(turns, "it's\ntwo lines", foreign=True) is None


def test_line_numbers_that_may_go_on_counting_are_not_repeated():
    turns = [("foo", "bash: line 1: foo: command not found\n")]
    assert ask(turns, "foo") is None
    turns = [("true", ""), ("foo", "bash: line 1: foo: command not found\n")]
    assert ask(turns, "foo").observation == "bash: line 1: foo: command not found\n"


# other dialects


def call(command, **more):
    return json.dumps({"name": "terminal", "arguments": {"command": command, **more}})


def answer(output, code=0, **more):
    return json.dumps({"output": output, "exit_code": code, "error": None, **more})


def test_json_wraps_the_answer_in_the_envelope_it_has_seen():
    turns = [(call("mkdir w"), answer("")), (call("echo hi > w/f"), answer(""))]
    for foreign in (False, True):
        found = ask(turns, call("cat w/f"), dialect="json", foreign=foreign)
        assert found.observation == '{"output": "hi", "exit_code": 0, "error": null}'
    found = ask(turns, call("cat w/g"), dialect="json")
    assert json.loads(found.observation)["exit_code"] == 1
    assert ask([], call("true"), dialect="json", foreign=True) is None


def test_json_claims_nothing_once_results_carry_something_extra():
    turns = [(call("true"), answer("")), (call("true"), answer("", _warning="2 left"))]
    assert ask(turns, call("true"), dialect="json") is None


def test_json_write_and_patch_read_back():
    turns = [
        (call("pwd"), answer("/app")),
        (
            json.dumps(
                {"name": "write_file", "arguments": {"path": "/app/f", "content": "a\nb\n"}}
            ),
            '{"bytes_written": 4}',
        ),
        (
            json.dumps(
                {
                    "name": "patch",
                    "arguments": {"path": "/app/f", "old_string": "b", "new_string": "c"},
                }
            ),
            '{"success": true}',
        ),
    ]
    found = ask(turns, call("cat /app/f"), dialect="json")
    assert json.loads(found.observation)["output"] == "a\nc"


def keys(*commands, duration=0.5):
    return json.dumps([{"keystrokes": c + "\n", "duration": duration} for c in commands])


SCREEN = "New Terminal Output:\n\nroot@box:/app# {}\nroot@box:/app#\n"


def test_a_screen_shows_echo_output_and_the_next_prompt():
    facts = [*PROJECT, fact("entity", "hostname", "box", origin="given")]
    found = ask([], keys("wc -l notes.txt", "cd src"), dialect="terminus2", facts=facts)
    assert found.observation == (
        "New Terminal Output:\n\n"
        "root@box:/app# wc -l notes.txt\n3 notes.txt\n"
        "root@box:/app# cd src\n"
        "root@box:/app/src#\n"
    )


@pytest.mark.parametrize(
    "action",
    [
        keys("pwd", duration=0.0),  # may not be over yet
        keys("echo " + "x" * 100),  # wraps
        '[{"keystrokes": "pwd", "duration": 1}]',  # not executed
        '[{"keystrokes": "C-c", "duration": 1}]',
        '[{"keystrokes": "", "duration": 1}]',
        "[]",
        keys("printf 'a\\tb\\n'"),  # tabs become blanks
        keys("printf no-line-end"),
        keys("cat > f <<X\na\nX"),  # the echo of several lines comes as it comes
        keys("echo hi!"),  # history
    ],
)
def test_a_screen_that_depends_on_timing_or_layout_is_not_claimed(action):
    assert ask([], action, dialect="terminus2", facts=PROJECT) is None


def test_the_prompt_tells_the_current_directory():
    turns = [(keys("cd /srv"), "New Terminal Output:\n\nme@h:~# cd /srv\nme@h:/srv#\n")]
    ledger = play(turns, dialect="terminus2", foreign=True)
    assert ledger.get("cwd", "cwd").value == "/srv"
    found = DOMAIN.known(ledger, keys("pwd"))
    assert found.observation == "New Terminal Output:\n\nme@h:/srv# pwd\n/srv\nme@h:/srv#\n"


def test_output_without_a_line_end_does_not_rename_the_prompt():
    glued = "New Terminal Output:\n\nroot@localhost:/app# printf no\nnoroot@localhost:/app#\n"
    ledger = play([(keys("printf no"), glued)], dialect="terminus2", facts=PROJECT)
    assert ledger.get("entity", "user").value == "root"
    assert DOMAIN.known(ledger, keys("pwd")) is None


def test_another_shell_on_the_screen_ends_the_claims():
    prompt = "root@localhost:/app#"
    turns = [(keys("bash"), f"New Terminal Output:\n\n{prompt} bash\n{prompt}\n")]
    assert ask(turns, keys("pwd"), dialect="terminus2", facts=PROJECT) is None


def test_common_names_may_be_aliases_on_a_foreign_screen():
    start = "New Terminal Output:\n\nme@h:/srv# mkdir d\nme@h:/srv#\n"
    turns = [(keys("mkdir d"), start)]
    for action in ("rm -r d", "ls d"):
        assert ask(turns, keys(action), dialect="terminus2", foreign=True) is None
    assert ask(turns, keys("pwd"), dialect="terminus2", foreign=True) is not None


def test_a_busy_screen_is_not_continued():
    turns = [(keys("sleep 100"), "New Terminal Output:\n\nroot@box:/app# sleep 100\n")]
    assert ask(turns, keys("pwd"), dialect="terminus2", facts=PROJECT) is None


VIEW = "[File: /ctf/a.py (2 lines total)]\n1:x = 1\n2:y = 2"


def test_an_editor_shows_the_same_short_file_again():
    turns = [("open a.py", VIEW)]
    assert ask(turns, "open a.py", dialect="aci", foreign=True).observation == VIEW
    assert ask([*turns, ("python a.py", "")], "open a.py", dialect="aci", foreign=True) is None


def test_an_editor_shows_what_an_edit_left():
    edited = "[File: /ctf/a.py (2 lines total)]\n1:x = 3\n2:y = 2\nFile updated."
    turns = [("open a.py", VIEW), ("edit 1:1\nx = 3\nend_of_edit", edited)]
    found = ask(turns, "open a.py", dialect="aci", foreign=True)
    assert found.observation == "[File: /ctf/a.py (2 lines total)]\n1:x = 3\n2:y = 2"


def test_a_partial_view_does_not_give_the_whole_file():
    part = "[File: /ctf/a.py (200 lines total)]\n1:x = 1\n2:y = 2\n(198 more lines below)"
    assert ask([("open a.py", part)], "open a.py", dialect="aci", foreign=True) is None


# protocol


def test_protocol_speaks_only_where_it_is_ours():
    ledger = play([], dialect="json")
    found = DOMAIN.protocol(ledger, "not json")
    assert found.origin == "protocol"
    assert set(json.loads(found.observation)) == {"output", "exit_code", "error"}
    assert DOMAIN.protocol(ledger, call("ls")) is None
    assert DOMAIN.protocol(play([], dialect="json", foreign=True), "not json") is None
    assert DOMAIN.protocol(play([], dialect="terminus2"), "ls").origin == "protocol"


def test_nothing_is_said_about_tools_without_a_tool_list():
    ledger = play([], dialect="json")
    assert DOMAIN.protocol(ledger, '{"name": "no_such_tool", "arguments": {}}') is None


def test_a_ledger_is_frozen_and_forks_freely():
    before = play([("mkdir w", "")])
    after = DOMAIN.track(before, Turn(action="echo x > w/f", observation=""), "real")
    assert DOMAIN.known(before, "cat w/f").observation.startswith("cat: w/f: No such")
    assert DOMAIN.known(after, "cat w/f").observation == "x\n"
    assert (before.turn, after.turn) == (1, 2)


def test_absence_from_a_partial_listing_is_nothing():
    facts = [here(), given_dir("/app", "a", complete=False), given_file("/app/a", "x\n")]
    assert ask([], "cat b", facts=facts) is None
    assert ask([], "cat a", facts=facts).observation == "x\n"
