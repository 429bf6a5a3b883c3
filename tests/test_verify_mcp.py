"""What users of the mcp measures are promised: truth is 1.00, lies are named, nothing raises."""

import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.mcp_rows import READ_FILE, after, call, opened, session, tool
from worldline.domains.mcp import DOMAIN, exact
from worldline.trajectory import Turn
from worldline.verify.compare import DIMENSIONS
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import score
from worldline.verify.moments import moments

BOOKING = {"booking_id": "B7Q2", "boat": "Sula", "seats": 2, "made_at": "2031-05-02 09:10:11"}
LIST = {"query": "sail", "hits": [{"id": "k1", "sum": 4}, {"id": "k2", "sum": 6}], "total": 2}
ROWS = "[{'id': 1, 'hue': 'teal'}, {'id': 2, 'hue': 'umber'}]"
GET = tool("get_booking", "", booking_id="string")
FIND = tool("find_kites", "", query="string")
SQL = tool("read_query", "Runs SQL.", query="string")
WRITE_SQL = tool("write_query", "Runs SQL.", query="string")
MAKE = tool("create_table", "Runs SQL.", query="string")
SHELL = tool("run_command", "Runs one command in /home/user.", command="string")


def wrapped(text, error=False, more=""):
    block = f"TextContent(type='text', text={text!r}, annotations=None)"
    return f"meta=None content=[{block}] {more}isError={error}"


def moment(observation, *, action=None, before=(), tools=(GET, FIND, SQL), dialect="json"):
    turns = [Turn(action=a, observation=o) for a, o in before]
    last = Turn(action=action or call("get_booking", booking_id="B7Q2"), observation=observation)
    made = msgspec.structs.replace(session(*tools, dialect=dialect), turns=(*turns, last))
    *_, found = moments(made)
    return found


TRUTHS = {
    "object": ("json", json.dumps(BOOKING)),
    "indented": ("json", json.dumps(LIST, indent=2)),
    "rows": ("json", ROWS),
    "lines": ("json", "one kite\ntwo kites\nthree\n"),
    "wrapped": ("call-tool-result", wrapped(json.dumps(BOOKING))),
    "wrapped rows": ("call-tool-result", wrapped(ROWS)),
    "nested": (
        "call-tool-result",
        wrapped(json.dumps({"content": [{"type": "text", "text": "ok"}], "isError": False})),
    ),
    "cut": ("call-tool-result", "meta=None content=[TextContent(type='text', text='a long t"),
}


def broken(name, truth):
    dialect, text = TRUTHS[truth]
    now = moment(text, dialect=dialect)
    (one,) = (c for c in corruptions("mcp") if c.name == name)
    wrong = one.make(now, Random(1), 0.0)
    assert wrong is not None and wrong != text
    return one.dimension, score(now, wrong).true


@pytest.mark.parametrize("name", TRUTHS)
def test_the_truth_scores_one_and_draws_no_error(name):
    dialect, text = TRUTHS[name]
    now = moment(text, dialect=dialect)
    assert score(now, text).true.score == 1
    assert [v for v in DOMAIN.checks(now.ledger, now.action, text) if v.severity == "error"] == []
    found = DOMAIN.parts(now.ledger, now.action, text)
    assert found
    for part in found:
        assert part.span is None or text[slice(*part.span)] == part.text


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("value_changed", "object"),
        ("type_changed", "object"),
        ("field_missing", "wrapped"),
        ("field_invented", "rows"),
        ("item_missing", "indented"),
        ("item_invented", "wrapped rows"),
        ("item_renamed", "rows"),
        ("text_invented", "lines"),
        ("success_flipped", "nested"),
        ("echo_changed", "object"),
        ("torn", "wrapped"),
        ("form_changed", "indented"),
        ("wrapping_changed", "wrapped"),
        ("self_praise", "lines"),
    ],
)
def test_a_corruption_costs_its_own_dimension_alone(name, truth):
    dimension, card = broken(name, truth)
    scores = {one: getattr(card, one) for one in DIMENSIONS}
    assert scores.pop(dimension) < 1
    assert min(scores.values()) >= 0.9


@pytest.mark.parametrize("one", variants("mcp"), ids=lambda one: one.name)
def test_what_nobody_can_know_or_see_costs_nothing(one):
    texts = [
        ("json", json.dumps({**BOOKING, "note": "für später", "took": "12 ms"})),
        ("json", "kite flown for 14 s at 2031-05-02 09:10\nhome again"),
    ]
    made = 0
    for dialect, text in texts:
        if one.name == "escaped":
            text = json.dumps(json.loads(text), ensure_ascii=False) if text[0] == "{" else text
        now = moment(text, dialect=dialect)
        other = one.make(now, Random(2))
        made += other is not None and other != text
        assert other is None or score(now, other).true.score == 1
    assert made


def test_an_id_asked_for_is_state_and_another_one_is_inconsistent():
    now = moment(json.dumps(BOOKING))
    card = score(now, json.dumps({**BOOKING, "booking_id": "Z9"})).true
    assert card.consistency == 0 and card.factuality == card.quality == card.format == 1


def test_status_is_what_the_answer_says():
    ledger = opened(GET)
    says = [DOMAIN.status(ledger, "", o) for o in ('{"error": "x"}', "fine", "a\nexit code: 3")]
    assert says == ["error", "ok", "error 3"]


def rules(ledger, action, observation):
    found = DOMAIN.checks(ledger, action, observation)
    for one in found:
        assert one.span is None or 0 <= one.span[0] <= one.span[1] <= len(observation)
    return {one.rule for one in found if one.severity == "error"}


TABLE = (call("create_table", query="CREATE TABLE kites (id INTEGER, hue TEXT)"), "Table created")
FILL = (
    call("write_query", query="INSERT INTO kites (id, hue) VALUES (1, 'teal'), (2, 'it''s')"),
    "[{'affected_rows': 2}]",
)
ALL = call("read_query", query="SELECT * FROM kites")
GRAPH = tool("create_things", "", things="array")
OPEN = tool("get_things", "", names="array")
DELETE = tool("delete_things", "", names="array")
READ = tool("read_things")
THING = {"name": "Otter pier", "kind": "place"}
ADD = tool("add_note", "", filename="string", text="string")
TEXT = tool("get_note_text", "", filename="string")
CREATE = tool("create_note", "", filename="string")
LS = tool("list_directory", "", path="string")
WRITE = tool("write_file", "", path="string", content="string")
COUNTED = call("find_kites", query="sail")
DONE = "\n\nCommand completed with return code: 0"
CASES = {
    "table_exists": ([TABLE], TABLE[0], "Table created", "Database error: it exists"),
    "table_lost": (
        [TABLE],
        call("list_tables"),
        "[{'name': 'boats'}]",
        "[{'name': 'kites'}, {'name': 'boats'}]",
    ),
    "rows_affected": ([TABLE], FILL[0], "[{'affected_rows': 3}]", FILL[1]),
    "row_changed": (
        [TABLE, FILL],
        ALL,
        "[{'id': 1, 'hue': 'red'}]",
        "[{'id': 1, 'hue': 'teal'}, {'id': 2, 'hue': \"it's\"}]",
    ),
    "row_gone": (
        [TABLE, FILL, (call("write_query", query="DELETE FROM kites WHERE id = 2"), "[{}]")],
        ALL,
        "[{'id': 2, 'hue': \"it's\"}]",
        "[{'id': 1, 'hue': 'teal'}]",
    ),
    "columns": (
        [TABLE],
        call("read_query", query="SELECT hue AS h FROM kites"),
        "[{'affected_rows': 1}]",
        "[{'h': 'teal'}]",
    ),
    "row_limit": (
        [],
        call("read_query", query="SELECT id FROM kites LIMIT 1"),
        "[{'id': 1}, {'id': 2}]",
        "[{'id': 1}]",
    ),
    "one_row": (
        [],
        call("read_query", query="SELECT COUNT(*) AS n FROM kites"),
        "[{'n': 1}, {'n': 2}]",
        "[{'n': 2}]",
    ),
    "other_row": (
        [],
        call("read_query", query="SELECT id FROM kites WHERE id = 4"),
        "[{'id': 5}]",
        "[{'id': 4}]",
    ),
    "other_entity": (
        [],
        call("get_booking", booking_id="B7Q2"),
        '{"booking_id": "K1"}',
        '{"booking_id": "b7q2"}',
    ),
    "not_asked": (
        [],
        call("get_things", names=["Otter pier"]),
        '{"things": [{"name": "Quay"}]}',
        '{"things": [{"name": "Otter pier"}]}',
    ),
    "not_given": (
        [],
        call("create_things", things=[THING]),
        json.dumps([{"name": "Quay", "kind": "place"}]),
        json.dumps([THING]),
    ),
    "deleted": (
        [(call("delete_things", names=["Otter pier"]), "Deleted.")],
        call("read_things"),
        json.dumps([THING]),
        json.dumps([{**THING, "name": "Quay"}]),
    ),
    "count": (
        [],
        COUNTED,
        '{"query": "sail", "hits": [], "total_count": 2}',
        '{"query": "sail", "hits": [{"id": 1}], "total_count": 1}',
    ),
    "added": (
        [
            (call("create_note", filename="pier.txt"), "Created."),
            (call("add_note", filename="pier.txt", text="Lamps at six."), "Added."),
        ],
        call("get_note_text", filename="pier.txt"),
        "Nothing here.",
        "The pier\nLamps at six.",
    ),
    "listing": (
        [(call("write_file", path="/root/a.md", content="x"), "Written.")],
        call("list_directory", path="/root"),
        "[DIR] maps",
        "[DIR] maps\n[FILE] a.md",
    ),
    "terminal.known": (
        [(call("run_command", command="cat a.txt"), f"b\na\n{DONE}")],
        call("run_command", command="sort a.txt"),
        f"b\na\n{DONE}",
        f"a\nb\n{DONE}",
    ),
    "succeeds_against_protocol": (
        [],
        call("get_bookings", booking_id="B7Q2"),
        '{"booking_id": "B7Q2"}',
        "Unknown tool: get_bookings",
    ),
}
TOOLS = (GET, FIND, SQL, WRITE_SQL, MAKE, tool("list_tables"), SHELL, GRAPH, OPEN, DELETE, READ)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_speaks_up_on_the_lie_and_not_on_the_truth(rule):
    before, action, lie, truth = CASES[rule]
    ledger = after(opened(*TOOLS, ADD, TEXT, CREATE, LS, WRITE, READ_FILE), *before)
    assert rule in rules(ledger, action, lie)
    assert rules(ledger, action, truth) == set()


def test_a_tool_that_has_repeated_its_argument_cannot_name_another_file():
    said = (call("create_note", filename="pier.txt"), "Note pier.txt is ready")
    ledger = after(opened(CREATE), said)
    action = call("create_note", filename="quay.txt")
    assert rules(ledger, action, "Note lamp.txt is ready") == {"other_entity"}
    assert rules(ledger, action, "Note quay.txt is ready") == set()
    assert rules(ledger, action, "Note /srv/quay.txt is ready") == set()


def test_the_wrapping_of_a_session_does_not_change():
    action = call("get_booking", booking_id="B7Q2")
    first = (call("get_booking", booking_id="K1"), wrapped('{"boat": "Alca"}'))
    ledger = after(opened(GET, dialect="call-tool-result"), first)
    good = wrapped('{"boat": "Sula"}')
    assert rules(ledger, action, good) == set()
    assert rules(ledger, action, good.replace(", annotations=None", "")) == {"wrapping"}
    assert rules(ledger, action, '{"boat": "Sula"}') == {"wrapping"}
    assert rules(ledger, action, good[:-3]) == {"torn_result"}
    assert rules(ledger, action, "Tool call timed out.") == set()


def test_a_tool_prints_its_data_in_one_way():
    seen = [(call("find_kites", query=q), json.dumps({"q": q, "n": 1})) for q in ("a", "b")]
    ledger, action = after(opened(FIND), *seen), call("find_kites", query="c")
    value = {"q": "c", "n": 2}
    assert rules(ledger, action, json.dumps(value)) == set()
    assert rules(ledger, action, json.dumps(value, indent=2)) == {"printed"}
    assert rules(after(opened(FIND), seen[0]), action, json.dumps(value, indent=2)) == set()


def test_an_object_with_an_id_stays_as_it_was_until_something_changes():
    seen = (call("find_kites", query="a"), json.dumps([{"id": "kite-1", "hue": "teal", "n": 1}]))
    ledger, action = (
        after(opened(FIND, WRITE, kind="collected"), seen),
        call("find_kites", query="b"),
    )
    other = json.dumps([{"id": "kite-1", "hue": "red", "n": 1}])
    assert rules(after(opened(FIND, WRITE, kind="recorded"), seen), action, other) == set()
    assert rules(ledger, action, other) == {"record_changed"}
    written = (call("write_file", path="a.md", content="x"), "Written.")
    assert rules(after(ledger, written), action, other) == set()


def test_the_mark_of_failure_does_not_contradict_what_is_said():
    first = (call("create_note", filename="pier.txt"), wrapped("Note pier.txt is ready"))
    ledger = after(opened(CREATE, SHELL, dialect="call-tool-result"), first)
    action = call("create_note", filename="quay.txt")
    assert rules(ledger, action, wrapped("Note quay.txt is ready", error=True)) == {"flag"}
    ended = wrapped("a\n\nCommand completed with return code: 0", error=True)
    assert "flag" in rules(ledger, call("run_command", command="ls"), ended)


def test_structured_content_is_what_the_text_says():
    ledger = opened(GET, dialect="call-tool-result")
    action, text = call("get_booking", booking_id="B7Q2"), '{"boat": "Sula"}'
    same, other = (f"structuredContent={ {'boat': name} } " for name in ("Sula", "Alca"))
    assert rules(ledger, action, wrapped(text, more=same)) == set()
    assert rules(ledger, action, wrapped(text, more=other)) == {"structured"}


def test_an_update_that_changed_nothing_is_doubtful():
    update = tool("update_booking", "", booking_id="string", seats="integer")
    seen = (call("get_booking", booking_id="B7Q2"), json.dumps(BOOKING))
    ledger = after(opened(GET, update), seen)
    action = call("update_booking", booking_id="B7Q2", seats=5)
    found = DOMAIN.checks(ledger, action, json.dumps(BOOKING))
    assert [(one.rule, one.severity) for one in found] == [("unchanged", "warning")]


SEEDS = [text for _, text in TRUTHS.values()] + [lie for _, _, lie, _ in CASES.values()]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(SEEDS),
    st.integers(0, 120),
    st.integers(0, 12),
    st.text(alphabet="{}[]'\":,\\n0aé\ud83d \n", max_size=8),
    st.sampled_from([case[1] for case in CASES.values()]),
    st.sampled_from(["json", "call-tool-result"]),
)
def test_whatever_comes_nothing_raises_and_spans_lie_in_the_text(
    seed, at, cut, more, action, dialect
):
    text = seed[:at] + more + seed[at + cut :]
    ledger = after(opened(*TOOLS, dialect=dialect), (action, seed))
    rules(after(ledger, (action, text)), action, text)
    for part in DOMAIN.parts(ledger, action, text) or ():
        assert part.span is None or text[slice(*part.span)] == part.text
    assert DOMAIN.status(ledger, action, text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=12,
    ),
    st.integers(1, 5),
    st.booleans(),
)
def test_json_is_laid_out_as_python_lays_it_out(value, indent, escaped):
    style = exact.Style(indent, ",", ": ", escaped)
    assert style.render([value]) == json.dumps([value], indent=indent, ensure_ascii=escaped)
