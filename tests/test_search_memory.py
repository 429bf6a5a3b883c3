"""Notes an agent keeps in `dict_memory`: every answer follows, none needs a model."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_rows import after, answered, call, memory, opened, rules, session

from worldline.domains.search import DOMAIN
from worldline.domains.search.memory import NOT_FOUND
from worldline.facts import fact
from worldline.trajectory import SystemPrompt, Trajectory

KEYS = st.sampled_from(["a", "b", "it's", "ü"])
PAIRS = st.dictionaries(KEYS, st.text(max_size=4) | st.integers(0, 9), min_size=1)
STEPS = st.one_of(
    st.tuples(st.sampled_from(["add", "update"]), PAIRS),
    st.tuples(st.sampled_from(["retrieve", "remove"]), st.lists(KEYS, min_size=1, unique=True)),
    st.tuples(st.sampled_from(["retrieve_all", "remove_all"]), st.none()),
)


def as_action(operation: str, given) -> str:
    name = {dict: "dict", list: "key_list"}.get(type(given))
    return memory(operation, **({name: given} if name else {}))


def play(ledger, action: str):
    """The memory's own answer, taken into the ledger as a world would."""
    found = DOMAIN.known(ledger, action)
    assert found is not None and found.rule.startswith("search.memory_"), action
    return found.observation, after(ledger, (action, found.observation), origin="action")


@given(st.lists(STEPS, max_size=12))
def test_every_operation_of_a_session_is_answered_as_a_dict_would(steps):
    ledger, model = opened("awb"), {}
    for operation, given_ in steps:
        shown, ledger = play(ledger, as_action(operation, given_))
        if operation in ("add", "update"):
            model.update(given_)
            verb = "added" if operation == "add" else "updated"
            assert shown.startswith(f"Successfully {verb} items of {list(given_)!r} ")
        elif operation == "retrieve":
            assert json.loads(shown) == {key: model.get(key, NOT_FOUND) for key in given_}
        elif operation == "retrieve_all":
            assert list(json.loads(shown).items()) == list(model.items())
        elif operation == "remove_all":
            model.clear()
            assert shown == "Successfully cleared all memory."
        elif all(key in model for key in given_):
            for key in given_:
                del model[key]
            assert shown == f"Successfully removed items of {given_!r} from memory."
        else:
            missing = [key for key in given_ if key not in model]
            assert shown == f"Key not found: {missing!r}"


@pytest.mark.parametrize(
    ("action", "says"),
    [
        (memory("forget"), "operation must be one of add, update, retrieve,"),
        (memory("add"), 'add needs "dict"'),
        (memory("add", dict={}), 'add needs "dict"'),
        (memory("add", dict=["a"]), 'add needs "dict"'),
        (memory("retrieve", key_list=[]), 'retrieve needs "key_list"'),
        (memory("remove", key_list=[1]), 'remove needs "key_list"'),
        ('{"name": "dict_memory", "arguments": {}}', "operation must be one of"),
    ],
)
def test_a_request_that_does_not_fit_is_refused_and_changes_nothing(action, says):
    ledger = after(opened("awb"), (memory("add", dict={"a": 1}), "Successfully added"))
    shown, ledger = play(ledger, action)
    assert shown.startswith("Error: ") and says in shown
    assert answered(ledger, memory("retrieve_all")) == '{"a": 1}'


def test_notes_given_at_the_start_are_there():
    ledger = opened("awb", fact("memory", "a", "1", origin="given"))
    assert answered(ledger, memory("retrieve_all")) == '{"a": "1"}'


def test_after_an_odd_answer_only_what_it_cannot_have_touched_is_certain():
    ledger = after(
        opened("awb"),
        (memory("add", dict={"a": 1, "b": 2}), "Successfully added items of ['a', 'b'] to memory."),
        (memory("update", dict={"a": 3}), "Error: the service is not available"),
    )
    assert answered(ledger, memory("retrieve", key_list=["a"])) is None
    assert answered(ledger, memory("retrieve_all")) is None
    assert answered(ledger, memory("retrieve", key_list=["b"])) == '{"b": 2}'
    assert "(it may have changed)" in DOMAIN.facts_text(
        DOMAIN.facts(ledger, memory("retrieve_all"), 2000)
    )


def test_what_only_a_model_confirmed_is_consistent_and_no_more():
    ledger = after(
        opened("awb", kind="recorded"),
        (memory("add", dict={"a": 1}), "Successfully added items of ['a'] to memory."),
    )
    ledger = after(
        ledger,
        (memory("add", dict={"b": 1}), "Successfully added items of ['b'] to memory."),
        origin="model",
    )
    found = DOMAIN.known(ledger, memory("remove", key_list=["b"]))
    assert found is not None and found.consistent_only
    found = DOMAIN.known(ledger, memory("remove", key_list=["a"]))
    assert found is not None and not found.consistent_only


def test_a_memory_elsewhere_is_known_only_in_the_words_it_has_shown():
    add, again = memory("add", dict={"a": "1"}), memory("add", dict={"b": "2", "c": "3"})
    ledger = opened("awb", kind="recorded")
    for action in (add, memory("retrieve_all"), memory("remove_all"), memory("forget")):
        assert answered(ledger, action) is None
    ledger = after(ledger, (add, 'Successfully added items of ["a"] to memory.'))
    assert answered(ledger, again) == 'Successfully added items of ["b", "c"] to memory.'
    assert answered(ledger, memory("retrieve", key_list=["a"])) is None  # pairs were not shown
    ledger = after(ledger, (memory("retrieve", key_list=["a"]), "{'a': '1'}"))
    assert answered(ledger, memory("retrieve", key_list=["a"])) == "{'a': '1'}"
    assert answered(ledger, memory("retrieve", key_list=["z"])) is None  # nor a missing key
    assert answered(ledger, memory("retrieve_all")) is None  # it may have held more before


def test_a_memory_elsewhere_with_words_of_its_own_is_never_known():
    ledger = after(
        opened("awb", kind="recorded"),
        (memory("add", dict={"a": "1"}), "Stored a."),
        (memory("add", dict={"b": "1"}), "Successfully added items of ['b'] to memory."),
    )
    for action in (memory("add", dict={"c": "1"}), memory("remove_all")):
        assert answered(ledger, action) is None


def test_another_memory_tool_of_that_name_is_not_ours():
    tool = {
        "name": "dict_memory",
        "inputSchema": {"type": "object", "properties": {"operation": {}, "text": {}}},
    }
    ledger = DOMAIN.open(session("awb", tools=(tool,)))
    assert answered(ledger, memory("add", dict={"a": 1})) is None


def test_an_answer_that_the_notes_contradict_is_impossible():
    ledger = after(
        opened("awb"),
        (memory("add", dict={"a": 1}), "Successfully added items of ['a'] to memory."),
        origin="action",
    )
    action = memory("retrieve", key_list=["a"])
    assert rules(ledger, action, '{"a": 2}') == [("contradicts_session", "error")]
    assert rules(ledger, action, '{"a": 1}') == []


def test_what_the_schema_refuses_is_not_held_against_the_memory():
    schema = {"type": "object", "properties": {"operation": {}, "dict": {}, "key_list": {}}}
    tool = {"name": "dict_memory", "parameters": {**schema, "required": ["operation"]}}
    told = Trajectory(id="t", domain="search", dialect="awb", system=SystemPrompt(), tools=(tool,))
    ledger, action = DOMAIN.open(told), call("dict_memory", dict={"a": 1})
    refused = DOMAIN.protocol(ledger, action)
    assert refused is not None and "operation" in refused.observation
    assert DOMAIN.checks(ledger, action, refused.observation) == []
