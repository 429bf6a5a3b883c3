"""What is known in sessions collected from real servers: only what they have shown themselves."""

import pytest

from tests.mcp_rows import call
from worldline.domains.mcp import DOMAIN
from worldline.domains.mcp.kinds import kind
from worldline.domains.mcp.tools import Target, Tool
from worldline.trajectory import Source, Trajectory, Turn

DRAFT = "http://json-schema.org/draft-07/schema#"


def made(name, title=None, /, draft=False, **properties):
    schema = {"type": "object", "required": list(properties)}
    schema["properties"] = {key: {"type": kind} for key, kind in properties.items()}
    schema |= {"title": title} if title else {}
    schema |= {"$schema": DRAFT} if draft else {}
    return {"name": name, "inputSchema": schema}


def collected(*tools):
    session = Trajectory(
        id="a", domain="mcp", dialect="json", tools=tools, source=Source(kind="collected")
    )
    return DOMAIN.open(session)


def after(ledger, action, observation):
    return DOMAIN.track(ledger, Turn(action=action, observation=observation), "real")


def known(ledger, action):
    found = DOMAIN.protocol(ledger, action) or DOMAIN.known(ledger, action)
    return None if found is None else found.observation


def test_before_a_server_has_spoken_only_the_harness_is_known():
    ledger = collected(made("save", text="string"))
    assert known(ledger, call("nowhere")) is None
    assert known(ledger, call("save")) is None
    assert known(ledger, "no call") == "MCP error -32700: Parse error: the action is not JSON"


def test_an_unknown_tool_is_refused_as_the_one_before():
    ledger = collected(made("save", text="string"))
    ledger = after(ledger, call("nowhere", a=1), "MCP error -32602: Tool nowhere not found")
    assert known(ledger, call("anywhere", b=2)) == "MCP error -32602: Tool anywhere not found"
    assert known(ledger, call("anywhere")) is None  # without arguments it may be another text


def test_one_refusal_in_a_shared_style_teaches_the_others():
    ledger = collected(
        made("save", draft=True, path="string", lines="array"),
        made("drop", draft=True, name="string"),
    )
    start = "MCP error -32602: Input validation error: Invalid arguments for tool"
    shown = f"{start} drop: Invalid input: expected string, received undefined at name"
    ledger = after(ledger, call("drop"), shown)
    assert known(ledger, call("save", path=3)) == (
        f"{start} save: Invalid input: expected string, received number at path\n"
        "Invalid input: expected array, received undefined at lines"
    )


def test_pydantics_refusals_quote_the_value_as_it_prints_it():
    ledger = collected(
        made("save", "saveArguments", path="string", count="integer"),
        made("drop", "dropArguments", name="string"),
    )
    end = "For further information visit https://errors.pydantic.dev/2.14/v"
    shown = (
        "Error executing tool drop: 1 validation error for dropArguments\nname\n"
        f"  Field required [type=missing, input_value={{}}, input_type=dict]\n    {end}/missing"
    )
    ledger = after(ledger, call("drop"), shown)
    assert known(ledger, call("save", path=["a"], count=1)) == (
        "Error executing tool save: 1 validation error for saveArguments\npath\n"
        "  Input should be a valid string [type=string_type, input_value=['a'], input_type=list]\n"
        f"    {end}/string_type"
    )
    long = call("save", path="x" * 60)
    assert f"input_value={{'path': '{'x' * 15}...{'x' * 22}'}}" in str(known(ledger, long))
    assert known(ledger, call("save", path="a", count="7")) is None  # some servers convert it


def test_the_tools_of_another_server_are_not_spoken_for():
    ledger = collected(made("save", draft=True, path="string"), made("ask", query="string"))
    shown = (
        "MCP error -32602: Input validation error: Invalid arguments for tool save: "
        "Invalid input: expected string, received undefined at path"
    )
    ledger = after(ledger, call("save"), shown)
    assert known(ledger, call("ask")) is None


def test_a_wording_that_changes_is_no_longer_known():
    ledger = collected(made("one", a="string"), made("two", b="string"), made("three", c="string"))
    ledger = after(ledger, call("one"), "Error: one needs a")
    assert known(ledger, call("two")) == "Error: two needs b"
    ledger = after(ledger, call("two"), "Error: give b")
    assert known(ledger, call("three")) is None


def test_a_refusal_that_quotes_more_of_the_call_teaches_nothing():
    ledger = collected(made("one", a="string", n="integer"), made("two", b="string", n="integer"))
    ledger = after(ledger, call("one", n=4711), "Error: a is missing in {'n': 4711}")
    assert known(ledger, call("two", n=12)) is None


@pytest.mark.parametrize(
    ("name", "effect"),
    [("git_diff", "read"), ("open_book", "write"), ("sequentialthinking", "write")],
)
def test_a_tool_that_only_claims_to_read_may_count_its_calls(name, effect):
    tool = Tool(name=name, annotations={"readOnlyHint": True, "openWorldHint": False})
    assert kind(Target(name, {}, None, tool)).effect == effect


def test_a_read_that_moves_on_its_own_is_known_no_more():
    tool = {**made("get_count"), "annotations": {"readOnlyHint": True}}
    ledger = collected(tool)
    action = call("get_count")
    ledger = after(ledger, action, "1")
    assert known(ledger, action) == "1"
    ledger = after(ledger, action, "2")
    assert known(ledger, action) is None
    assert known(after(ledger, action, "3"), action) is None


@pytest.mark.parametrize(
    ("description", "query", "effect"),
    [
        ("Execute a query on the DuckDB database", "SELECT * FROM a WHERE day > '2024'", "read"),
        ("Execute a query on the DuckDB database", "SELECT now()", "process"),
        ("Execute a query on the DuckDB database", "SELECT 1; DROP TABLE a", "process"),
        ("Execute a query on the DuckDB database", "WITH x AS (DELETE FROM a) SELECT 1", "process"),
        ("Execute a query on the DuckDB database", "INSERT INTO a VALUES (1)", "write"),
        ("Ask the web", "show me the newest phones", "process"),
    ],
)
def test_one_sql_statement_says_what_it_does(description, query, effect):
    tool = Tool(name="query", description=description)
    assert kind(Target("query", {"query": query}, None, tool)).effect == effect


def test_an_answer_with_the_time_of_day_is_not_repeated():
    tool = {**made("get_note"), "annotations": {"readOnlyHint": True}}
    ledger = after(collected(tool), call("get_note"), "Note 7, made at 10:17:43 PM")
    assert known(ledger, call("get_note")) is None
