"""The check language: what each op promises, and that no text can break it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.errors import DataError
from worldline.tasks.args import argument
from worldline.tasks.checks import OPS, evaluate
from worldline.tasks.task import Check
from worldline.tasks.texts import Texts, exit_code, state_of

PAGE = "\n".join(
    (
        "RootWebArea 'Shop', focused",
        "\t[51] textbox 'Quantity' value='2'",
        "\t[52] button 'Order', clickable",
        "\t[53] button 'Back', clickable",
    )
)


def holds(op, arg, text, of="observation", **texts):
    return evaluate(Check(op=op, arg=arg, of=of), Texts(observation=text, **texts)).ok


# texts


@pytest.mark.parametrize(
    ("op", "arg", "text", "ok"),
    [
        ("equals", "a\nb", "a\r\nb\r\n", True),
        ("equals", "42", "  42 \n", True),
        ("equals", {"value": "42", "strip": False}, "42\n", False),
        ("equals", {"value": "a b", "squeeze": True}, "a \n\t b", True),
        ("equals", "Yes", "yes", False),
        ("equals", {"value": "Yes", "ignore_case": True}, "yES", True),
        ("equals", "", "\n", True),
        ("contains", "b\nc", "a b\r\nc", True),
        ("contains", {"value": ["a", "c"]}, "abc", True),
        ("contains", {"value": ["a", "d"]}, "abc", False),
        ("contains", " b", "ab", False),
        ("absent", {"value": ["x", "y"]}, "abc", True),
        ("absent", {"value": ["x", "c"]}, "abc", False),
        ("regex", r"^\d+$", "42", True),
        ("regex", r"^\d+$", "42\n", False),
        ("regex", r"(?m)^b$", "a\nb\nc", True),
        ("regex", {"value": "A", "ignore_case": True}, "cat", True),
        ("regex", {"value": "a", "count": 2}, "banana", False),
        ("regex", {"value": "a", "count": [2, 3]}, "banana", True),
        ("range", {"lo": 10, "hi": 20}, "3 of 15 files", True),
        ("range", {"lo": 10, "hi": 20}, "v15, 9 and 21", False),
        ("range", {"lo": 1000}, "1,234 kB", True),
        ("range", {"lo": -6, "hi": -4}, "at -5 degrees", True),
        ("range", {"lo": 3, "hi": 3, "pattern": r"total: (\S+)"}, "2\ntotal: 3.0", True),
        ("range", {"lo": 3, "hi": 3, "pattern": r"total: (\S+)"}, "total: three", False),
        ("range", {"hi": 5, "pattern": r"\d+"}, "none", False),
        ("range", {"lo": 0}, "9" * 400, False),
    ],
)
def test_texts(op, arg, text, ok):
    assert holds(op, arg, text) is ok


@pytest.mark.parametrize(
    ("arg", "text", "ok"),
    [
        ("$.a", '{"a": null}', True),
        ("$.b", '{"a": null}', False),
        ({"path": "$.a", "equals": 1}, '{"a": 1.0}', True),
        ({"path": "$.a", "equals": 1}, '{"a": true}', False),
        ({"path": "$.a", "equals": None}, '{"a": null}', True),
        ({"path": "$..id", "equals": "x"}, '[{"id": "w"}, {"id": "x"}]', True),
        ({"path": "$", "equals": {"a": [1, 2]}}, '{"a": [1, 2]}', True),
        ({"path": "$[*]", "count": 2}, "[1, 2]", True),
        ({"path": "$[*]", "count": 0}, "[]", True),
        ({"path": "$[?@.n > 1]", "count": [1, 1]}, '[{"n": 1}, {"n": 2}]', True),
        ({"path": "$.t", "contains": "ell"}, '{"t": "hello"}', True),
        ({"path": "$.t", "contains": "1"}, '{"t": 1}', False),
        ({"path": "$.t", "matches": "^h"}, '{"t": "hello"}', True),
        ("$.a", "There is no such note.", False),
        ("$.a", 'Found it:\n{\n "a": 1\n}\nThat is all.', True),
        ("$[0]", "[1] 4242\n[2]", True),
        ("$.a", "[INFO] start\n" * 40 + '{"a": 1}', True),
    ],
)
def test_json_paths(arg, text, ok):
    assert holds("jsonpath", arg, text) is ok


def test_a_tools_result_is_its_json_content_in_both_forms_of_mcp():
    inner = '{"id": 7, "tags": ["a"]}'
    wire = jsonl.dumps({"content": [{"type": "text", "text": inner}], "isError": False}).decode()
    python = f"meta=None content=[TextContent(type='text', text='{inner}', annotations=None)]"
    for dialect, text in (
        ("json", inner),
        ("call-tool-result", wire),
        ("call-tool-result", f"{python} isError=False"),
    ):
        arg = {"path": "$.id", "equals": 7}
        assert holds("jsonpath", arg, text, domain="mcp", dialect=dialect, action="{}"), text


def test_json_that_a_shell_printed_is_found_in_its_envelope():
    text = '<returncode>0</returncode>\n<output>\n{"a": 1}</output>'
    where = {"domain": "swe", "dialect": "bash-returncode", "action": "cat a.json"}
    assert holds("jsonpath", {"path": "$.a", "equals": 1}, text, **where)


@pytest.mark.parametrize(
    ("arg", "ok"),
    [
        ({"kind": "button"}, True),
        ({"kind": "button", "count": 2}, True),
        ({"kind": "button", "count": [3, 9]}, False),
        ({"ref": "51", "attrs": {"value": "2"}}, True),
        ({"ref": "51", "attrs": {"value": "3"}}, False),
        ({"kind": "link", "count": 0}, True),
        ({"ref": "52", "attrs": {"clickable": None}}, True),
        ({"ref": "51", "attrs": {"clickable": None}}, False),
    ],
)
def test_nodes_of_a_tree(arg, ok):
    assert holds("tree", arg, PAGE, domain="web", dialect="browsergym") is ok


def test_a_message_is_no_state_and_the_state_is_the_newest_one_shown():
    assert holds("tree", {"kind": "button"}, "Error", domain="web", dialect="browsergym") is False
    assert state_of("web", "browsergym", [None, PAGE, "Error: no such element"]) == PAGE
    assert state_of("terminal", "command", [None, "a", "b"]) == "b"


# exit codes


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        ({"domain": "terminal", "dialect": "command", "action": "make"}, None),
        ({"info": {"exit_code": 2}, "action": "make"}, 2),
        (
            {
                "observation": '$ make; echo "exit=$?"\nNothing to do\nexit=1\n$ ',
                "info": {"exit_code": 0},  # of the echo
                "action": 'make; echo "exit=$?"',
            },
            1,
        ),
        ({"observation": "exit=", "action": 'x; echo "exit=$?"', "info": {"exit_code": 0}}, None),
        (
            {
                "observation": "<returncode>2</returncode>\n<output>\n</output>",
                "domain": "swe",
                "dialect": "bash-returncode",
                "action": "make",
            },
            2,
        ),
        (
            {
                "observation": '{"output": "a", "exit_code": 4, "error": null}',
                "domain": "terminal",
                "dialect": "json",
                "action": '{"name": "terminal", "arguments": {"command": "make"}}',
            },
            4,
        ),
    ],
)
def test_exit_codes(texts, code):
    assert exit_code(Texts(**{"observation": "done", **texts})) == code


def test_an_exit_code_that_nothing_tells_is_undecided_and_says_what_to_do():
    texts = Texts(observation="done", domain="terminal", dialect="command", action="make")
    verdict = evaluate(Check(op="exit", arg=0), texts)
    assert verdict.ok is None
    assert 'echo "exit=$?"' in verdict.why
    texts = msgspec.structs.replace(texts, info={"exit_code": 1})
    assert evaluate(Check(op="exit", arg={"unless": [0, 2]}), texts).ok is True
    assert evaluate(Check(op="exit", arg=[0, 1]), texts).ok is True
    assert evaluate(Check(op="exit"), texts).ok is False


# what is wrong with a check is found without a text


@pytest.mark.parametrize(
    ("op", "arg", "told"),
    [
        ("regex", "(a", "no RE2 pattern"),
        ("regex", "(?=a)", "no RE2 pattern"),
        ("regex", r"(a)\1", "no RE2 pattern"),
        ("regex", "a" * 2000, "a pattern of 2,000"),
        ("regex", 7, "str"),
        ("regex", "\ud800", "no RE2 pattern"),
        ("jsonpath", "a.b", "no JSONPath"),
        ("jsonpath", "$[?match(@.a, 'x')]", "refused"),
        ("jsonpath", "$[?search(@.a, 'x')]", "refused"),
        ("jsonpath", "$..a..b", "refused"),
        ("jsonpath", "$[?@.a == $.b]", "refused"),
        ("jsonpath", {"path": "$.a", "matches": "(?<=x)"}, "no RE2 pattern"),
        ("jsonpath", {"path": "$.a", "equal": 1}, "equal"),
        ("contains", "", "empty text"),
        ("contains", {"value": []}, "no value"),
        ("equals", {"value": ["a"]}, "one value"),
        ("equals", None, "str"),
        ("exit", "0", "int"),
        ("exit", {"code": 0, "unless": 1}, "either"),
        ("tree", {}, "nothing of the node"),
        ("tree", {"kind": "a", "count": [2, 1]}, "count 2 .. 1"),
        ("range", {}, "lo or hi"),
        ("range", {"lo": 2, "hi": 1}, "above"),
    ],
)
def test_a_wrong_argument_is_named(op, arg, told):
    with pytest.raises(DataError) as caught:
        argument(Check(op=op, arg=arg))
    assert told in str(caught.value)
    assert (caught.value.field or "").startswith("arg")


# hostile texts

HOSTILE = st.one_of(
    st.text(max_size=300),
    st.text(alphabet="\ud800\udfff\x00\r\n{}[]\"'\\:,0123456789.eE+-", max_size=300),
    st.sampled_from(
        ["[" * 5000, "{" * 100, "9" * 5000, "\x00", "\ud800", '{"a":' * 3000, "-" * 99]
    ),
)
ARGS = {
    "equals": "x",
    "contains": {"value": ["\ud800", "x"], "squeeze": True, "ignore_case": True},
    "absent": {"value": "\x00"},
    "regex": {"value": r"(a|b)*\s*$", "count": [0, 9]},
    "jsonpath": {"path": "$..*[?@.a > 1]", "matches": "x"},
    "exit": 0,
    "tree": {"kind": "button", "attrs": {"a": 1}, "contains": {"text": "x"}},
    "range": {"lo": 0, "hi": 1, "pattern": r"(\S+)"},
}


@given(
    op=st.sampled_from(sorted(OPS)),
    text=HOSTILE,
    where=st.sampled_from(
        [
            ("web", "browsergym"),
            ("mcp", "call-tool-result"),
            ("swe", "bash-returncode"),
            ("terminal", "terminus2"),
        ]
    ),
)
def test_no_text_raises(op, text, where):
    texts = Texts(
        observation=text, domain=where[0], dialect=where[1], action='[{"keystrokes": "x"}]'
    )
    verdict = evaluate(Check(op=op, arg=ARGS[op]), texts)
    assert verdict.ok in (True, False, None)
    assert isinstance(verdict.why, str)


@pytest.mark.parametrize("op", sorted(OPS))
@pytest.mark.parametrize(
    "line", ["a" * 1_000_000, "1 " * 500_000, "[" * 1_000_000, '{"a":1},' * 125_000, "é" * 500_000]
)
def test_a_line_of_a_megabyte_is_decided_or_not_but_never_hangs(op, line):
    for text in (line, f"[{line}1]"):
        verdict = evaluate(Check(op=op, arg=ARGS[op]), Texts(observation=text, action="x"))
        assert verdict.ok in (True, False, None)


def test_a_pattern_that_ruins_other_engines_is_linear_here():
    assert holds("regex", "(a*)*b", "a" * 1_000_000) is False


def test_a_path_that_finds_too_much_is_undecided():
    text = jsonl.dumps([[0] * 2000] * 20).decode()
    assert holds("jsonpath", "$..*", text) is None
    deep = "[" * 500 + "]" * 500
    assert holds("jsonpath", "$..a", deep) is None


@given(st.text(), st.text(min_size=1))
def test_contains_is_the_opposite_of_absent(text, part):
    assert holds("contains", part, text) is not holds("absent", part, text)
