"""The text of coding tools, loss-free: actions and observations of each dialect."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.swe_play import LOOM, call, numbered, returned, trajectory
from worldline import jsonl
from worldline.collect.importers.common import read_common
from worldline.domains.base import ActionError
from worldline.domains.swe import DOMAIN
from worldline.domains.swe.dialects.bash_returncode import Elided, Whole
from worldline.domains.swe.observations import Numbered
from worldline.domains.swe.rows import Row

SMALL = Path(__file__).parents[1] / "benchmarks" / "show" / "rows" / "swe.jsonl"
DIALECTS = tuple(DOMAIN.dialects)
LEAF = ("text", "lines", "arguments")
CUT = (
    "<returncode>0</returncode>\n<warning>\nToo much.\n</warning><output_head>\na\nb\n"
    "</output_head>\n<elided_chars>\n123 characters elided\n</elided_chars>\n"
    "<output_tail>\ny\nz\n\n</output_tail>"
)
LABELLED = (
    "Command: ls\nDirectory: (root)\nOutput: a\nExit Code: 7 is what it says\n\nError: (none)\n"
    "Exit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 99"
)
ODD = [
    "",
    "\n",
    "a\r\nb\u2028c\x00\ud800\n\n",
    "<returncode>0</returncode>",
    "<returncode>00</returncode>\n<output>\n</output>",
    "<returncode>-1</returncode>\n<output>\nno end",
    "<exception>late</exception>\n<returncode>-1</returncode>\n<output>\n</output>",
    returned(" 9\tx\n10\ty\n12\tz\n"),
    CUT,
    CUT.replace("123", "0123"),
    "     1→a\n     2→b\n\n<system-reminder>\nmind\n</system-reminder>\n",
    "<tool_use_error>no\nsuch\nthing</tool_use_error>",
    "<tool_use_error>no</tool_use_error>\r",
    "The file /a/b.c has been updated. Here's the result of running `cat -n` on a snippet of the "
    "edited file:\n     7→x",
    "Exit code 007\nno",
    "Exit code 2",
    "<path>/a</path>\n<type>file</type>\n<content>\n1: a\n2: \n\n(End of file - total 2 lines)\n"
    "</content>",
    "Successfully replaced 2 block(s) in /a//b.",
    '{"output": "a\\nb", "exit_code": 1, "error": null}',
    '{"content":"     1|é\\n     2|","total_lines":1,"n":[1,{"a":2.50}]}',
    '{"a": 1, "a": 2}',
    "[File: /a b/c (1 x) (3 lines total)]\r\n(1 more lines above)\n2:b\n3:\r\n(0 more lines below)",
    "(Open file: n/a)\n(Current directory: /w)\nbash-$",
    LABELLED,
    "Command: x\nOutput",
    'Found 2 matches for pattern "x" in path ".":\n---\nFile: a/b\nL3: x\nL03: x\n---',
    "Directory listing for /w:\n[DIR] src\na.c",
]


def again(value, kind):
    """The value after a trip through JSON, lone surrogates included."""
    return msgspec.convert(jsonl.loads(jsonl.dumps(msgspec.to_builtins(value))), kind)


def observed(dialect, text):
    """The text rendered from a reloaded parse."""
    form = DOMAIN.dialect(dialect)
    return form.render_observation(again(form.parse_observation(text), form.observation))


def acted(dialect, text):
    """The action rendered from a reloaded parse."""
    form = DOMAIN.dialect(dialect)
    return form.render_action(again(form.parse_action(text), form.action))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ODD)
def test_any_observation_renders_back_exactly(dialect, text):
    assert observed(dialect, text) == text


def test_small_rows_render_back_exactly_and_are_told_apart():
    seen = set()
    for row in read_common(SMALL):
        seen.add(row.dialect)
        assert DOMAIN.detect(row) == row.dialect
        assert row.dialect == row.id.replace("show-", "").rsplit("-", 1)[0].replace(
            "bash", "bash-returncode"
        ).replace("claude", "claude-code").replace("qwen", "qwen-cli")
        for turn in row.turns:
            assert observed(row.dialect, turn.observation) == turn.observation
            assert acted(row.dialect, turn.action) == turn.action
    assert seen == set(DIALECTS)


def large(value, size, leaf=False):
    """Strings that are no leaf text and hold over a fifth of `size`."""
    if isinstance(value, dict):
        return [
            one for key, inner in value.items() for one in large(inner, size, leaf or key in LEAF)
        ]
    if isinstance(value, list):
        return [one for inner in value for one in large(inner, size, leaf)]
    return [value] if isinstance(value, str) and not leaf and len(value) > size / 5 else []


def test_no_field_but_leaf_text_holds_a_large_part_of_an_observation():
    for row in read_common(SMALL):
        form = DOMAIN.dialect(row.dialect)
        for turn in row.turns:
            if len(turn.observation) < 200:
                continue
            dumped = jsonl.loads(
                jsonl.dumps(msgspec.to_builtins(form.parse_observation(turn.observation)))
            )
            assert not large(dumped, len(turn.observation)), (row.id, turn.observation)


PIECES = st.sampled_from(
    [
        "\n",
        " ",
        "1\t",
        "2→",
        "     3|",
        "4: ",
        "5:",
        "x",
        "\r",
        "\ud800",
        "</output>",
        "<output>\n",
        "<returncode>0</returncode>\n",
        "<exception>",
        "</exception>\n",
        "<system-reminder>",
        "Exit code 1",
        "[DIR] ",
        "L4: ",
        "File: ",
        "Output:",
        "Command: ",
        "Error:",
        '{"a": "',
        '"}',
        "(Open file: n/a)\n",
        "bash-$",
        "[File: a (3 lines total)]",
    ]
)


@settings(max_examples=150)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_pieces_in_any_order_render_back(text):
    for dialect in DIALECTS:
        assert observed(dialect, text) == text


@settings(max_examples=100)
@given(
    st.dictionaries(st.sampled_from(["command", "file_path", "é\ud800"]), st.text(max_size=8)),
    st.booleans(),
    st.booleans(),
)
def test_calls_render_back_with_arguments_as_an_object_or_as_text(arguments, sent, ascii):
    inner = json.dumps(arguments, ensure_ascii=ascii) if sent else arguments
    text = json.dumps({"name": "Bash", "arguments": inner}, ensure_ascii=ascii)
    for dialect in ("claude-code", "hermes", "opencode", "pi", "qwen-cli", "bash-returncode"):
        assert acted(dialect, text) == text
        form = DOMAIN.dialect(dialect)
        parsed = form.parse_action(text)
        found = parsed.call if dialect == "bash-returncode" else parsed
        assert found.arguments == arguments


@settings(max_examples=60)
@given(st.text(alphabet="ab \n\t'\"\\$`(){}<>|&;#é\0", max_size=40))
def test_any_text_is_a_command(text):
    assert acted("bash-returncode", text) == text
    assert acted("aci", text) == text


@pytest.mark.parametrize(
    "text",
    ["ls", "", "[]", '{"name": 1}', '{"name": "Read", "arguments": "ls"}', '{"name": "x"', "{}"],
)
@pytest.mark.parametrize("dialect", ["claude-code", "hermes", "opencode", "pi", "qwen-cli"])
def test_what_is_no_call_is_refused(dialect, text):
    with pytest.raises(ActionError):
        DOMAIN.dialect(dialect).parse_action(text)


def test_a_numbered_read_is_a_start_a_mark_and_lines():
    form = DOMAIN.dialect("claude-code")
    (block,) = form.parse_observation("     9→a\n    10→\n    11→b").pieces
    assert block == Numbered(first=9, mark="→", width=6, lines=("a", "", "b"))
    (block,) = form.parse_observation("9\ta\n10\tb").pieces
    assert block == Numbered(first=9, mark="\t", width=0, lines=("a", "b"))


def test_numbers_that_do_not_follow_are_two_blocks():
    found = DOMAIN.dialect("opencode").parse_observation("1: a\n2: b\n7: c").pieces
    assert [(one.first, one.last) for one in found] == [(1, 2), (7, 7)]


def test_an_envelope_is_a_code_and_a_body():
    form = DOMAIN.dialect("bash-returncode")
    found = form.parse_observation(returned("a\n", 3))
    assert found.code == 3 and isinstance(found.body, Whole)
    found = form.parse_observation(CUT)
    assert isinstance(found.body, Elided) and found.body.elided == 123


def test_rows_of_a_view_are_known_by_name():
    found = DOMAIN.dialect("opencode").parse_observation(
        "<path>/w/a.c</path>\n<type>file</type>\n<content>\n1: x\n\n(End of file - total 1 lines)\n"
        "</content>"
    )
    rows = [one for one in found.pieces if isinstance(one, Row)]
    assert [one.kind for one in rows] == ["path", "type", "content", "total", "content_end"]
    assert rows[0].path == "/w/a.c" and rows[3].number == 1


def test_labels_of_a_shell_survive_output_that_looks_like_them():
    found = DOMAIN.dialect("qwen-cli").parse_observation(LABELLED)
    assert [one.name for one in found.labels] == [
        "Command",
        "Directory",
        "Output",
        "Error",
        "Exit Code",
        "Signal",
        "Background PIDs",
        "Process Group PGID",
    ]


def test_the_dialect_nobody_recorded_says_so():
    assert [one for one, form in DOMAIN.dialects.items() if not form.recorded] == ["qwen-cli"]


def test_a_session_of_one_turn_is_told_apart():
    read = {
        "claude-code": (call("Read", file_path="/w/a.py"), numbered(LOOM)),
        "opencode": (call("read", filePath="/w/a.py"), "<path>/w/a.py</path>"),
        "pi": (call("read", path="/w/a.py"), LOOM),
        "hermes": (call("read_file", path="/w/a.py"), '{"content": "", "total_lines": 0}'),
        "qwen-cli": (call("read_file", absolute_path="/w/a.py"), LOOM),
        "bash-returncode": ("cat a.py", returned(LOOM)),
        "aci": ("open a.py", "[File: /w/a.py (8 lines total)]\n1:x"),
    }
    for dialect, turn in read.items():
        assert DOMAIN.detect(trajectory([turn])) == dialect


@pytest.mark.parametrize(
    "text",
    [
        "<returncode>0</returncode>\n<output>\n" * 20_000,
        "<exception>" * 20_000 + "</exception>\n<returncode>",
        "<exception>" + "</exception>\n" * 40_000,
        "(Open file: " * 20_000,
        "Output:\n" * 20_000 + "Error:",
        "Command: x\n" + "Output:\nExit Code:\n" * 20_000,
        "1\t\n" * 50_000,
        "<tool_use_error>" * 20_000,
        "The file " * 20_000 + " has been updated.",
        "[File: (1 lines total)] (" * 15_000,
        " " * 200_000,
        "$ " * 100_000,
        '{"a": ' * 30_000,
    ],
)
def test_hostile_text_comes_back_too(text):
    for dialect in DIALECTS:
        assert observed(dialect, text) == text
