"""Tool calls and results keep every character, whatever form they come in."""

import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline import jsonl
from worldline.domains.base import ActionError
from worldline.domains.mcp import DOMAIN
from worldline.domains.mcp.dialects import pyrepr
from worldline.domains.mcp.observations import Cut, Json, Observation, Plain, ToolResult
from worldline.domains.mcp.protocol import json_result, repr_result
from worldline.domains.mcp.reading import is_error, leaf, text_of
from worldline.trajectory import Trajectory, Turn

ANY = st.text() | st.text(st.characters(categories=["Cs", "Cc", "L"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY, inner, max_size=4),
    max_leaves=12,
)


def through(dialect, kind: str, text: str):
    """Parse, write as JSON, read back, render."""
    parsed = getattr(dialect, f"parse_{kind}")(text)
    data = jsonl.dumps(msgspec.to_builtins(parsed))
    back = msgspec.convert(jsonl.loads(data), getattr(dialect, kind))
    return parsed, getattr(dialect, f"render_{kind}")(back)


def result_text(text: str, error: bool = False) -> str:
    """What Python prints for a tool result of one text block."""
    return (
        f"meta=None content=[TextContent(type='text', text={text!r}, annotations=None)] "
        f"isError={error}"
    )


@pytest.mark.parametrize("name", ["json", "call-tool-result"])
@given(text=ANY | VALUES.map(lambda v: json.dumps(v)))
def test_any_observation_comes_back_exactly(name, text):
    assert through(DOMAIN.dialect(name), "observation", text)[1] == text


@given(VALUES, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans(), st.booleans())
def test_json_results_are_parsed_and_printed_as_they_were(value, indent, ascii_only, tight):
    separators = (",", ":") if tight else None
    text = json.dumps([value], indent=indent, ensure_ascii=ascii_only, separators=separators)
    parsed, back = through(DOMAIN.dialect("json"), "observation", text)
    assert back == text
    if not _has_long_int(value):
        assert isinstance(parsed.body, Json) and parsed.body.value == [value]


def _has_long_int(value) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    long = isinstance(value, int) and not -(2**63) <= value < 2**64
    return long or any(_has_long_int(one) for one in inner)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e5}',
        '{"a": 1, "a": 2}',
        '{"a": "\\/"}',
        '{"a":1, "b": 2}',
        "[NaN]",
        '{"a": 1.0} x',
        "[" * 3000 + "]" * 3000,
        '{"n": 123456789012345678901234567890}',
    ],
)
def test_json_that_would_not_come_back_exactly_stays_text(text):
    parsed, back = through(DOMAIN.dialect("json"), "observation", text)
    assert back == text and isinstance(parsed.body, Plain)


@given(ANY, st.booleans())
def test_a_printed_tool_result_is_read_without_evaluating_it(text, error):
    shown = result_text(text, error)
    parsed, back = through(DOMAIN.dialect("call-tool-result"), "observation", shown)
    assert back == shown
    assert isinstance(parsed.body, ToolResult) and text_of(parsed.body) == text


@given(ANY, st.integers(0, 400))
def test_a_result_cut_anywhere_comes_back_exactly(text, end):
    shown = result_text(json.dumps({"content": [{"type": "text", "text": text}]}, indent=2))[:end]
    assert through(DOMAIN.dialect("call-tool-result"), "observation", shown)[1] == shown


def test_a_result_cut_inside_a_gateways_json_shows_the_text_so_far():
    inner = json.dumps({"content": [{"type": "text", "text": "it's\nlong"}]}, indent=2)
    shown = result_text(inner)
    shown = shown[: shown.index("ng") + 1]
    parsed, back = through(DOMAIN.dialect("call-tool-result"), "observation", shown)
    assert back == shown and isinstance(parsed.body, Cut)
    assert text_of(parsed.body).endswith("it's\nlon")


@given(st.text("ab(['\"\\=, )]{}:NoneTrueu0x1."))
def test_the_parser_of_printed_objects_never_crashes(text):
    try:
        fields = pyrepr.parse_fields(text)
    except ValueError:
        return
    assert isinstance(fields, dict)


@pytest.mark.parametrize("unit", ["[", "A(", "{'a': ", "'", "\\", "a=1 ", "content=["])
def test_long_hostile_text_takes_linear_time(unit):
    text = "meta=None content=[" + unit * 60_000
    start = time.process_time()
    assert through(DOMAIN.dialect("call-tool-result"), "observation", text)[1] == text
    assert time.process_time() - start < 2


WIRE = {
    "content": [
        {"type": "text", "text": "downloaded"},
        {
            "type": "resource",
            "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "BODY"},
        },
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        {"type": "resource_link", "uri": "file:///b.bin", "name": "b"},
    ],
    "structuredContent": {"n": 1},
    "isError": False,
}


def test_ur_s30_results_that_are_not_text_keep_their_place_type_and_address():
    shown = json.dumps(WIRE)
    parsed, back = through(DOMAIN.dialect("call-tool-result"), "observation", shown)
    assert back == shown
    assert [block.type for block in parsed.body.blocks] == [
        "text",
        "resource",
        "image",
        "resource_link",
    ]
    text = text_of(parsed.body)
    for part in ("downloaded", "BODY", "image/png 8 bytes", "file:///b.bin", '{"n": 1}'):
        assert part in text


@given(VALUES.map(lambda v: v if isinstance(v, dict) else {"v": v}), st.booleans())
def test_actions_come_back_exactly_with_their_arguments_as_object_or_text(arguments, as_text):
    sent = json.dumps(arguments) if as_text else arguments
    text = json.dumps({"name": "x", "arguments": sent, "id": 7})
    try:
        parsed, back = through(DOMAIN.dialect("json"), "action", text)
    except ActionError:
        assert _has_long_int(arguments)
        return
    assert back == text and parsed.arguments == arguments


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "x", "arguments": {"a": 1}}\n```',
        ' {"name":"x","arguments":{"a":1}}\n',
        '{"name": "x", "arguments": {"a": 1.0e0, "a": 1}}',
        '{"name": "x"}',
    ],
)
def test_fences_blanks_and_odd_numbers_in_actions_survive(text):
    parsed, back = through(DOMAIN.dialect("json"), "action", text)
    assert back == text and parsed.name == "x"


@given(ANY)
def test_what_is_no_call_is_an_action_error_and_nothing_else(text):
    try:
        through(DOMAIN.dialect("json"), "action", text)
    except ActionError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        (result_text("ok"), False),
        (result_text("no", error=True), True),
        (result_text(json.dumps({"content": [], "isError": True}, indent=2)), True),
        (result_text(json.dumps({"error": "nothing is open"})), True),
        (result_text("Error: no such file"), True),
        ("Tool call timed out.", True),
        (result_text("Errors were not found"), False),
    ],
)
def test_a_failure_is_seen_at_every_level(text, failed):
    body = DOMAIN.dialect("call-tool-result").parse_observation(text).body
    assert is_error(body) is failed


def test_our_own_results_are_results():
    dialect = DOMAIN.dialect("call-tool-result")
    for made in (repr_result("it's", is_error=True), json_result("it's", is_error=True)):
        shown = dialect.render_observation(Observation(made))
        again = dialect.parse_observation(shown)
        assert dialect.render_observation(again) == shown
        assert leaf(again.body) == Plain("it's") and is_error(again.body)


@pytest.mark.parametrize(
    ("observations", "dialect"),
    [
        (["Tool call timed out.", result_text("ok")], "call-tool-result"),
        ([json.dumps(WIRE)], "call-tool-result"),
        (['{"user": 1}', "Error: not found"], "json"),
        ([], "json"),
    ],
)
def test_the_dialect_is_told_from_the_results(observations, dialect):
    turns = tuple(Turn(action="{}", observation=one) for one in observations)
    assert DOMAIN.detect(Trajectory(id="x", domain="mcp", dialect="", turns=turns)) == dialect
