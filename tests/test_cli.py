"""The command line as a person and as a script meet it: real processes, real exit codes."""

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

from worldline.cli.common import progress

SCRIPTED = '{"reply": "first answer"}\n{"reply": "second answer"}\n{"reply": "third answer"}\n'


def worldline(*arguments, cwd=None, stdin=None):
    return subprocess.run(
        [sys.executable, "-m", "worldline", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def replies(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text(SCRIPTED, "utf-8")
    return f"scripted:{path}"


def test_help_lists_every_verb_and_each_verb_has_help():
    done = worldline("--help")
    assert done.returncode == 0
    for verb in ("sim", "predict", "bench", "snapshot", "import", "model", "doctor", "migrate"):
        assert f"\n  {verb}" in done.stdout
        shown = worldline(verb, "--help")
        assert shown.returncode == 0 and "Usage" in shown.stdout, verb


def test_help_of_one_verb_loads_no_model_and_no_engine():
    code = (
        "import sys; sys.argv = ['worldline', 'sim', '--help']\n"
        "from worldline.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'openai', 'xllamacpp', 'pyarrow', 'torch', 'httpx'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sim", "nowhere"], ["no domain 'nowhere'", "terminal"]),
        (["sim", "generic", "--model", "embeded"], ["embeded", "embedded"]),
        (["sim", "generic", "--model", "copy", "--ground", "all"], ["--ground", "none"]),
        (["sim", "terminal", "--model", "copy", "--dialect", "x"], ["dialect", "command"]),
        (["sim", "generic", "--model", "copy", "--script", "nope.txt"], ["nope.txt"]),
        (["sim", "generic", "--model", "copy", "--resume", "nope.jsonl"], ["nope.jsonl"]),
        (["sim", "mcp", "--model", "copy", "--tools", "nope.json"], ["nope.json"]),
        (["snapshot", "terminal", "nope"], ["nope", "not a folder"]),
    ],
)
def test_bad_input_is_one_clear_line_and_a_nonzero_exit(arguments, words, tmp_path):
    done = worldline(*arguments, cwd=tmp_path, stdin="")
    assert done.returncode not in (0, 1)
    assert "Traceback" not in done.stderr and done.stdout == ""
    assert done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr


def test_a_bar_with_a_note_is_one_line_of_80_columns(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    with progress("collect terminal", 200, "episodes", "1,234 turns, 110.0 turns/s") as bar:
        bar.advance()
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue()).strip()
    assert "1/200 1,234 turns, 110.0 turns/s" in shown and "\n" not in shown


def test_a_script_gives_a_table_and_json_gives_lines(replies, tmp_path):
    script = tmp_path / "actions.txt"
    script.write_text("look\n\nopen door\n", "utf-8")
    human = worldline("sim", "generic", "--model", replies, "--script", script)
    assert human.returncode == 0, human.stderr
    assert "first answer" in human.stdout and "second answer" in human.stdout
    assert "Session" in human.stdout and "origin" in human.stdout
    machine = worldline("sim", "generic", "--model", replies, "--script", script, "--json")
    rows = [json.loads(line) for line in machine.stdout.splitlines()]
    assert [row["observation"] for row in rows] == ["first answer", "second answer"]
    assert [row["seq"] for row in rows] == [1, 2]
    assert rows[0]["origin"] == "model" and rows[0]["action"] == "look"


def test_a_pipe_is_a_script(replies):
    done = worldline("sim", "generic", "--model", replies, "--json", stdin="look\n")
    assert json.loads(done.stdout)["observation"] == "first answer"


def test_exit_is_zero_only_when_every_step_brought_an_observation(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text('{"reply": "fine"}\n{"reply": "cut", "finish_reason": "length"}\n', "utf-8")
    done = worldline("sim", "generic", "--model", f"scripted:{path}", "--json", stdin="a\nb\n")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["outcome"] for row in rows] == ["ok", "truncated"]
    assert rows[1]["observation"] is None
    assert done.returncode == 1


def test_multi_line_actions_come_from_jsonl(replies, tmp_path):
    script = tmp_path / "actions.jsonl"
    script.write_text('"line one\\nline two"\n{"action": "next"}\n', "utf-8")
    done = worldline("sim", "generic", "--model", replies, "--script", script, "--json")
    actions = [json.loads(line)["action"] for line in done.stdout.splitlines()]
    assert actions == ["line one\nline two", "next"]
    script.write_text('"fine"\n7\n', "utf-8")
    bad = worldline("sim", "generic", "--model", replies, "--script", script)
    assert bad.returncode == 2 and "line 2" in bad.stderr and "actions.jsonl" in bad.stderr


def test_flags_come_from_toml_and_flags_win(replies, tmp_path):
    config = tmp_path / "run.toml"
    config.write_text(f'model = "{replies}"\nseed = 5\njson = true\n', "utf-8")
    done = worldline("sim", "generic", "--config", config, stdin="look\n")
    assert json.loads(done.stdout)["prediction"]["seed"] is not None, done.stderr
    config.write_text('model = "copy"\n', "utf-8")
    done = worldline("sim", "generic", "--config", config, "-m", replies, "--json", stdin="x\n")
    assert json.loads(done.stdout)["observation"] == "first answer"
    config.write_text("modle = 1\n", "utf-8")
    done = worldline("sim", "generic", "--config", config, stdin="x\n")
    assert done.returncode == 2 and "modle" in done.stderr and "run.toml" in done.stderr
    config.write_text("model = \n", "utf-8")
    done = worldline("sim", "generic", "--config", config, stdin="x\n")
    assert done.returncode == 2 and "TOML" in done.stderr


def test_a_kept_session_is_continued(replies, tmp_path):
    kept = tmp_path / "session.jsonl"
    worldline("sim", "generic", "--model", replies, "--save", kept, "--json", stdin="a\nb\n")
    done = worldline("sim", "generic", "--model", replies, "--resume", kept, "--json", stdin="c\n")
    assert json.loads(done.stdout)["seq"] == 3, done.stderr


def test_hostile_observations_are_shown_not_obeyed(tmp_path):
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps({"reply": "\x1b]52;c;ZXZpbA==\x07\x1b[2Jhi\u202e"}) + "\n", "utf-8")
    done = worldline("sim", "generic", "--model", f"scripted:{path}", stdin="a\n")
    assert "\x1b" not in done.stdout and "\x07" not in done.stdout and "\u202e" not in done.stdout
    assert "␛]52" in done.stdout


class Terminal:
    """A real pseudo-terminal with the program in it."""

    def __init__(self, *arguments, env=None):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(
                {
                    "TERM": "xterm",
                    "PROMPT_TOOLKIT_NO_CPR": "1",
                    "COLUMNS": "100",
                    "LINES": "40",
                    **(env or {}),
                }
            )
            os.execv(sys.executable, [sys.executable, "-m", "worldline", *map(str, arguments)])
        self.seen, self.at = "", 0

    def until(self, words, timeout=30.0):
        end = time.monotonic() + timeout
        while (found := self.seen.find(words, self.at)) < 0:
            ready, _, _ = select.select([self.fd], [], [], max(end - time.monotonic(), 0))
            assert ready, f"no {words!r} in {self.seen[self.at :]!r}"
            self.seen += os.read(self.fd, 65536).decode("utf-8", "replace")
        self.at = found + len(words)

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def test_a_person_at_a_terminal_steps_forks_goes_back_and_asks_why(replies):
    terminal = Terminal("sim", "generic", "--model", replies, "--seed", "1")
    terminal.until("[0]>")
    terminal.type("look\r")
    terminal.until("first answer")
    terminal.until("[1]>")
    terminal.type(":fork\r")
    terminal.until("b1 [1]>")
    terminal.type("again\r")
    terminal.until("second answer")
    terminal.until("b1 [2]>")
    terminal.type(":branches\r")
    terminal.until("* b1")
    terminal.until("b1 [2]>")
    terminal.type(":why\r")
    terminal.until("origin: model")
    terminal.until("b1 [2]>")
    terminal.type(":back\r")
    terminal.until("b2 [1]>")
    terminal.type(":switch main\r")
    terminal.until("generic [1]>")
    terminal.type(":nonsense\r")
    terminal.until(":help")
    terminal.until("generic [1]>")
    terminal.type(":quit\r")
    assert terminal.wait() == 0


def test_history_of_typed_lines_is_kept_between_sessions(replies, tmp_path):
    env = {"WORLDLINE_STATE": str(tmp_path / "state")}
    first = Terminal("sim", "generic", "--model", replies, env=env)
    first.until("[0]>")
    first.type("look around\r")
    first.until("first answer")
    first.until("[1]>")
    first.type("\x04")
    assert first.wait() == 0
    second = Terminal("sim", "generic", "--model", replies, env=env)
    second.until("[0]>")
    second.type("\x1b[A")
    second.until("look around")
    second.type("\x03\x04")
    assert second.wait() == 0
