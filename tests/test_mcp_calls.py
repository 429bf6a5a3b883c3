"""Calls that must fail do fail, before any model is asked, and foreign schemas do no harm."""

import json
import time

import pytest
from mcp_rows import QUERY, READ_FILE, STRICT, after, call, opened, rejected, session, tool

from worldline.domains.base import ActionError
from worldline.domains.mcp import DOMAIN
from worldline.domains.mcp.actions import parse_call, render_call
from worldline.domains.mcp.schema import check
from worldline.domains.mcp.shapes import shape
from worldline.domains.mcp.tools import toolbox


@pytest.mark.parametrize("dialect", ["json", "call-tool-result"])
def test_ur_s20_calls_that_should_fail_are_rejected_and_change_nothing(dialect):
    ledger = opened(READ_FILE, STRICT, dialect=dialect)
    answers = {
        "unknown tool": rejected(ledger, call("execute_python", code="1")),
        "missing": rejected(ledger, call("read_file")),
        "ill-typed": rejected(ledger, call("read_file", path=3)),
        "surplus": rejected(ledger, call("list_notes", colour="red")),
        "broken": rejected(ledger, '{"name": "read_file", "arguments": "{\\"path\\": "}'),
    }
    assert answers["unknown tool"] == "MCP error -32602: Unknown tool: execute_python"
    for kind, field in {"missing": "path", "ill-typed": "path", "surplus": "colour"}.items():
        assert f"{field}: " in answers[kind] and "Invalid arguments" in answers[kind]
    assert "arguments: the text is not JSON" in answers["broken"]
    for kind in ("missing", "ill-typed", "surplus", "broken"):
        assert ("isError=True" in answers[kind]) == (dialect == "call-tool-result")
    later = after(ledger, (call("execute_python", code="1"), answers["unknown tool"]))
    later = after(later, (call("read_file", path=3), answers["ill-typed"]))
    assert later.facts == ledger.facts and not later.memo.restless


def test_ur_s20_an_extra_field_passes_with_a_warning_where_the_schema_allows_it():
    ledger = opened(READ_FILE)
    action = call("read_file", path="/a", colour="red")
    assert DOMAIN.protocol(ledger, action) is None
    found = DOMAIN.checks(ledger, action, "text")
    assert [(v.rule, v.severity) for v in found] == [("undeclared_argument", "warning")]
    assert "colour" in found[0].message


def test_ur_s20_a_call_the_protocol_rejects_must_not_succeed():
    found = DOMAIN.checks(opened(READ_FILE), call("execute_python", code="1"), "2")
    assert [(v.rule, v.severity) for v in found] == [("succeeds_against_protocol", "error")]


def test_without_a_tool_list_there_is_no_protocol_verdict():
    assert DOMAIN.protocol(opened(), call("anything", a=1)) is None


def test_an_entry_that_cannot_be_read_leaves_unknown_tools_undecided():
    ledger = opened(READ_FILE, {"description": "has no name"})
    assert DOMAIN.protocol(ledger, call("mystery")) is None
    assert ledger.memo.box.odd == ("tools[1]: name: expected the tool's name as a string",)


def test_ur_s21_arguments_as_an_object_or_as_its_text_are_the_same_call():
    plain = parse_call('{"name": "read_file", "arguments": {"path": "/a"}}')
    text = parse_call('{"name": "read_file", "arguments": "{\\"path\\": \\"/a\\"}"}')
    assert plain.arguments == text.arguments == {"path": "/a"} and plain.key == text.key
    assert text.sent == '{"path": "/a"}'
    assert DOMAIN.protocol(opened(READ_FILE), render_call(text)) is None


@pytest.mark.parametrize(
    "arguments", [json.dumps(json.dumps({"path": "/a"})), [{"path": "/a"}], 3, True]
)
def test_ur_s21_a_string_in_a_string_or_an_array_is_rejected(arguments):
    action = json.dumps({"name": "read_file", "arguments": arguments})
    with pytest.raises(ActionError, match="arguments: expected an object"):
        parse_call(action)
    assert "arguments: expected an object" in rejected(opened(READ_FILE), action)


def test_ur_s21_null_arguments_mean_none_only_where_nothing_is_required():
    ledger = opened(READ_FILE, STRICT)
    assert "path: " in rejected(ledger, '{"name": "read_file", "arguments": null}')
    assert DOMAIN.protocol(ledger, '{"name": "list_notes", "arguments": null}') is None
    assert DOMAIN.protocol(ledger, '{"name": "list_notes"}') is None


def test_ur_s26_references_inside_a_tools_own_schema_are_followed():
    trajectory = session(QUERY)
    ledger = DOMAIN.open(trajectory)
    assert DOMAIN.protocol(ledger, call("query", query={"limit": 5})) is None
    assert "query.limit: " in rejected(ledger, call("query", query={"limit": "x"}))
    assert list(trajectory.record()["tools"]) == [QUERY]
    assert "query: {limit?: integer}" in DOMAIN.system_text(trajectory, "full")
    facts = DOMAIN.facts(ledger, call("query", query={"limit": 5}), 2000)
    assert "query(query: {limit?: integer})" in DOMAIN.facts_text(facts)


def test_a_server_is_quoted_once_it_has_shown_how_it_words_a_breach():
    ledger = opened(tool("save_note", "", title="string", body="string"))
    breach = call("save_note", title="a")
    shown = "Input validation error: 'body' is a required property"
    assert rejected(ledger, breach) != shown
    ledger = after(ledger, (breach, shown))
    assert rejected(ledger, call("save_note", body="b")) == (
        "Input validation error: 'title' is a required property"
    )


def test_a_wording_that_names_its_tool_or_field_is_not_said_of_others():
    ledger = opened(READ_FILE, tool("save_note", "", title="string"))
    action = call("read_file", path=3)
    ledger = after(ledger, (action, rejected(ledger, action)))
    answer = rejected(ledger, call("save_note", title=3))
    assert "save_note" in answer and "title: " in answer and "read_file" not in answer


def test_behind_a_gateway_only_what_a_server_has_shown_is_certain():
    gateway = tool("execute-tool", "", server_name="string", tool_name="string", params="object")
    inner = {**tool("count", "", text="string"), "server_name": "words"}
    ledger = opened(gateway, inner)
    assert set(ledger.memo.box.offered) == {"execute-tool"}
    assert rejected(ledger, call("count", text="a")) == "MCP error -32602: Unknown tool: count"

    def reach(**params):
        return call("execute-tool", server_name="words", tool_name="count", params=params)

    assert DOMAIN.protocol(ledger, reach(text=3)) is None
    ledger = after(ledger, (reach(), "Input validation error: 'text' is a required property"))
    assert rejected(ledger, reach(text=3)) == "Input validation error: 3 is not of type 'string'"
    assert DOMAIN.protocol(ledger, reach(text="a")) is None


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.test/schema.json"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#"},
        {"properties": {"a": {"pattern": "(a+)+$"}}},
        {"properties": {"a": {"pattern": "(" * 50}}},
        {"properties": {"a": {"type": "nonsense"}}},
        {"properties": 3},
        {"$schema": {}, "required": "a"},
    ],
)
def test_a_schema_that_cannot_be_trusted_gives_no_verdict(schema):
    verdict = check({"type": "object", **schema}, {"a": "a" * 40 + "!"})
    assert verdict.message is None and verdict.unchecked


def test_nothing_outside_a_schema_is_ever_fetched(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    monkeypatch.setattr("socket.socket.connect", refuse)
    assert check({"$ref": "http://127.0.0.1:9/x.json"}, {}).unchecked


def bomb(depth: int) -> dict:
    inner = {f"a{i}": {"allOf": [{"$ref": f"#/$defs/a{i + 1}"}] * 2} for i in range(depth)}
    return {"$defs": {**inner, f"a{depth}": {"type": "integer"}}, "$ref": "#/$defs/a0"}


@pytest.mark.parametrize(
    "schema",
    [
        bomb(60),
        {"properties": {"a": {"enum": [f"value {i}" for i in range(80_000)]}}},
        {"properties": {f"p{i}": {"type": "string"} for i in range(20_000)}},
        {"properties": {"a": {"pattern": "a?" * 200 + "a" * 200}}},
    ],
    ids=["references", "enum of 1 MB", "properties", "pattern"],
)
def test_hostile_schemas_take_bounded_time(schema):
    start = time.process_time()
    check(schema, {"a": "a" * 200})
    shape(schema)
    assert time.process_time() - start < 3


def test_a_deep_value_is_no_crash():
    text = '{"name": "x", "arguments": {"a": ' + "[" * 5000 + "]" * 5000 + "}}"
    with pytest.raises(ActionError):
        parse_call(text)


@pytest.mark.parametrize(
    ("entry", "name", "field"),
    [
        ({"name": "a", "inputSchema": {"properties": {"x": {}}}}, "a", "x"),
        ({"function": {"name": "b", "parameters": {"properties": {"y": {}}}}}, "b", "y"),
        ({"name": "c", "parameters": {"properties": {"z": {}}}, "strict": True}, "c", "z"),
    ],
)
def test_each_recorded_shape_of_a_tool_list_is_read(entry, name, field):
    box = toolbox([entry])
    assert list(box.offered) == [name] and list(box.offered[name].properties) == [field]


@pytest.mark.parametrize(
    "odd", [None, 3, [], {"name": 3}, {"function": {}}, {"name": float("nan")}]
)
def test_odd_tools_are_reported_never_raised(odd):
    box = toolbox([READ_FILE, odd])
    assert list(box.offered) == ["read_file"] and len(box.odd) == 1
