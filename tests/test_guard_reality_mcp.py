"""What real servers, browsers and engines say draws no error of the guard, however odd it is.

Each case is a session as it can be recorded in the wild: of an unknown source, where others write
too, servers convert their arguments and pages do as they like.
"""

import json
from typing import Any

import pytest

from worldline.trajectory import Source, Trajectory, Turn
from worldline.verify.measure import Moment
from worldline.verify.moments import moments


def call(name: str, /, **arguments: Any) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def last(domain: str, dialect: str, *turns: tuple[str, str], kind: str = "unknown", tools=None):
    made = Trajectory(
        id="t",
        domain=domain,
        dialect=dialect,
        tools=tools,
        turns=tuple(Turn(action=a, observation=o) for a, o in turns),
        source=Source(kind=kind),
    )
    *_, found = moments(made)
    return found


def errors(now: Moment, text: str | None = None) -> list[str]:
    found = now.domain.checks(now.ledger, now.action, now.truth if text is None else text)
    return [one.rule for one in found if one.severity == "error"]


SEARCH = {
    "name": "search",
    "inputSchema": {
        "type": "object",
        "properties": {
            "limit": {"type": "integer"},
            "tags": {"type": "array"},
            "since": {"type": "string"},
            "mode": {"enum": ["a", "b"]},
        },
        "additionalProperties": False,
    },
}
CREATE = (call("create_table", query="CREATE TABLE t (id INTEGER)"), "Table created successfully")
TABLES = call("list_tables")
WRITTEN = (call("write_file", path="/srv/.env", content="x"), "Written.")
ORDER = call("get_order", order_id="W1")


def twice(action: str, first: str, then: str) -> list[tuple[str, str]]:
    return [(action, first), (action, then)]


MCP = {
    "count of all, errors beside": [(call("run_tests"), '{"count": 12, "errors": []}')],
    "all passed": [(call("run_tests"), '{"total": 3, "passed": 3, "failures": []}')],
    "counts of another thing": [(call("get_repo"), '{"total_stars": 9, "topics": []}')],
    "a part, says the answer": [(call("search"), '{"total": 9, "results": [], "next_token": "a"}')],
    "numbered": [(call("search"), "Found 2 results:\n1. A\n   desc\n2. B\n   desc")],
    "a table": [(call("search"), "Found 2 results:\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |")],
    "the first two": [(call("search"), "Found 30 documents:\n- a\n- b\n(showing first 2)")],
    "the best alone": [(call("search"), "Found 30 documents:\n- a\n- b")],
    "an item with a list": [(call("search"), "Found 1 documents:\n- a\n  - of b\n  - of c")],
    "an order moves": twice(ORDER, '{"status": "shipped"}', '{"status": "delivered"}'),
    "a sensor": twice(call("read_sensor", id="s1"), '{"value": 20.5}', '{"value": 20.7}'),
    "a balance": twice(call("get_balance", account_id="a1"), '{"sum": 5}', '{"sum": 4}'),
    "mail comes": twice(call("list_emails"), '["a"]', '["b", "a"]'),
    "a search": twice(call("search", tags=["x"]), '{"hits": [1]}', '{"hits": [2, 1]}'),
    "a file grows": twice(call("read_file", path="/var/log/a"), "one", "one\ntwo"),
    "missing, then there": twice(call("get_job", job_id="j1"), "Error: not found", '{"id": "j1"}'),
    "unread, then read": [
        (call("list_messages"), '[{"id": "mail-1", "unread": true, "from": "Ana"}]'),
        (call("read_message", message_id="mail-1"), "Hello"),
        (call("list_messages"), '[{"id": "mail-1", "unread": false, "from": "Ana"}]'),
    ],
    "an alias": [(call("get_user", id="me"), '{"id": "u42"}')],
    "a key and a number": [(call("get_issue", id="PROJ-1"), '{"id": "10001", "key": "PROJ-1"}')],
    "a slug": [(call("get_repo", id="octo/tar1"), '{"id": "129626"}')],
    "a short hash": [(call("get_commit", id="a1b2c3"), '{"id": "a1b2c3d4e5f6"}')],
    "zeros": [(call("get_item", id="007"), '{"id": 7}')],
    "a city's other name": [
        (call("get_place", city="Ghent"), '{"city": "Ghent"}'),
        (call("get_place", city="Paris"), '{"city": "Paris"}'),
        (call("get_place", city="NYC"), '{"city": "New York"}'),
    ],
    "a slug of what was made": [
        (call("create_note", title="Otter pier"), "Note Otter pier is ready"),
        (call("create_note", title="Quay walk"), "Note quay-walk is ready"),
    ],
    "trimmed and small": [
        (
            call("create_users", users=[{"mail": "Ana@A.example ", "age": 3}]),
            '[{"mail": "ana@a.example", "age": 3}]',
        )
    ],
    "dropped": [
        CREATE,
        (TABLES, "[{'name': 't'}]"),
        (call("write_query", query="DROP TABLE t"), "[{'affected_rows': -1}]"),
        (TABLES, "[]"),
    ],
    "dropped by a tool": [CREATE, (call("drop_table", name="t"), "done"), (TABLES, "[]")],
    "dropped by another": [(TABLES, "[{'name': 't'}]"), (TABLES, "[]")],
    "other words for tables": [CREATE, (TABLES, "[{'table_name': 't'}]")],
    "names alone": [CREATE, (TABLES, '["t"]')],
    "with a schema": [CREATE, (TABLES, "[{'name': 'public.t'}]")],
    "the driver cannot tell": [
        CREATE,
        (call("write_query", query="INSERT INTO t (id) VALUES (1)"), "[{'affected_rows': -1}]"),
    ],
    "another writes the row": [
        (call("read_query", query="SELECT id, hue FROM k"), "[{'id': 1, 'hue': 'red'}]"),
        (call("read_query", query="SELECT hue, id FROM k"), "[{'id': 1, 'hue': 'blue'}]"),
    ],
    "an id again": [
        (call("create_table", query="CREATE TABLE k (id INTEGER, hue TEXT)"), "ok"),
        (call("write_query", query="DELETE FROM k WHERE id = 2"), "[{'affected_rows': 1}]"),
        (call("write_query", query="INSERT INTO k (hue) VALUES ('a')"), "[{'affected_rows': 1}]"),
        (call("read_query", query="SELECT id, hue FROM k"), "[{'id': 2, 'hue': 'a'}]"),
    ],
    "a number as text": [(call("search", limit="5"), "[]")],
    "an array as text": [(call("search", tags='["a"]'), "[]")],
    "null for an optional": [(call("search", limit=None, since=None), "[]")],
    "a number for a text": [(call("search", since=2031), "[]")],
    "what it does not know": [(call("search", colour="red", mode="c"), "[]")],
    "hidden files": [WRITTEN, (call("list_directory", path="/srv"), "[FILE] a.txt")],
    "its own folder": [
        (call("write_file", path="a.txt", content="x"), "Written."),
        (call("list_directory", path="/"), "[DIR] srv"),
    ],
    "sizes": [
        (call("write_file", path="/srv/a.txt", content="x"), "Written."),
        (call("list_directory", path="/srv"), "- a.txt (1 byte)"),
    ],
    "shown among the deleted": [
        (call("delete_things", names=["Otter pier"]), "Deleted."),
        (call("list_things"), '[{"name": "Otter pier", "state": "deleted"}]'),
    ],
}


@pytest.mark.parametrize("case", MCP)
def test_what_a_live_server_says_is_no_error(case):
    named = {json.loads(action)["name"] for action, _ in MCP[case]} - {"search"}
    tools = (SEARCH, *({"name": name, "inputSchema": {"type": "object"}} for name in sorted(named)))
    for offered in (tools, None):
        for kind in ("unknown", "recorded", "benchmark"):
            assert errors(last("mcp", "json", *MCP[case], kind=kind, tools=offered)) == []


def test_what_no_server_can_take_is_an_error_everywhere():
    for arguments in ({"limit": "many"}, {"limit": ["a"]}):
        now = last("mcp", "json", (call("search", **arguments), "[]"), tools=(SEARCH,))
        assert errors(now) == ["succeeds_against_protocol"]


def test_where_nobody_else_writes_a_read_is_repeated():
    for kind, found in (("collected", ["contradicts_session"]), ("recorded", [])):
        assert errors(last("mcp", "json", *MCP["an order moves"], kind=kind)) == found


PAGE = (
    "Open tabs:\n- Tab 0 (active)\n  - Title: Berths\n  - URL: http://harbour.example/\n\n"
    "Accessibility tree:\nRootWebArea 'Berths', url='http://harbour.example/'\n"
)


def field(value: str, more: str = "") -> str:
    return f"{PAGE}\t[4] textbox 'Line' value={value!r}\n\t[9] button 'Order'\n{more}"


HIT = "[1] https://a.example/x\nTitle: X\nSnippet: one\nDate: May 7, 2020"
OTHER = "[1] https://b.example/y\nTitle: Y\nSnippet: two\nDate: May 8, 2020"
FIND = call("web_search", query="rye")
FIND_JSON = call("web_search", search_query="rye", number_of_results=2)
LIVE = {
    "clamped": ("web", "browsergym", ("noop()", field("1")), ("fill('4', '101')", field("100"))),
    "completed": (
        "web",
        "browsergym",
        ("noop()", field("1")),
        ("fill('4', 'usa')", field("United States")),
    ),
    "a date": (
        "web",
        "browsergym",
        ("noop()", field("1")),
        ("fill('4', 'today')", field("2031-05-02")),
    ),
    "refused": ("web", "browsergym", ("noop()", field("1")), ("fill('4', 'x')", field("1"))),
    "completed later": (
        "web",
        "browsergym",
        ("fill('4', 'usa')", field("usa")),
        ("noop()", field("United States")),
    ),
    "completed while scrolling": (
        "web",
        "browsergym",
        ("fill('4', 'usa')", field("usa")),
        ("scroll(0, 200)", field("United States")),
    ),
    "completed after all": (
        "web",
        "browsergym",
        ("fill('4', 'usa')", field("usa")),
        ("hover('9')", field("usa")),
        ("noop(5000)", field("United States")),
    ),
    "a new order": ("search", "awb", (FIND, f"{HIT}\n\n{OTHER}"), (FIND, OTHER)),
    "a new title": ("search", "awb", (FIND, HIT), (FIND, HIT.replace("Title: X", "Title: Z"))),
    "no date": ("search", "awb", (FIND, HIT.partition("\nDate")[0])),
    "no date in json": (
        "search",
        "json",
        (FIND_JSON, json.dumps({"results": '[{"url": "a", "date": "b"}, {"url": "c"}]'})),
    ),
    "notes from before": (
        "search",
        "awb",
        (call("dict_memory", operation="retrieve_all"), '{"rooms": "nine"}'),
    ),
    "a page is open": ("search", "react", ("Lookup[rye]", "(Result 1 / 1) Rye is a grass.")),
    "a step of theirs": ("search", "react", ("Think[rye]", "OK.")),
}


@pytest.mark.parametrize("case", LIVE)
def test_what_pages_and_engines_do_is_no_error(case):
    domain, dialect, *turns = LIVE[case]
    assert errors(last(domain, dialect, *turns)) == []


def test_where_nobody_has_looked_yet_the_world_stands_still():
    """A session simulated here is guarded as one of ours, though nothing names its source."""
    opened = Trajectory(id="t", domain="search", dialect="awb")
    now = last("search", "awb", (FIND, HIT), (FIND, OTHER))
    ledger = now.domain.open(opened)
    ledger = now.domain.track(ledger, Turn(action=FIND, observation=HIT), "real")
    found = now.domain.checks(ledger, FIND, OTHER)
    assert "error" in {one.severity for one in found}
