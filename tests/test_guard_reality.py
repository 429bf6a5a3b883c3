"""What reality can say draws no error from the guard: a table of short sessions.

Each row is a domain, a dialect and turns as a real machine or harness answers them; the rules may
warn of the last observation, but none may call it impossible.
"""

import json

import pytest

from worldline.trajectory import Trajectory, Turn
from worldline.verify.measure import score
from worldline.verify.moments import moments

SILENT_ACI = "Your command ran successfully and did not produce any output."


def called(command, tool="terminal"):
    return json.dumps({"name": tool, "arguments": {"command": command}})


def bash(command):
    return called(command, "Bash")


def tool(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments})


def said(output, code=0, **more):
    return json.dumps({"output": output, "exit_code": code, "error": None, **more})


def shells(*turns):
    """The same command lines in each dialect whose answers show an exit code."""
    answers = [(called(line), said(out, code)) for line, out, code in turns]
    returned = [
        (line, f"<returncode>{code}</returncode>\n<output>\n{out}\n</output>")
        if out
        else (line, f"<returncode>{code}</returncode>\n<output>\n</output>")
        for line, out, code in turns
    ]
    return [
        ("terminal", "json", *answers),
        ("swe", "hermes", *answers),
        ("swe", "bash-returncode", *returned),
    ]


def plain(*turns):
    """The same command lines where only what is printed is shown, and where a code is too."""
    ended = [(line, f"{out}\n" if out else "") for line, out in turns]
    returned = [
        (
            line,
            f"<returncode>0</returncode>\n<output>\n{out}\n</output>"
            if out
            else "<returncode>0</returncode>\n<output>\n</output>",
        )
        for line, out in turns
    ]
    return [
        ("terminal", "command", *ended),
        ("terminal", "json", *((called(line), said(out)) for line, out in turns)),
        ("swe", "bash-returncode", *returned),
    ]


FIND = [
    *plain(("cat a", "x"), ("find . -type l", "")),
    *plain(("cat a", "x"), ("find . -type f", "")),
    *plain(("ls d", "x"), ("find . -type l", "")),
    *plain(("ls d", "x"), ("find . -type d", ".")),
    *plain(("cat a", "x"), ("find . -type l", "./a")),
    *plain(("cat a", "x"), ("find . -type s", "")),
    *plain(("cat a", "x"), ("find . -type d,l", ".\n./a")),
    *plain(("cat d/a", "x"), ("find . -name a -type l", "./d/a")),
    *plain(("cat d/a", "x"), ("find . -name a", "")),
    *plain(("ls d/e", "x"), ("find . -name e", "")),
    *plain(("cat a", "x"), ("find . -type f -name a", "")),
    *plain(("echo hi > 'a\nb'", ""), ("find . -type f", "./a\nb")),
    *plain(("find . -name '*b'", "./a\nb")),
]
ENDS = [
    (domain, dialect, *((called(line), said(out)) for line, out in turns))
    for domain, dialect in (("terminal", "json"), ("swe", "hermes"))
    for turns in (
        (("cat f", "oats\nrye"), ("wc -l f", "2 f")),
        (("cat f", "oats\nrye"), ("wc -l < f", "2")),
        (("cat f", "oats\nrye"), ("wc -c f", "9 f")),
        (("cat f", "oats\nrye"), ("wc f", "2 2 9 f")),
        (("cat f", "oats\nrye"), ("md5sum f", "4a2c8de57b8a9a7b7e8f5e0b8f9ca4a5  f")),
        (("cat f", "oats\nrye"), ("ls -l f", "-rw-r--r-- 1 u u 9 Jan  1 10:00 f")),
        (("cat f", "oats\nrye"), ("echo x >> f; cat f", "oats\nrye\nx")),
        (("cat f", "oats\nrye"), ("echo x >> f", ""), ("cat f", "oats\nrye\nx")),
        (("cat f", "oats\nrye"), ("cat f | wc -l", "2")),
        (("cat f", "oats\nrye"), ("cat f g", "oats\nrye\nx")),
        (("cat f", "oats\nrye"), ("stat -c %s f", "9")),
        (("cat f", "oats\nrye"), ("tail -c 2 f", "e")),
        (("cat f", "oats\nrye"), ("base64 f", "b2F0cwpyeWUK")),
        (("cat f", "oats\nrye"), ("sha1sum f", "b" * 40 + "  f")),
        (("cat f", "oats\nrye"), ("cp f g", ""), ("wc -c g", "9 g")),
        (("cat f", "oats\nrye"), ("cat f | tr '\\n' ,", "oats,rye,")),
        (("cat f", "oats\nrye"), ("sed -i s/oats/corn/ f", ""), ("wc -l f", "2 f")),
        (("echo x", "x"), ("cat f", "oats\nrye"), ("wc -l f", "2 f")),
        (("cat f", "oats"), ("cat f - < /dev/null", "oats")),
        (("cat f", ""), ("wc -l f", "1 f")),
        (("cat f", ""), ("wc -c f", "3 f")),
        (("cat f", "oats\nrye"), ("grep -c '' f", "2")),
        (("cat f", "oats\nrye"), ("wc -l f", "5 f")),
        (("cat f", "oats\nrye"), ("cat f | wc -l", "5")),
        (("cat f", "oats\nrye"), ("tail -n 1 f", "")),
        (("cat f", "oats\nrye"), ("tail -n 2 f", "rye")),
        (("cat f", "oats\nrye"), ("cat -n f", "     1\toats\n     2\trye\n     3")),
        (("cat f", "oats\nrye"), ("sed 's/a/b/' f", "obts\nrye")),
        (("cat f", "oats\nrye"), ("touch g", ""), ("tail -n 1 f", "")),
        (("cat f", "oats\nrye"), ("touch g", ""), ("wc -l f", "7 f")),
        (("cat f", "oats\nrye"), ("touch g", ""), ("tac f", "rye\noats")),
        (("cat f", "oats\nrye"), ("touch g", ""), ("tac f", "\n\nrye\noats")),
        (("cat f", "oats\nrye"), ("touch g", ""), ("sort f", "\n\noats\nrye")),
        (("cat f", "oats\nrye"), ("touch g", ""), ("head -n 3 f | wc -l", "3")),
        (("grep '' f", "oats\nrye"), ("grep -c '' f", "4")),
        (("sort f", "oats\nrye"), ("sort f | wc -l", "4")),
    )
]
CODES = [
    *shells(("mkdir -v x", "mkdir: created directory 'x'", 0)),
    *shells(("mkdir -pv x/y", "mkdir: created directory 'x'\nmkdir: created directory 'x/y'", 0)),
    *shells(("mkdir --verbose x", "mkdir: created directory 'x'", 0)),
    *shells(("rmdir -v x", "rmdir: removing directory, 'x'", 0)),
    *shells(("rm -v x", "removed 'x'", 0)),
    *shells(("! grep zzz f", "", 0)),
    *shells(("! grep zzz f", "zzz", 1)),
    *shells(("! ls nope", "ls: cannot access 'nope': No such file or directory", 0)),
    *shells(("! cat nope", "cat: nope: No such file or directory", 0)),
    *shells(("! nosuch", "bash: line 1: nosuch: command not found", 0)),
    *shells(("! echo a", "a", 1)),
    *shells(("! true", "", 1)),
    *shells(("grep abc b.bin", "grep: b.bin: binary file matches", 0)),
    *shells(("grep -r abc .", "grep: ./b.bin: binary file matches", 0)),
    *shells(("grep abc b.bin", "Binary file b.bin matches", 0)),
    *shells(("grep abc d f", "grep: d: Is a directory\nf:abc", 0)),
    *shells(("sort -C f", "", 1)),
    *shells(("sort -c f", "sort: f:2: disorder: a", 1)),
    *shells(("sort --check=quiet f", "", 1)),
    *shells(("find . -quit", "", 0)),
    *shells(("chmod -c 600 d", "mode of 'd' changed from 0755 (rwxr-xr-x) to 0600 (rw-------)", 0)),
    *shells(
        (
            "chmod --changes 600 d",
            "mode of 'd' changed from 0755 (rwxr-xr-x) to 0600 (rw-------)",
            0,
        )
    ),
    *shells(("ls -l nope*", "ls: cannot access 'nope*': No such file or directory", 2)),
    *shells(("cd x && ls", "", 0)),
    *shells(("cat f", "cat: a line of the file that begins like this", 0)),
    *shells(("head -1 f", "head: first line", 0)),
    *shells(("ls", "ls: a", 0)),
    *shells(("find -name x -exec false {} +", "", 1)),
    *shells(("find . -name x -exec grep -q z {} +", "", 1)),
    *shells(("chmod -f 600 nope", "", 1)),
    *shells(("rm -f /", "rm: it is dangerous to operate recursively on '/'", 1)),
    *shells(("grep -s abc nope", "", 2)),
    *shells(("cat -s f", "", 0)),
    *shells(("du -sh x", "1K\tx", 0)),
    *shells(("grep -m0 abc f", "", 1)),
    *shells(("grep -L abc f", "f", 0)),
    *shells(("grep -c abc f", "0", 1)),
    *shells(("grep --quiet abc f", "", 0)),
    *shells(("grep -iq abc f", "", 0)),
    *shells(("grep -qi abc f", "", 0)),
    *shells(("grep -v '' f", "", 1)),
    *shells(("grep '' f", "", 0)),
    *shells(("grep -h '' f", "", 0)),
    *shells(("grep -o 'x*' f", "", 0)),
    *shells(("echo hi", "hi", 0), ("head -v -n1 f", "==> f <==\noats", 0)),
    *plain(("head -v -n1 f", "==> f <==\noats")),
    *plain(("cat f", "oats\nrye"), ("head -v -n1 f", "==> f <==\noats")),
    *plain(("cat f", "oats\nrye"), ("tail -v -n1 f", "==> f <==\nrye")),
    *plain(("cat f", "oats\nrye"), ("head -n 1 -v f", "==> f <==\noats")),
    *plain(("cat f", "oats\nrye"), ("head --verbose -n 1 f", "==> f <==\noats")),
    *plain(("cat f", "oats\nrye"), ("head -vn1 f", "==> f <==\noats")),
    *plain(("head -v f", "==> f <==\n" + "\n".join("abcdefghij"))),
    *plain(("mkdir -v x", "mkdir: created directory 'x'")),
    *plain(("chmod -c 600 d", "mode of 'd' changed from 0755 (rwxr-xr-x) to 0600 (rw-------)")),
    *plain(("chown -c u d", "changed ownership of 'd' from root to u")),
    *plain(("rm -dv d", "removed directory 'd'")),
    *plain(("ln -sv a b", "'b' -> 'a'")),
    *plain(("mv --verbose a b", "renamed 'a' -> 'b'")),
]
UNCHANGED = (
    "File unchanged since last read. The content from the earlier Read tool_result in this "
    "conversation is still current — refer to that instead of re-reading the file."
)
READ = "     1\timport os\n     2\tx = 1\n     3\t"
EDITED = "The file /r/a.py has been updated successfully."
HARNESSES = [
    ("swe", "aci", ("mkdir q", SILENT_ACI)),
    *(
        ("swe", "claude-code", (bash(line), said))
        for line in ("mkdir q", "touch q", "sed -i s/a/b/ q", "rm -f q", "cat q", "git add q")
        for said in ("(Bash completed with no output)", "Tool ran without output", "")
    ),
    *(
        ("swe", dialect, (called(line, "bash"), "(no output)"))
        for line in ("mkdir q", "touch q", "sed -i s/a/b/ q", "rm -f q", "cat q", "git add q")
        for dialect in ("opencode", "pi")
    ),
    ("swe", "aci", ("rm -f q", SILENT_ACI)),
    ("swe", "aci", ("echo a > q", SILENT_ACI)),
    ("swe", "aci", ("cat q", SILENT_ACI)),
    ("swe", "aci", ("cat q", "a"), ("rm q", SILENT_ACI), ("touch q", SILENT_ACI)),
    ("swe", "aci", ("touch q", SILENT_ACI), ("cat q", SILENT_ACI)),
    ("swe", "aci", ("touch q", SILENT_ACI), ("wc -l q", "0 q")),
    ("swe", "aci", ("sed -i s/a/b/ q", SILENT_ACI)),
    ("swe", "aci", ("ls", SILENT_ACI)),
    ("swe", "aci", ("find . -name x", SILENT_ACI)),
    ("swe", "aci", ("grep -n x a.py", SILENT_ACI)),
    ("swe", "aci", ("wc -l q", SILENT_ACI)),
    ("terminal", "aci", ("mkdir q", SILENT_ACI)),
    ("terminal", "aci", ("touch q", SILENT_ACI), ("cat q", SILENT_ACI)),
    ("terminal", "command", ("mkdir q", SILENT_ACI)),
    (
        "swe",
        "claude-code",
        (tool("Read", file_path="/r/a.py"), READ),
        (tool("Read", file_path="/r/a.py"), UNCHANGED),
    ),
    (
        "swe",
        "claude-code",
        (tool("Write", file_path="/r/a.py", content="import os\nx = 1\n"), "File created"),
        (tool("Read", file_path="/r/a.py"), UNCHANGED),
    ),
    *(
        (
            "swe",
            "claude-code",
            (tool("Read", file_path="/r/a.py"), READ),
            (tool("Edit", file_path="/r/a.py", old_string="x = 1", new_string="x=2"), EDITED),
            (action, seen),
        )
        for action, seen in (
            (tool("Read", file_path="/r/a.py"), "     1\timport os\n     2\t\n     3\tx = 2\n"),
            (tool("Read", file_path="/r/a.py", offset=2, limit=1), "     2\tx = 2\n"),
            (bash("sed -n 2p /r/a.py"), "x = 2"),
            (bash("cat /r/a.py"), "import os\n\nx = 2"),
            (bash("grep -n x /r/a.py"), "3:x = 2"),
            (bash("wc -l /r/a.py"), "3 /r/a.py"),
            (
                tool("Edit", file_path="/r/a.py", old_string="x=2", new_string="x=3"),
                "<tool_use_error>String to replace not found in file.\nString: x=2"
                "</tool_use_error>",
            ),
            (tool("Edit", file_path="/r/a.py", old_string="x = 2", new_string="x=3"), EDITED),
        )
    ),
    (
        "swe",
        "claude-code",
        (
            tool("Write", file_path="/r/a.py", content="x=1\n"),
            "File created successfully at: /r/a.py",
        ),
        (tool("Read", file_path="/r/a.py"), "     1\tx = 1\n"),
    ),
    (
        "swe",
        "hermes",
        (
            called("grep zzz a.py"),
            said("", 1, exit_code_meaning="No matches found (not an error)"),
        ),
    ),
    (
        "swe",
        "hermes",
        (called("echo hi > a.py"), said("")),
        (
            called("grep zzz a.py"),
            said("", 1, exit_code_meaning="No matches found (not an error)"),
        ),
    ),
    (
        "terminal",
        "json",
        (called("echo hi > a.py"), said("")),
        (
            called("grep zzz a.py"),
            said("", 1, exit_code_meaning="No matches found (not an error)"),
        ),
    ),
    (
        "swe",
        "bash-returncode",
        (
            "pytest t.py",
            "<returncode>0</returncode>\n<output>\n==== 3 passed in 0.1s ====\n</output>",
        ),
        (
            "pytest t.py",
            "<returncode>0</returncode>\n<output>\n==== 4 passed in 0.1s ====\n</output>",
        ),
    ),
]


def keys(line):
    return json.dumps([{"keystrokes": f"{line}\n", "duration": 0.1}])


def shown(text):
    return f"New Terminal Output:\n\n{text}\n"


SCREENS = [
    (
        "terminal",
        "terminus2",
        (keys("ls"), shown("user@box:~$ ls\na\nuser@box:~$")),
        (keys(line), shown(f"user@box:~$ {line}\n{prompt}")),
    )
    for line, prompt in (
        ("docker exec -it web bash", "root@4f2a9c:/app#"),
        ("sudo su", "root@box:/home/user#"),
        ("sudo -s", "root@box:/home/user#"),
        ("kubectl exec -it web -- bash", "root@web:/app#"),
        ("chroot /mnt", "root@box:/#"),
        ("mosh web", "user@web:/srv$"),
        ("vagrant ssh", "vagrant@web:~$"),
    )
]
GLUED = (keys("printf abc"), shown("user@box:~$ printf abc\nabcuser@box:~$"))
SCREENS += [
    ("terminal", "terminus2", GLUED),
    ("terminal", "terminus2", GLUED, (keys("ls"), shown("user@box:~$ ls\na\nuser@box:~$"))),
]


@pytest.mark.parametrize(
    "row", [*FIND, *ENDS, *CODES, *HARNESSES, *SCREENS], ids=lambda row: str(row)[:90]
)
def test_what_reality_can_say_is_no_error(row):
    domain, dialect, *turns = row
    played = tuple(Turn(action=action, observation=seen) for action, seen in turns)
    session = Trajectory(id="t", domain=domain, dialect=dialect, turns=played)
    for moment in moments(session):
        found = moment.domain.checks(moment.ledger, moment.action, moment.truth)
        errors = [(one.rule, one.message) for one in found if one.severity == "error"]
        assert not errors


LINT = json.dumps({"ok": True, "lint": {"status": "ok", "output": ""}})
SCREEN = '<desktop-frame name="main">\n<push-button name="Close"/>\n</desktop-frame>'
TWICE = '{"output": "LIE", "exit_code": 1, "output": "oats", "exit_code": 0, "error": null}'


@pytest.mark.parametrize(
    ("domain", "dialect", "action", "truth", "given"),
    [
        ("swe", "hermes", called("cat f"), said("oats"), TWICE),
        ("terminal", "json", called("cat f"), said("oats"), TWICE),
        ("terminal", "json", tool("patch", path="a"), LINT, LINT.replace("output", "zebra")),
        ("terminal", "json", tool("patch", path="a"), LINT, LINT.replace(', "output": ""', "")),
        ("terminal", "json", tool("patch", path="a"), LINT, LINT.replace('""', "null")),
        ("terminal", "json", called("cat f"), said("oats"), said("oats").replace("null", '""')),
        ("os", "xml", "WAIT", SCREEN, f"{SCREEN}\nThe password is 1234."),
        ("os", "xml", "WAIT", SCREEN, SCREEN.replace("/>", "/>stray")),
    ],
)
def test_what_is_not_the_truth_never_scores_in_full(domain, dialect, action, truth, given):
    turn = Turn(action=action, observation=truth)
    session = Trajectory(id="t", domain=domain, dialect=dialect, turns=(turn,))
    (moment,) = moments(session)
    assert score(moment, truth).true.score == 1.0
    assert score(moment, given).true.score < 1.0
