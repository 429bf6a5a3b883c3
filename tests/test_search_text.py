"""Searches, pages and results keep every character, and come apart into records."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_rows import LEAD, call, hits, results, saved, session

from worldline import jsonl
from worldline.domains.base import ActionError
from worldline.domains.search import DOMAIN
from worldline.domains.search.dialects.nested import Saved, Text, Tree, saved_in
from worldline.domains.search.dialects.numbered import Done, Results
from worldline.domains.search.dialects.react import Missing, Page, Result, Sentence

ODD = st.text() | st.text(st.characters(categories=["Cs", "Cc", "L", "P"]))
PIECES = st.sampled_from(
    [
        "[1] https://a.example/x",
        "[02] x",
        "[2] y",
        "Title: a",
        "Title:b",
        "Snippet: ",
        "Date: N/A",
        "",
        "Could not find [a]. Similar: ['b']",
        "]. Similar: [",
        "(Result 1/2) x",
        "(Result 01/2) x",
        "No Results",
        "\r",
        "\u2028",
        "\ud800",
        '{"a": "[1, 2]"}',
        "Successfully added items of ['a'] to memory.",
        "SUCCESS: The result has been saved to the data storage under the key: k.",
        "The data_storage currently contains the following keys:",
    ]
)
LINES = st.lists(PIECES | ODD, max_size=12).map("\n".join)


def through(dialect, kind: str, text: str):
    """Parse, write as JSON, read back, render."""
    parsed = getattr(dialect, f"parse_{kind}")(text)
    data = jsonl.dumps(msgspec.to_builtins(parsed))
    back = msgspec.convert(jsonl.loads(data), getattr(dialect, kind))
    return parsed, getattr(dialect, f"render_{kind}")(back)


@pytest.mark.parametrize("name", ["react", "json", "awb"])
@given(text=LINES)
def test_any_observation_comes_back_exactly(name, text):
    assert through(DOMAIN.dialect(name), "observation", text)[1] == text


@pytest.mark.parametrize("name", ["react", "json", "awb"])
@given(text=LINES)
def test_what_is_no_action_is_an_action_error_and_nothing_else(name, text):
    try:
        assert through(DOMAIN.dialect(name), "action", text)[1] == text
    except ActionError as error:
        assert str(error)


@given(ODD, st.sampled_from(["Search", "Lookup", "Finish"]))
def test_a_step_is_read_whatever_its_argument_holds(argument, name):
    text = f" {name}[{argument}]\n"
    parsed, back = through(DOMAIN.dialect("react"), "action", text)
    assert back == text and (parsed.name, parsed.argument) == (name, argument)


@given(ODD, st.lists(ODD, max_size=10))
def test_similar_titles_are_a_list_of_titles(term, similar):
    text = f"Could not find [{term}]. Similar: {similar!r}"
    parsed, back = through(DOMAIN.dialect("react"), "observation", text)
    assert back == text
    if "]. Similar: " not in term:
        assert parsed.body == Missing(term, tuple(similar))


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("(Result 2/5) It opened.", Result(2, 5, "It opened.")),
        ("No Results", Sentence("no_results")),
        ("No More Results", Sentence("no_more")),
        (LEAD, Page(LEAD)),
        ("Could not find [x]. Similar: [1]", Page("Could not find [x]. Similar: [1]")),
    ],
)
def test_forms_of_an_encyclopedia(text, body):
    assert DOMAIN.dialect("react").parse_observation(text).body == body


def test_numbered_results_are_records_with_named_fields():
    text = (
        "Results for otters\n\n[1] https://a.example\nTitle: A: b\nSnippet: one\n\ntwo\nDate: N/A"
        "\n\nResults for inns\n\n[1] https://b.example\nTitle:B\nSnippet: \nDate: May 1, 2024\n\n"
    )
    parsed, back = through(DOMAIN.dialect("awb"), "observation", text)
    assert back == text and isinstance(parsed.body, Results)
    one, two = parsed.body.results
    assert (one.number, one.url, one.get("Title")) == (1, "https://a.example", "A: b")
    assert one.get("Snippet") == "one\n\ntwo" and one.get("Date") == "N/A"
    assert two.get("Title") == "B" and two.get("Date") == "May 1, 2024"
    assert parsed.body.head == ("Results for otters", "")


def test_the_memory_confirms_a_verb_and_keys():
    parsed = DOMAIN.dialect("awb").parse_observation(
        "Successfully removed items of ['a', \"b's\"] from memory."
    )
    assert parsed.body == Done("removed", ("a", "b's"))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_json_in_a_json_string_is_one_tree(value, indent, ascii_only):
    inner = json.dumps([value], indent=indent, ensure_ascii=ascii_only)
    text = json.dumps({"results": inner}, ensure_ascii=ascii_only)
    parsed, back = through(DOMAIN.dialect("json"), "observation", text)
    assert back == text
    (content,) = parsed.body.inner
    assert content.path == ("results",) and isinstance(content.body, Tree)


def test_long_texts_are_leaves_outside_the_json():
    prose = "It opened in 1902. " * 20 + "\n\nIt has nine rooms."
    parsed = DOMAIN.dialect("json").parse_observation(results([{"content": prose, "n": 1}]))
    (content,) = parsed.body.inner
    assert content.body.value == [{"content": "", "n": 1}]
    (leaf,) = content.body.inner
    assert leaf.path == (0, "content") and isinstance(leaf.body, Text) and leaf.body.text == prose


def test_what_a_page_store_says_is_a_record():
    parsed, back = through(DOMAIN.dialect("json"), "observation", saved("a", "b", overwrites="a"))
    assert back == saved("a", "b", overwrites="a")
    assert saved_in(parsed.body) == Saved("a", ("a", "b"), True, 8)


@pytest.mark.parametrize(
    ("turns", "dialect"),
    [
        ([("Search[Blue Otter]", LEAD)], "react"),
        ([("Lookup[x]", "No Results"), ("Finish[1902]", "")], "react"),
        ([(call("web_search", query="otters"), hits(("https://a.example", "A", "s")))], "awb"),
        ([(call("dict_memory", operation="retrieve_all"), "{}")], "awb"),
        ([(call("web_extractor", url="https://a.example"), "# A")], "awb"),
        ([(call("web_search", search_query="otters"), results([]))], "json"),
        ([(call("web_search", query="otters"), results([]))], "json"),
        ([(call("search", query="otters"), results([]))], "json"),
        ([(call("browse", url="https://a.example"), results("x"))], "json"),
        ([], "awb"),
    ],
)
def test_the_dialect_is_told_from_the_turns(turns, dialect):
    assert DOMAIN.detect(session("", *turns)) == dialect


@pytest.mark.parametrize("name", ["react", "json", "awb"])
@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"a":' * 50_000,
        "Could not find [" + "]. Similar: [" * 20_000,
        "(Result 1/1) " * 20_000,
        "[1] u\n" * 60_000,
        "Title: x\n" * 60_000,
        '"' + "\\" * 200_000,
        "Successfully added items of [" + "'a', " * 40_000,
    ],
)
def test_hostile_text_is_read_without_trouble(name, text):
    assert through(DOMAIN.dialect(name), "observation", text)[1] == text
