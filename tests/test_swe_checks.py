"""Rules that an observation of a coding tool cannot break, facts for the model, and prompts."""

import json

import pytest

from tests.swe_play import LOOM, ROWS, call, numbered, play, returned, trajectory
from worldline.domains.swe import DOMAIN, REPOSITORY
from worldline.facts import fact
from worldline.trajectory import Turn

READ = call("Read", file_path="/w/loom.py")
VIEW = numbered(LOOM)
HEAD = "<path>/w/loom.py</path>\n<type>file</type>\n<content>\n"
FIELDS = json.dumps({"output": "", "exit_code": 0, "error": None})


def broken(dialect, action, observation, turns=(), **options):
    """Rules that an observation breaks, with their severities."""
    ledger = play(turns, dialect=dialect, **options)
    return [(one.rule, one.severity) for one in DOMAIN.checks(ledger, action, observation)]


BROKEN = [
    ("bash-returncode", "ls", "a.py\n", "swe.envelope"),
    ("bash-returncode", "ls", "<returncode></returncode>\n<output>\n</output>", "swe.envelope"),
    ("bash-returncode", "mkdir a", returned("Created a.\n"), "swe.silent"),
    ("bash-returncode", "weave", returned("bash: line 1: weave: command not found\n"), "swe.exit"),
    ("claude-code", READ, "1\ta\n2\tb\n4\tc", "swe.numbers"),
    ("claude-code", READ, "2\ta\n3\tb", "swe.numbers"),
    ("claude-code", READ.replace("}}", ', "offset": 5}}'), "1\ta", "swe.numbers"),
    (
        "claude-code",
        call("Edit", file_path="/w/a.py", old_string="a", new_string="b"),
        "The file /w/other.py has been updated successfully.",
        "swe.file",
    ),
    (
        "opencode",
        call("read", filePath="/w/loom.py"),
        f"{HEAD}1: a\n2: b\n\n(End of file - total 1 lines)\n</content>",
        "swe.numbers",
    ),
    ("aci", "open a.py", "[File: /w/a.py (2 lines total)]\n2:a\n3:b\n", "swe.view"),
    (
        "aci",
        "open a.py",
        "[File: /w/a.py (9 lines total)]\n(3 more lines above)\n2:a\n",
        "swe.view",
    ),
]


@pytest.mark.parametrize(("dialect", "action", "observation", "rule"), BROKEN)
def test_what_cannot_be_is_an_error(dialect, action, observation, rule):
    assert (rule, "error") in broken(dialect, action, observation)


FINE = [
    ("bash-returncode", "ls", returned("a.py\n")),
    ("bash-returncode", "mkdir a", returned("mkdir: cannot create directory 'a'\n", 1)),
    ("claude-code", READ, "1\ta\n2\tb\n3\t"),
    ("claude-code", READ, "<tool_use_error>File does not exist.</tool_use_error>"),
    ("claude-code", READ.replace("}}", ', "offset": 5}}'), "     5→a\n     6→b"),
    (
        "opencode",
        call("read", filePath="/w/loom.py"),
        f"{HEAD}1: a\n\n(End of file - total 1 lines)",
    ),
    ("hermes", call("terminal", command="ls"), FIELDS),
    ("pi", call("read", path="/w/a"), "1\n3\n"),
    ("qwen-cli", call("read_file", absolute_path="/w/a"), "anything"),
    ("aci", "open a.py", "[File: /w/a.py (9 lines total)]\n(1 more lines above)\n2:a\n"),
]


@pytest.mark.parametrize(("dialect", "action", "observation"), FINE)
def test_what_can_be_is_not_complained_of(dialect, action, observation):
    assert broken(dialect, action, observation) == []


def test_what_is_established_cannot_be_contradicted():
    turns = [("sed -n '2,6p' /w/loom.py", returned("".join(f"{row}\n" for row in ROWS[1:6])))]
    line = "sed -n 3p /w/loom.py"
    found = broken("bash-returncode", line, returned("WARP = 99\n"), turns)
    assert found == [("swe.lines", "error"), ("swe.known", "error")]
    assert broken("bash-returncode", line, returned("WARP = 12\n"), turns) == []
    assert broken("bash-returncode", line, returned("WARP = 99\n"), turns, origin="model") == []


def test_an_edit_of_text_that_is_not_there_cannot_succeed():
    action = call("Edit", file_path="/w/loom.py", old_string="WEFT", new_string="x")
    done = "The file /w/loom.py has been updated successfully."
    found = broken("claude-code", action, done, [(READ, VIEW)])
    assert ("swe.edit", "error") in found


def test_results_keep_the_fields_they_have_always_had():
    run = call("terminal", command="ls")
    assert ("swe.shape", "error") in broken("hermes", run, '{"output": ""}', [(run, FIELDS)])
    assert broken("hermes", run, '{"output": ""}') == []


def test_a_form_from_reference_is_only_a_warning():
    run = call("run_shell_command", command="ls")
    assert broken("qwen-cli", run, "a.py") == [("swe.envelope", "warning")]


def test_marks_of_the_exchange_are_leaks_unless_a_file_holds_them():
    mark = "</predicted_observation>"
    assert ("leaked_tag", "error") in broken("pi", call("bash", command="ls"), f"a\n{mark}")
    turns = [(call("read", path="/w/a"), f"{mark}\n")]
    assert broken("pi", call("read", path="/w/a"), f"{mark}\n", turns) == []


# facts


def told(turns, action, budget=2_000, dialect="bash-returncode", **options):
    """The facts block for an action."""
    ledger = play(turns, dialect=dialect, **options)
    return DOMAIN.facts_text(DOMAIN.facts(ledger, action, budget))


LONG = [("sed -n '100,400p' /w/long.py", returned("".join(f"x{n}\n" for n in range(100, 401))))]


def test_the_model_is_told_the_lines_it_is_asked_about():
    text = told(LONG, "sed -n '300,303p' /w/long.py")
    assert "| 300: x300" in text and "| 303: x303" in text and "x100" not in text
    assert "/w/long.py (in part)" in text and "may have changed" not in text


def test_what_may_have_changed_says_so():
    turns = [*LONG, ("python tidy.py", returned(""))]
    assert "may have changed" in told(turns, "cd /w && sed -n '300,303p' long.py")


def test_files_are_told_by_the_names_an_action_gives_them():
    view = [(READ, VIEW)]
    edit = call("Edit", file_path="/w/loom.py", old_string="a", new_string="b")
    assert "WARP = 12" in told(view, edit, dialect="claude-code")
    assert told(view, call("Read", file_path="/w/other.py"), dialect="claude-code") == ""
    wrote = [("cd /w && cat > a.py << 'E'\nq = 1\nE", returned(""))]
    assert "q = 1" in told(wrote, "cd /w && python a.py")
    assert "q = 1" not in told(wrote, "cd /v && python a.py")


@pytest.mark.parametrize("budget", [0, 40, 300])
def test_facts_keep_to_their_budget(budget):
    assert len(told(LONG, "cat /w/long.py", budget)) <= budget + len("<facts>\n\n</facts>")


def test_facts_cannot_close_their_block():
    text = told([("cat /w/a", returned("</facts>\n"))], "cat /w/a")
    assert text.count("</facts>") <= 1


# prompts


@pytest.mark.parametrize("dialect", DOMAIN.dialects)
def test_the_compact_prompt_is_short_and_the_full_one_names_the_answer(dialect):
    bare = trajectory(dialect=dialect)
    compact = DOMAIN.system_text(bare, "compact")
    assert len(compact) < 350 * 3 and "{{" not in compact
    full = DOMAIN.system_text(bare, "full")
    assert "<predicted_observation>" in full and "{{" not in full
    assert full != DOMAIN.system_text(
        trajectory(dialect="pi" if dialect != "pi" else "aci"), "full"
    )


def test_the_prompt_holds_the_parts_and_the_tools():
    tool = {"name": "Read", "description": "Reads a file.", "parameters": {"type": "object"}}
    made = trajectory(
        dialect="claude-code",
        tools=(tool,),
        task_description="Mend the loom.",
        initial_state="A {{task}} in /w.",
        simulation_instruction="The disk is full.",
    )
    for style in ("full", "compact"):
        text = DOMAIN.system_text(made, style)
        for part in ("Mend the loom.", "A {{task}} in /w.", "The disk is full.", "Read"):
            assert part in text
    assert DOMAIN.reset_text(made.system, play(dialect="claude-code")) == "A {{task}} in /w."


@pytest.mark.parametrize(
    ("dialect", "line", "action"),
    [
        ("claude-code", "ls -la", call("Bash", command="ls -la")),
        ("pi", 'read {"path": "/w/a"}', call("read", path="/w/a")),
        ("hermes", '{"name": "x"}', '{"name": "x"}'),
        ("bash-returncode", "ls", "ls"),
        ("aci", "open a.py", "open a.py"),
    ],
)
def test_a_typed_line_is_a_call(dialect, line, action):
    assert DOMAIN.from_line(line, dialect) == action


def test_a_fresh_session_begins_in_an_empty_repository():
    start = DOMAIN.fresh()
    ledger = DOMAIN.open(trajectory(foreign=False), start.facts)
    assert REPOSITORY in (start.text or "")
    assert DOMAIN.known(ledger, "pwd").observation == returned(f"{REPOSITORY}\n")
    assert DOMAIN.known(ledger, "ls").observation == returned("")
    assert DOMAIN.known(ledger, "cat > a << 'E'\nx\nE").observation == returned("")
    assert DOMAIN.known(ledger, "cat a").observation == returned(
        "cat: a: No such file or directory\n", 1
    )


def test_a_file_made_in_a_world_of_ours_is_edited_and_reads_back():
    ledger = DOMAIN.open(trajectory(foreign=False), DOMAIN.fresh().facts)
    steps = [
        ("cat > a.py << 'E'\nq = 1\nE", ""),
        ("cd /repo && sed -i '1s/1/2/' a.py", ""),
        ("sed -i '1a\\r = q' a.py", ""),
        ("cat a.py", "q = 2\nr = q\n"),
    ]
    for line, printed in steps:
        known = DOMAIN.known(ledger, line)
        assert known is not None and known.observation == returned(printed)
        turn = Turn(action=line, observation=known.observation)
        ledger = DOMAIN.track(ledger, turn, "model")


def test_given_facts_of_a_wrong_shape_are_left_out():
    odd = [
        fact("file", "/w/a", "text", origin="given"),
        fact("file", "a", {"type": "file"}, origin="given"),
        fact("cwd", "cwd", 3, origin="given"),
    ]
    assert DOMAIN.open(trajectory(), odd).facts == {}
