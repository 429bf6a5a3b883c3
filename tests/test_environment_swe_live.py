"""The swe environment end to end: real repositories, tools and tests in the sandbox."""

import json
import time

import msgspec
import pytest

from worldline import environment
from worldline.collect.masks import masked
from worldline.domains import domain
from worldline.environments import kind
from worldline.environments.swe.mutants import mutants
from worldline.scenarios.snapshot import Snapshot

pytestmark = pytest.mark.system
HOME = "/home/user/toolz"
RECIPES = f"{HOME}/toolz/recipes.py"
BUG = next(one for one in mutants().values() if one.repo == "toolz")


@pytest.fixture(scope="module", autouse=True)
def _prepared():
    kind("swe").prepare({}, print)


@pytest.fixture(scope="module")
def real():
    with environment("swe") as made:
        yield made


def start(real, dialect="bash-returncode", seed=1, **options):
    real.options = {"dialect": dialect, "repo": "toolz", "bug": "none", **options}
    real.reset(seed)
    return real


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


def returned(output, code=0):
    return f"<returncode>{code}</returncode>\n<output>\n{output}</output>"


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("pwd", f"{HOME}\n", 0),
        (
            "echo one; ls nowhere",
            "one\nls: cannot access 'nowhere': No such file or directory\n",
            2,
        ),
        ("git status --short", "", 0),
        ("exit 7", "", 7),
        ("cat", "", 0),
        ("python -c 'import toolz, sys; print(toolz.__file__)'", f"{HOME}/toolz/__init__.py\n", 0),
        ("curl -s -m 2 http://example.org; echo $?", "6\n", 0),
    ],
)
def test_a_command_runs_in_the_repository(real, command, output, code):
    seen = start(real).step(command)
    assert (seen.outcome, seen.observation) == ("ok", returned(output, code))


def test_every_command_has_a_shell_of_its_own_and_files_last(real):
    start(real)
    real.step("cd /tmp; word=lost; echo kept > here.txt")
    assert real.step("echo $word; pwd").observation == returned(f"\n{HOME}\n")
    assert real.step("cat /tmp/here.txt").observation == returned("kept\n")


def test_a_seeded_bug_fails_its_tests_and_its_repair_makes_them_pass(real):
    start(real, bug=BUG.id)
    run = f"python -m pytest -q {' '.join(BUG.tests)}"
    seen = real.step(run).observation or ""
    assert f"{len(BUG.failing)} failed" in seen
    assert all(name in seen for name in BUG.failing)
    line = (real.step(f"sed -n {BUG.line}p {BUG.file}").observation or "").split("\n")[2]
    fixed = BUG.repaired(line)
    write = f"import pathlib; p = pathlib.Path({BUG.file!r}); t = p.read_text().split('\\n')"
    change = f"{write}; t[{BUG.line - 1}] = {fixed!r}; p.write_text('\\n'.join(t))"
    real.step(f"python - <<'EOF'\n{change}\nEOF")
    assert " failed" not in (real.step(run).observation or "")
    assert "1 file changed" in (real.step("git commit -qam x; git show --stat").observation or "")


def test_a_bug_can_be_a_commit_of_its_own(real):
    start(real, bug=BUG.id, history=True)
    assert BUG.file in (real.step("git show --stat --format=%s").observation or "")
    assert real.step("git status --short").observation == returned("")
    real.step("git revert --no-edit HEAD")
    seen = real.step(f"python -m pytest -q --tb=no {BUG.tests[0]}").observation or ""
    assert " passed" in seen
    assert " failed" not in seen


def test_an_edit_within_the_second_is_seen_by_the_next_run(real):
    start(real)
    for word in ("aa", "bb", "cc"):
        real.step(f"printf 'WORD = \"{word}\"\\n' > zz.py")
        assert real.step("python -c 'import zz; print(zz.WORD)'").observation == returned(
            f"{word}\n"
        )


def test_ur_s22_what_waits_for_input_or_hangs_gets_none_and_nothing_stays(real):
    start(real)
    for command in ("python3 -i", "cat", "less README.rst | tail -n 1", "read word; echo $?"):
        begun = time.monotonic()
        assert real.step(command, 2.0).observation is not None
        assert time.monotonic() - begun < 8
    seen = real.step("sleep 60 & sleep 50", 1.0)
    assert seen.outcome == "timeout"
    assert (seen.observation or "").startswith("<exception>")
    assert "sleep" not in (real.step("ps ax").observation or "")


def test_ur_s25_bytes_that_are_no_text_have_one_form_and_are_kept(real):
    start(real)
    seen = real.step(r"printf '\x00\xff\xfe\x80done'")
    assert seen.observation == returned("\x00\\xff\\xfe\\x80done")
    assert real.turns[-1].info["raw"] == "AP/+gGRvbmU="


def test_endless_output_does_not_end_the_session(real):
    start(real)
    assert real.step("yes", 1.0).outcome == "timeout"
    assert real.step("echo still here").observation == returned("still here\n")


def test_the_same_seed_gives_the_same_session(real):
    commands = [
        "ls -la",
        "git log",
        "python -m pytest -q toolz/tests/test_recipes.py",
        "git add -A",
    ]
    told = []
    for _ in range(2):
        start(real, bug="seeded", seed=5)
        told.append([masked("swe", real.step(one).observation or "").text for one in commands])
        told[-1].append(real.opening.system.initial_state)
    assert told[0] == told[1]


def test_a_reset_leaves_nothing_of_the_session_before(real):
    start(real)
    real.step("touch stray /tmp/stray; git commit -q --allow-empty -m stray")
    start(real)
    seen = real.step("ls stray /tmp/stray; git log --oneline | wc -l").observation or ""
    assert seen.count("No such file") == 2
    assert seen.endswith("3\n</output>")


def test_claude_code_reads_edits_and_confirms(real):
    start(real, "claude-code")
    part = real.step(call("Read", file_path=RECIPES, offset=1, limit=2)).observation
    assert part == "1\timport itertools\n2\tfrom .itertoolz import frequencies, pluck, getter"
    done = real.step(
        call("Edit", file_path=RECIPES, old_string="import itertools\n", new_string="")
    ).observation
    assert done == f"The file {RECIPES} has been updated successfully."
    first = real.step(call("Read", file_path=RECIPES, limit=1)).observation
    assert first == "1\tfrom .itertoolz import frequencies, pluck, getter"


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (call("Read", file_path=f"{HOME}/none.py"), "does not exist"),
        (call("Edit", file_path=RECIPES, old_string="a", new_string="b"), "not been read"),
        (call("Write", file_path=RECIPES, content="x"), "not been read"),
        (call("Read"), "'file_path' is a required property"),
        (call("Grep", pattern="("), "Unmatched"),
        (call("Read", file_path=f"{HOME}/.git/index"), "binary"),
    ],
)
def test_claude_code_refuses_in_its_tags(real, action, told):
    seen = start(real, "claude-code").step(action).observation or ""
    assert seen.startswith("<tool_use_error>")
    assert told in seen


def test_what_is_no_call_or_no_tool_is_answered_as_the_protocol_says(real):
    start(real, "claude-code")
    for action in ("hello", call("Fetch", url="x")):
        said = domain("swe").protocol(domain("swe").open(real.trajectory()), action)
        assert said is not None
        assert real.step(action).observation == said.observation


def test_the_shell_of_tools_lasts_and_begins_anew_after_exit(real):
    start(real, "claude-code")
    assert (
        real.step(call("Bash", command="cd toolz && word=kept; (exit 3)")).observation
        == "Exit code 3"
    )
    assert (
        real.step(call("Bash", command="echo $? $word; pwd")).observation == f"3 kept\n{HOME}/toolz"
    )
    assert real.step(call("Bash", command="exit 4")).observation == "Exit code 4"
    assert real.step(call("Bash", command="pwd; echo $word")).observation == HOME
    seen = real.step(call("Bash", command="sleep 9", timeout=300))
    assert (seen.outcome, seen.observation) == (
        "timeout",
        "Exit code 143\nCommand timed out after 0.3s",
    )
    assert real.step(call("Bash", command="echo 'open")).observation.startswith("Exit code 2\n")
    assert real.step(call("Bash", command="echo fine")).observation == "fine"


def test_no_link_of_the_agent_leads_a_tool_out(real):
    start(real, "claude-code")
    real.step(call("Bash", command="ln -s /etc/shadow here; ln -s / root"))
    assert "denied" in (real.step(call("Read", file_path=f"{HOME}/here")).observation or "")
    seen = real.step(call("Read", file_path=f"{HOME}/root/etc/hostname")).observation
    assert seen == "1\tbox\n2\t"
    refused = real.step(call("Write", file_path=f"{HOME}/root/usr/bin/x", content="")).observation
    assert "denied" in (refused or "") or "Read-only" in (refused or "")


def test_the_editor_shows_windows_and_refuses_what_is_not_python(real):
    start(real, "aci", state=True)
    seen = real.step("open toolz/itertoolz.py 200").observation or ""
    assert seen.startswith(
        f"[File: {HOME}/toolz/itertoolz.py (1062 lines total)]\n(183 more lines above)"
    )
    assert seen.endswith(
        f"(Open file: {HOME}/toolz/itertoolz.py)\n(Current directory: {HOME})\nbash-$"
    )
    refused = real.step("edit 1:1\nimport (\nend_of_edit").observation or ""
    assert "Nothing was changed." in refused
    assert real.step("git status --short").observation.startswith("(Open file: ")
    real.step("cd toolz")
    done = real.step("edit 1:1\nimport sys, itertools\nend_of_edit").observation or ""
    assert "1:import sys, itertools\n" in done
    assert real.step("submit").terminated


@pytest.mark.parametrize("dialect", ["opencode", "pi"])
def test_other_tools_edit_too(real, dialect):
    start(real, dialect)
    path = {"opencode": "filePath", "pi": "path"}[dialect]
    write = {path: f"{HOME}/n.py", "content": "a = 1\nb = 2\n"}
    real.step(call("write", **write))
    pair = {"oldString": "b = 2", "newString": "b = 3"}
    change = (
        pair if dialect == "opencode" else {"edits": [{"oldText": "b = 2", "newText": "b = 3"}]}
    )
    real.step(call("edit", **{path: f"{HOME}/n.py"}, **change))
    assert real.step(call("bash", command="cat n.py")).observation == "a = 1\nb = 3\n"
    assert "b = 3" in (real.step(call("read", **{path: f"{HOME}/n.py"})).observation or "")


@pytest.mark.parametrize("dialect", ["bash-returncode", "claude-code", "aci", "opencode", "pi"])
def test_a_snapshot_holds_the_repository_and_what_changed(real, dialect):
    start(real, dialect)
    line = "cd toolz; echo new > made.txt"
    real.step(
        line
        if dialect in ("aci", "bash-returncode")
        else call("bash" if dialect != "claude-code" else "Bash", command=line)
    )
    record = real.snapshot()
    changes = record.pop("changes")
    shot = msgspec.convert(record, Snapshot)
    files = {one.key: one.value for one in shot.facts if one.kind == "file"}
    assert files[f"{HOME}/toolz/made.txt"]["content"] == "new\n"
    cwd = next(one.value for one in shot.facts if one.kind == "cwd")
    assert cwd == (HOME if dialect == "bash-returncode" else f"{HOME}/toolz")
    assert any(one["path"] == f"{HOME}/toolz/made.txt" for one in changes)


def test_the_trajectory_is_of_its_domain_and_nothing_it_claims_is_wrong(real):
    start(real, "bash-returncode", bug=BUG.id)
    for line in (
        "pwd",
        f"cat {BUG.tests[0]} | head -n 9",
        "ls",
        "ls",
        f"head -n 5 {BUG.tests[0]}",
        "echo x > y",
        "cat y",
    ):
        real.step(line)
    trajectory = real.trajectory()
    swe = domain("swe")
    ledger, claims = swe.open(msgspec.structs.replace(trajectory, turns=())), 0
    for turn in trajectory.turns:
        known = swe.known(ledger, turn.action)
        if known is not None:
            claims += 1
            assert known.observation == turn.observation
        ledger = swe.track(ledger, turn, "real")
    assert claims >= 4
