"""What a session settles is answered without a model; what it does not settle never is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_rows import after, call, opened, tool

from worldline.domains.mcp import DOMAIN, arithmetic
from worldline.domains.mcp.kinds import kind, repeatable
from worldline.domains.mcp.tools import Target, Tool

GET = tool("get_order", "Get an order.", order_id="string")
UPDATE = tool("update_order", "Change an order.", order_id="string", note="string")
WRITE = tool("write_file", "Create or overwrite a file.", path="string", content="string")
READ = tool("read_file", "Read the complete contents of a file.", path="string")
SUM = tool("calculate", "Calculate an expression.", expression="string")
RUN = tool("run_command", "Run a command.", command="string")
ORDER = json.dumps({"order_id": "A1", "note": "fragile", "total": 12.5})


def known(ledger, action):
    found = DOMAIN.known(ledger, action)
    return None if found is None else found.observation


def test_a_read_that_nothing_has_touched_since_answers_the_same():
    ledger = after(opened(GET, UPDATE), (call("get_order", order_id="A1"), ORDER))
    found = DOMAIN.known(ledger, json.dumps({"arguments": {"order_id": "A1"}, "name": "get_order"}))
    assert found.observation == ORDER and found.rule == "mcp.repeated_read"
    assert not found.consistent_only and found.because[0] in ledger.facts
    assert known(ledger, call("get_order", order_id="B2")) is None


@pytest.mark.parametrize(
    ("action", "observation"),
    [
        (call("update_order", order_id="B2", note="x"), '{"ok": true}'),
        (call("update_order", order_id="B2", note="x"), "Error: the request timed out"),
        (call("run_command", command="ls"), "a.txt"),
        (call("run_command", command="rm a"), "Error: no such file"),
        (call("mystery", a=1), "done"),
    ],
)
def test_after_anything_that_may_have_changed_the_world_a_read_is_open_again(action, observation):
    tools = (GET, UPDATE, RUN, tool("mystery", "", a="integer"))
    ledger = after(opened(*tools), (call("get_order", order_id="A1"), ORDER), (action, observation))
    assert known(ledger, call("get_order", order_id="A1")) is None
    facts = DOMAIN.facts(ledger, call("get_order", order_id="A1"), 2000)
    assert "may have changed" in DOMAIN.facts_text(facts)


def test_once_something_may_run_by_itself_no_read_is_certain_any_more():
    turns = [
        (call("run_command", command="sleep 9 &"), ""),
        (call("get_order", order_id="A1"), "{}"),
    ]
    ledger = after(opened(GET, RUN), *turns)
    assert known(ledger, call("get_order", order_id="A1")) is None


def test_other_reads_and_refused_calls_touch_nothing():
    refused = call("update_order", order_id="ZZ", note="x")
    ledger = after(
        opened(GET, UPDATE),
        (call("get_order", order_id="A1"), ORDER),
        (call("get_order", order_id="B2"), "Error: order B2 not found"),
        (refused, "Error: order ZZ not found"),
    )
    assert known(ledger, call("get_order", order_id="A1")) == ORDER
    assert known(ledger, call("get_order", order_id="B2")) == "Error: order B2 not found"
    found = DOMAIN.known(ledger, refused)
    assert found.observation == "Error: order ZZ not found" and found.rule == "mcp.repeated_error"


@pytest.mark.parametrize(
    "text", ["Tool call timed out.", "Error: 503 try again", "Error: connection refused", "Error"]
)
def test_a_failure_that_may_pass_is_not_repeated(text):
    ledger = after(opened(GET), (call("get_order", order_id="A1"), text))
    assert known(ledger, call("get_order", order_id="A1")) is None


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_current_time", ""),
        ("get_weather", ""),
        ("list_unread_messages", ""),
        ("get_random_fact", ""),
        ("get_rates", "Live exchange rates."),
        ("get_page", "Returns the page at a URL."),
        ("search_web", ""),
        ("ask_expert", ""),
        ("toggle_read", ""),
        ("mark_read", ""),
        ("get_or_create_user", ""),
        ("get_and_order", ""),
        ("route", ""),
    ],
)
def test_a_tool_whose_answer_may_move_on_is_never_repeated(name, description):
    ledger = after(opened(tool(name, description, a="string")), (call(name, a="x"), "answer"))
    assert known(ledger, call(name, a="x")) is None


def test_an_address_or_the_present_as_an_argument_is_outside_the_session():
    for value in ("https://example.test", " today "):
        assert not repeatable(Target("get_item", {"a": [value]}))
    assert repeatable(Target("get_item", {"a": "b"}))


def test_annotations_decide_over_names():
    def of(name, **hints):
        return kind(Target(name, {}, None, Tool(name=name, annotations=hints)))

    assert of("frobnicate").effect == "process"
    assert of("git_diff", readOnlyHint=True).effect == "read"
    assert of("frobnicate", readOnlyHint=True).effect == "write"  # it may count its calls
    assert of("get_item", readOnlyHint=False).effect == "write"
    assert of("get_item", openWorldHint=True).volatile


def test_what_only_a_model_said_is_consistent_not_true():
    turn = (call("get_order", order_id="A1"), ORDER)
    found = DOMAIN.known(after(opened(GET), turn, origin="model"), turn[0])
    assert found.observation == ORDER and found.consistent_only


def test_a_written_file_reads_back_as_written():
    text = "it's\n{not json}\n"
    ledger = after(
        opened(WRITE, READ),
        (call("write_file", path="/n.txt", content=text), "Wrote /n.txt"),
    )
    found = DOMAIN.known(ledger, call("read_file", path="/n.txt"))
    assert found.observation == text and found.rule == "mcp.file_read_back"
    assert known(ledger, call("read_file", path="/other.txt")) is None
    other = (call("write_file", path="/other.txt", content="x"), "Error: permission denied")
    assert known(after(ledger, other), call("read_file", path="/n.txt")) is None


@pytest.mark.parametrize(
    "reader",
    [
        tool("read_file", "Read a file with line numbers.", path="string"),
        tool("read_file", "Contents of a file, by page.", path="string", offset="integer"),
    ],
)
def test_a_reader_that_may_decorate_is_left_to_the_model(reader):
    ledger = after(opened(WRITE, reader), (call("write_file", path="/n", content="x"), "ok"))
    assert known(ledger, call("read_file", path="/n")) is None


def test_a_file_written_through_a_wrapped_result_reads_back_in_the_same_wrapping():
    def wrapped(text):
        return (
            f"meta=None content=[TextContent(type='text', text={text!r}, annotations=None)] "
            "isError=False"
        )

    turn = (call("write_file", path="/n", content="it's"), wrapped("Wrote /n"))
    ledger = after(opened(WRITE, READ, dialect="call-tool-result"), turn)
    assert known(ledger, call("read_file", path="/n")) == wrapped("it's")


def test_a_write_that_returns_the_whole_record_settles_the_next_read():
    new = json.dumps({"order_id": "A1", "note": "x", "total": 12.5})
    ledger = after(
        opened(GET, UPDATE),
        (
            call("get_order", order_id="B2"),
            json.dumps({"order_id": "B2", "note": "", "total": 1.0}),
        ),
        (call("update_order", order_id="A1", note="x"), new),
    )
    found = DOMAIN.known(ledger, call("get_order", order_id="A1"))
    assert found.observation == new and found.rule == "mcp.record_read_back"
    partial = json.dumps({"order_id": "A1", "note": "x"})
    ledger = after(ledger, (call("update_order", order_id="A1", note="x"), partial))
    assert known(ledger, call("get_order", order_id="A1")) is None


@pytest.mark.parametrize(("shown", "answer"), [("5.0", "12.0"), ("5", "12")])
def test_a_calculator_is_computed_once_it_has_shown_how_it_prints(shown, answer):
    ledger = opened(SUM)
    assert known(ledger, call("calculate", expression="3 * 4")) is None
    ledger = after(ledger, (call("calculate", expression="2 + 3"), shown))
    assert known(ledger, call("calculate", expression="(1 + 2) * 4")) == answer
    assert known(ledger, call("calculate", expression="1 / 3")) is None
    assert known(ledger, call("calculate", expression="__import__('os')")) is None


@pytest.mark.parametrize(
    ("seen", "shown", "asked", "answer"),
    [
        ("2 + 3", "5", "6 / 2", None),
        ("6 / 2", "3.0", "2 + 3", None),
        ("2 + 3", "5.0", "6 / 2", "3.0"),
        ("6 / 2", "3", "2 + 3", "5"),
        ("2 + 3", "5", "40 * 50", None),
        ("30 * 40", "1200", "40 * 50", "2000"),
        ("2 + 3", "about 5", "2 + 2", None),
    ],
)
def test_what_a_calculator_has_shown_carries_only_so_far(seen, shown, asked, answer):
    ledger = after(opened(SUM), (call("calculate", expression=seen), shown))
    assert known(ledger, call("calculate", expression=asked)) == answer


@pytest.mark.parametrize(
    "text", ['{"id": 1, "request_id": "x"}', '{"url": "https://a?X-Amz-Date=1"}', "took 3 ms"]
)
def test_a_result_that_carries_something_new_each_time_is_not_repeated(text):
    ledger = after(opened(GET), (call("get_order", order_id="A1"), text))
    assert known(ledger, call("get_order", order_id="A1")) is None


NUMBERS = st.integers(0, 999).map(str) | st.sampled_from(["0.5", "1.25", "0.1"])
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(" ".join)
        | inner.map(lambda text: f"({text})")
        | inner.map(lambda text: f"-{text}")
    ),
    max_leaves=8,
)


@given(EXPRESSIONS)
def test_arithmetic_agrees_with_python_wherever_it_answers(expression):
    value = arithmetic.value(expression)
    if value is not None:
        assert eval(expression) == value  # our own generated text


@pytest.mark.parametrize("text", ["2 ** 9", "9" * 30, "(" * 99, "1 +", "a", "", "1 2", "1//2"])
def test_arithmetic_leaves_everything_else_alone(text):
    assert arithmetic.value(text) is None


def test_tracking_keeps_the_ledger_bounded():
    ledger = opened(GET)
    for number in range(600):
        action = call("get_order", order_id=f"A{number}")
        ledger = after(ledger, (action, json.dumps({"order_id": f"A{number}", "n": number})))
    assert len(ledger.facts) <= 400
    assert known(ledger, call("get_order", order_id="A599")) is not None


@given(st.text(max_size=40), st.text(max_size=80))
def test_no_action_and_no_observation_breaks_the_ledger(action, observation):
    ledger = after(
        opened(GET), (action, observation), (call("get_order", order_id="A"), observation)
    )
    assert ledger.turn == 2
    DOMAIN.checks(ledger, action, observation)
    DOMAIN.facts(ledger, action, 500)
