"""What a reader of an encyclopedia must answer, and what a first paragraph does not settle."""

import pytest
from search_rows import LEAD, after, answered, opened, rules

from worldline.domains.search import DOMAIN
from worldline.domains.search.dialects.react import INVALID, NO_MORE, NO_PAGE, NO_RESULTS, RETRY
from worldline.facts import fact

FOUND = ("Search[Blue Otter]", LEAD)
MISSING = ("Search[Blue Oter]", "Could not find [Blue Oter]. Similar: ['Blue Otter']")
FIRST = f"(Result 1/2) {LEAD}"
SECOND = "(Result 2/2) The rooms look over the river."


def test_a_first_paragraph_does_not_settle_a_lookup():
    ledger = after(opened("react"), FOUND)
    for word in ("inn", "rooms", "swimming pool"):
        assert answered(ledger, f"Lookup[{word}]") is None


def test_a_repeated_search_is_not_known():
    assert answered(after(opened("react"), FOUND), "Search[Blue Otter]") is None
    assert answered(after(opened("react"), MISSING), MISSING[0]) is None


def test_without_an_open_page_there_is_nothing_to_look_in():
    ledger = after(opened("react", kind="recorded"), MISSING)
    assert answered(ledger, "Lookup[inn]") == NO_PAGE
    assert answered(after(ledger, ("Search[Marrow]", RETRY)), "Lookup[inn]") == NO_PAGE
    assert answered(after(ledger, FOUND), "Lookup[inn]") is None


def test_what_is_open_when_a_recording_begins_is_not_known():
    assert answered(opened("react", kind="recorded"), "Lookup[inn]") is None
    assert answered(opened("react"), "Lookup[inn]") == NO_PAGE  # a session of ours begins closed


def test_a_failed_request_leaves_the_page_open():
    ledger = after(opened("react"), FOUND, ("Lookup[pool]", NO_RESULTS), ("Search[Marrow]", RETRY))
    assert answered(ledger, "Lookup[pool]") == NO_RESULTS


def test_more_words_find_no_more_than_fewer():
    ledger = after(opened("react"), FOUND, ("Lookup[Pool]", NO_RESULTS))
    assert answered(ledger, "Lookup[swimming pool]") == NO_RESULTS
    assert answered(ledger, "Lookup[poo]") is None
    assert answered(after(ledger, FOUND), "Lookup[pool]") is None  # another page, for all we know


def test_results_come_one_after_the_other_and_then_no_more():
    ledger = after(opened("react"), FOUND, ("Lookup[rooms]", FIRST))
    assert answered(ledger, "Lookup[rooms]") is None  # the second was never shown
    ledger = after(ledger, ("Lookup[Rooms]", SECOND))
    assert answered(ledger, "Lookup[rooms]") == NO_MORE
    ledger = after(ledger, ("Lookup[rooms]", NO_MORE))
    assert answered(ledger, "Lookup[rooms]") == NO_MORE
    ledger = after(ledger, ("Lookup[pool]", NO_RESULTS))
    assert answered(ledger, "Lookup[rooms]") == FIRST  # another keyword starts it anew
    assert answered(after(ledger, ("Lookup[rooms]", FIRST)), "Lookup[rooms]") == SECOND


@pytest.mark.parametrize("odd", ["Something else", "(Result 3/2) rooms", "(Result 1/4) rooms"])
def test_after_an_odd_answer_nothing_about_the_page_is_certain(odd):
    ledger = after(opened("react"), FOUND, ("Lookup[rooms]", FIRST), ("Lookup[rooms]", odd))
    assert answered(ledger, "Lookup[rooms]") is None


def test_a_page_given_whole_answers_everything():
    page = fact("page", "Marrow", f"Marrow is a town.\n\n{LEAD}\n\nAn otter.", origin="given")
    ledger = opened("react", page)
    search, lookup = "Search[Marrow]", "Lookup[OTTER]"
    assert answered(ledger, search) == "Marrow is a town."
    ledger = after(ledger, (search, "Marrow is a town."))
    for expected in (f"(Result 1/2) {LEAD}", "(Result 2/2) An otter.", NO_MORE):
        assert answered(ledger, lookup) == expected
        ledger = after(ledger, (lookup, expected))
    assert answered(ledger, "Lookup[badger]") == NO_RESULTS


def test_what_a_model_said_of_a_page_is_consistent_and_no_more():
    ledger = after(opened("react"), FOUND, ("Lookup[pool]", NO_RESULTS), origin="model")
    found = DOMAIN.known(ledger, "Lookup[pool]")
    assert found is not None and found.consistent_only


def test_given_facts_of_the_wrong_shape_are_left_out():
    odd = [
        fact("cwd", "open page", "x", origin="given"),
        fact("row", "lookup a", 7, origin="given"),
        fact("page", "Marrow", 7, origin="given"),
    ]
    ledger = opened("react", *odd)
    for action in ("Lookup[a]", "Search[Marrow]"):
        answered(ledger, action)
        DOMAIN.facts_text(DOMAIN.facts(ledger, action, 2000))


def test_only_three_actions_are_known_where_nothing_else_is_said():
    found = DOMAIN.protocol(opened("react"), "open the page")
    assert found is not None and found.observation == INVALID and found.origin == "protocol"
    assert DOMAIN.protocol(opened("react"), "Finish[1902]") is None
    assert DOMAIN.protocol(opened("react", kind="recorded"), "open the page") is None
    assert DOMAIN.protocol(opened("react", action_space="open, close"), "open the page") is None


@pytest.mark.parametrize(
    ("action", "observation", "rule"),
    [
        ("Search[a]", "Could not find [b]. Similar: []", ("other_title", "error")),
        ("Search[a]", "Could not find [a]. Similar: [b, c]", ("similar_titles", "error")),
        ("Search[a]", "Could not find [a]. Similar: ['b', 'b']", ("similar_titles", "warning")),
        ("Search[a]", FIRST, ("result_of_lookup", "error")),
        ("Search[a]", NO_RESULTS, ("result_of_lookup", "error")),
        ("Search[a]", "", ("empty_page", "warning")),
        ("Lookup[nine]", "(Result 3/2) nine", ("result_number", "error")),
        ("Lookup[nine]", "(Result 1/2) ten", ("keyword_missing", "error")),
        ("Lookup[nine]", "It has nine rooms.", ("lookup_form", "error")),
        ("Lookup[nine]", "(Result 2/2) nine", ("result_number", "error")),
        ("Lookup[rooms]", "(Result 2/3) rooms", ("result_number", "error")),
        ("Lookup[rooms]", FIRST, ("result_number", "error")),
    ],
)
def test_what_a_reader_cannot_say(action, observation, rule):
    ledger = after(opened("react"), FOUND, ("Lookup[rooms]", FIRST))
    assert rule in rules(ledger, action, observation)


@pytest.mark.parametrize(
    ("action", "observation"),
    [FOUND, MISSING, ("Search[x]", RETRY), ("Lookup[rooms]", SECOND), ("Lookup[x]", NO_RESULTS)],
)
def test_what_a_reader_says_is_not_objected_to(action, observation):
    ledger = after(opened("react"), FOUND, ("Lookup[rooms]", FIRST))
    assert rules(ledger, action, observation) == []


def test_a_model_is_told_the_page_that_is_open_and_what_was_found_before():
    ledger = after(opened("react"), FOUND, MISSING, ("Search[Marrow]", "Marrow is a town."), FOUND)
    text = DOMAIN.facts_text(DOMAIN.facts(ledger, "Lookup[inn]", 2000))
    assert "The open page is Blue Otter" in text
    text = DOMAIN.facts_text(DOMAIN.facts(ledger, "Search[Marrow]", 2000))
    assert "Marrow is a town." in text and "Otter" not in text
    text = DOMAIN.facts_text(DOMAIN.facts(ledger, MISSING[0], 2000))
    assert "No page Blue Oter" in text and "Blue Otter" in text
