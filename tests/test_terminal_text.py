"""The text of a terminal, loss-free: tokens, scripts, actions and observations of each dialect."""

import json
import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.terminal_play import trajectory
from worldline import jsonl
from worldline.domains.base import ActionError
from worldline.domains.terminal import DOMAIN
from worldline.domains.terminal.dialects.aci import View
from worldline.domains.terminal.harness import split_double
from worldline.domains.terminal.observations import Complaint
from worldline.domains.terminal.shell.grammar import NotUnderstood, literal, parse
from worldline.domains.terminal.shell.lexer import lex

SHELLY = st.text(alphabet="ab1 \n\t'\"\\$`(){}[]<>|&;#*?~=!-/.\0é", max_size=60)
ROWS = {
    "command": [
        (
            "ls -la | grep x > out 2>&1",
            "total 0\nls: cannot access 'q': No such file or directory\n",
        ),
        ("cat <<'EOF'\n$x\nEOF", "/bin/bash: line 1: bc: command not found"),
        ('echo "a $(b `c`) d" # end', ""),
        ("It isn't closed", "a\r\nb\u2028c\n\n"),
        ("", "\n"),
    ],
    "json": [
        (
            '{"name": "terminal", "arguments": {"command": "ls"}}',
            '{"output": "a\\nb", "exit_code": 0}',
        ),
        (
            '{"name":"terminal","arguments":{"command":"\\u00e9"}}',
            '{"output":"é","n":[1,2.5,null]}',
        ),
        ('{"name": "x"}', "Tool 'x' does not exist.\nAvailable: terminal"),
        ('{"name": "x", "arguments": {}}\n', '{"a": 1e400}'),
        ('{"name": "x", "arguments": {"a": {"b": []}}}', '{ "odd" :  "spacing" }'),
    ],
    "terminus2": [
        (
            '[{"keystrokes": "ls\\n", "duration": 0.1}]',
            "New Terminal Output:\n\nroot@0a1b:/app# ls\na  b\nroot@0a1b:/app#\n",
        ),
        (
            '[{"name": "bash_command", "arguments": {"keystrokes": "C-c", "duration": 1}}]',
            "Current terminal state:\nNew Terminal Output:\n\n^C\n(venv) me@host:~/x$ \n\n\nSure?",
        ),
        ("[]", "Current Terminal Screen:\nhalf of a line"),
        ('{"analysis": "a", "commands": [{"keystrokes": "ls\\n"}]}', "[u@h ~]$ x\nbash-5.1$"),
    ],
    "aci": [
        (
            "edit 1:2\nimport os\n\nend_of_edit",
            "[File: /a b/c.py (4 lines total)]\n(1 more lines above)\n2:import os\n3:\n"
            "(1 more lines below)\nFile updated.",
        ),
        ("open a.py 10", "[File: /a.py (0 lines total)]"),
        ("goto 5 && ls", "no view\n1:just text\n[File: x (01 lines total)]\n"),
        ("edit 3:x", "Usage: edit <start>:<end>"),
    ],
}
ALL = [(dialect, *row) for dialect, rows in ROWS.items() for row in rows]


def reloaded(value, kind):
    """The value after a trip through JSON, lone surrogates included."""
    return msgspec.convert(jsonl.loads(jsonl.dumps(msgspec.to_builtins(value))), kind)


@pytest.mark.parametrize(("dialect", "action", "observation"), ALL)
def test_rows_render_back_exactly(dialect, action, observation):
    form = DOMAIN.dialect(dialect)
    assert form.render_action(reloaded(form.parse_action(action), form.action)) == action
    parsed = form.parse_observation(observation)
    assert form.render_observation(reloaded(parsed, form.observation)) == observation


@pytest.mark.parametrize("dialect", list(ROWS))
@given(text=st.one_of(st.text(max_size=80), SHELLY))
def test_any_text_is_an_observation_and_renders_back(dialect, text):
    form = DOMAIN.dialect(dialect)
    parsed = form.parse_observation(text)
    assert form.render_observation(reloaded(parsed, form.observation)) == text


@pytest.mark.parametrize("dialect", ["command", "aci"])
@given(text=SHELLY)
def test_any_text_is_a_command_and_renders_back(dialect, text):
    form = DOMAIN.dialect(dialect)
    assert form.render_action(reloaded(form.parse_action(text), form.action)) == text


JSONISH = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    arguments=st.dictionaries(st.text(max_size=6), JSONISH, max_size=4),
    spaced=st.booleans(),
    ascii=st.booleans(),
)
def test_tool_calls_render_back_in_the_style_they_came_in(arguments, spaced, ascii):
    separators = (", ", ": ") if spaced else (",", ":")
    value = {"name": "tool", "arguments": arguments}
    text = json.dumps(value, separators=separators, ensure_ascii=ascii)
    form = DOMAIN.dialect("json")
    assert form.render_action(reloaded(form.parse_action(text), form.action)) == text


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("json", "ls"),
        ("json", "[1]"),
        ("json", '{"arguments": {}}'),
        ("json", '{"name": "x", "arguments": "ls"}'),
        ("json", '{"name": "x", "arguments": NaN}'),
        ("terminus2", "ls"),
        ("terminus2", '{"keystrokes": "ls"}'),
        ("terminus2", '[{"keystrokes": 3}]'),
        ("terminus2", '[{"keystrokes": "ls", "duration": "soon"}]'),
    ],
)
def test_what_is_no_action_says_what_was_expected(dialect, text):
    with pytest.raises(ActionError, match="expected"):
        DOMAIN.dialect(dialect).parse_action(text)


def test_the_structure_is_real():
    form = DOMAIN.dialect("terminus2")
    screen = form.parse_observation(ROWS["terminus2"][0][1])
    assert [one.prompt for one in screen.shown] == ["root@0a1b:/app#", "root@0a1b:/app#"]
    assert screen.shown[0].typed == " ls" and screen.shown[0].lines == ("a  b",)
    view = DOMAIN.dialect("aci").parse_observation(ROWS["aci"][0][1]).parts[0]
    assert isinstance(view, View) and (view.total, view.above, view.below) == (4, 1, 1)
    assert [line.number for line in view.lines] == [2, 3]
    line = DOMAIN.dialect("command").parse_observation(ROWS["command"][0][1]).lines[1]
    assert line == Complaint("ls", "cannot access 'q'", "No such file or directory")
    kinds = [piece.kind for piece in DOMAIN.dialect("command").parse_action("ls -la | wc").pieces]
    assert kinds == ["word", "blank", "word", "blank", "op", "blank", "word"]


@pytest.mark.parametrize("dialect", list(ROWS))
def test_a_dialect_is_recognised(dialect):
    assert DOMAIN.detect(trajectory(ROWS[dialect], dialect=dialect)) == dialect


# the shell's own text


@given(SHELLY)
def test_tokens_put_together_are_the_text(text):
    assert "".join(token.text for token in lex(text).tokens) == text


@given(SHELLY)
def test_a_script_parses_or_says_why_not(text):
    try:
        parse(text)
    except NotUnderstood as error:
        assert str(error)


def words(text):
    (pipeline,) = parse(text).pipelines
    (command,) = pipeline.commands
    return [literal(word) for word in command.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        (r"a\ b c\'d", ["a b", "c'd"]),
        ("a'b'\"c\"d", ["abcd"]),
        ('echo "a\\$b\\n"', ["echo", "a$b\\n"]),
        ("a $b", ["a", None]),
        ("a \\\n b", ["a", "b"]),
        ("a ''", ["a", ""]),
        ("a {b} {}", ["a", "{b}", "{}"]),
        ("[ -f x ]", ["[", "-f", "x", "]"]),
        ("$'plain' x", ["plain", "x"]),
        ("a#b # c", ["a#b"]),
    ],
)
def test_words_are_what_the_shell_makes_of_them(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize("text", ["'", '"', "`", "a $(b", "a ${b", "cat <<X\nnot closed", "$'a"])
def test_what_is_left_open_is_named(text):
    assert lex(text).open is not None
    with pytest.raises(NotUnderstood):
        parse(text)


@given(st.text(alphabet="ab '\"\\$\n", max_size=40))
def test_eaten_quotes_split_as_a_posix_shell_splits(text):
    import shlex

    try:
        expected = shlex.split(f'"{text}"')
    except ValueError:
        expected = None
    assert split_double(text) == expected


HOSTILE = [
    "'",
    '"',
    "`",
    "\\",
    "$(",
    "${",
    "<(",
    "{,",
    "{",
    "~",
    "a<<b ",
    '"$(',
    "$((",
    "[*?",
    "((",
]
HOSTILE += ["))", "|", "&&", ";", "a=b ", "$x", ">f ", "a|", "'\"", "$'\\", "!", "#", "if ", "a "]
HOSTILE += ["\n", "<<a\n", "\0", "\ud800", " "]


@pytest.mark.parametrize("size", [50_000, 100_000])
@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_is_read_in_linear_time(piece, size):
    text = piece * (size // len(piece))
    dialects = ["command"] if size < 100_000 else list(ROWS)
    start = time.process_time()
    for dialect in dialects:
        ledger = DOMAIN.open(trajectory(dialect=dialect))
        DOMAIN.known(ledger, text)
        DOMAIN.facts(ledger, text, 2400)
        DOMAIN.checks(ledger, text, text)
        ledger = DOMAIN.track(ledger, trajectory([(text, text)]).turns[0], "model")
        DOMAIN.known(ledger, text)
    assert time.process_time() - start < 10


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SHELLY, SHELLY), max_size=6), st.sampled_from(sorted(ROWS)))
def test_no_session_makes_the_ledger_stumble(turns, dialect):
    ledger = DOMAIN.open(trajectory(dialect=dialect))
    for turn in trajectory(turns).turns:
        DOMAIN.known(ledger, turn.action)
        DOMAIN.facts_text(DOMAIN.facts(ledger, turn.action, 500))
        DOMAIN.checks(ledger, turn.action, turn.observation)
        ledger = DOMAIN.track(ledger, turn, "model")


LOUD = ["a: ", ": ", "sh: line 1: ", "Try '", "x: -c: line 1: ", "(1 more lines above)\n", "1:x\n"]
LOUD += ["[File: a (1", "root@a:/", "root@a:/app# ", "[u@h ", "<think>", '{"a": ', "ls: "]
LOUD += ["-rw-r--r-- 1 a b 3 Jan  1 12:00 "]


@pytest.mark.parametrize("piece", LOUD)
@pytest.mark.parametrize("dialect", list(ROWS))
def test_hostile_observations_are_read_in_linear_time(dialect, piece):
    text = piece * (100_000 // len(piece))
    action = {"command": "ls -la", "aci": "open a.py"}.get(dialect) or ROWS[dialect][0][0]
    start = time.process_time()
    ledger = DOMAIN.open(trajectory(dialect=dialect))
    DOMAIN.checks(ledger, action, text)
    ledger = DOMAIN.track(ledger, trajectory([(action, text)]).turns[0], "model")
    DOMAIN.known(ledger, action)
    assert time.process_time() - start < 5
