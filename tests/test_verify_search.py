"""What the scorecard and the guard of the search domain promise."""

import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_rows import LEAD, call, hits, memory, results, saved, session

from benchmarks.verify.counts import errors
from benchmarks.verify.sessions import lies
from worldline.domains.search import DOMAIN
from worldline.trajectory import Source
from worldline.verify.corrupt import corruptions, variants
from worldline.verify.measure import Moment, score
from worldline.verify.moments import moments

OTTER, HERON = "https://inns.example/blue-otter", "https://inns.example/grey-heron"
SHOP = "https://shop.example/rye"
ROOMS = "## Rooms\n\nFour of 9 rooms look at the mill. Dogs sleep below."
PAGE = f"# The Blue Otter\n\n{LEAD}\n\n{ROOMS}"
LIST = hits(
    (OTTER, "The Blue Otter", "an inn in Marrow, it opened in 1902 ..."),
    (HERON, "The Grey Heron", "an inn with twelve rooms and a cook ..."),
    (SHOP, "Rye flour", "Rye flour of the mill, 1.80 a bag ..."),
).replace("N/A", "Mar 4, 2021", 1)
FOUND = [
    {"url": OTTER, "title": "Blue Otter", "content": "An inn.", "date": "2021-03-04", "score": 9.5},
    {
        "url": HERON,
        "title": "Grey Heron",
        "content": "Another.",
        "date": "2019-02-03",
        "score": 4.5,
    },
    {"url": SHOP, "title": "Rye flour", "content": "A bag.", "date": None, "score": 1.25},
]
SEARCH, JSON_SEARCH = call("web_search", query="inns"), call("web_search", search_query="inns")
READ, BROWSE = call("web_extractor", url=OTTER), call("browse", url=OTTER)
ADDED = "Successfully added items of ['a'] to memory."
SIMILAR = "Could not find [Otter]. Similar: ['Blue Otter', 'Otter (animal)', \"Otter's Inn\"]"
MORE = "Its nine rooms were painted in 1931 by Ada Flint."


def page(text: str) -> str:
    return json.dumps({"page_content": text}, separators=(",", ":"))


def moment(dialect: str, *turns: tuple[str, str], kind: str = "unknown") -> Moment:
    """The session just before its last turn."""
    *_, last = moments(session(dialect, *turns, kind=kind))
    return last


ROWS = {
    "awb list": moment("awb", (SEARCH, LIST)),
    "awb page": moment("awb", (READ, PAGE)),
    "awb note": moment("awb", (memory("add", dict={"a": 1}), ADDED)),
    "awb read": moment(
        "awb",
        (memory("add", dict={"a": "x"}), ADDED),
        (memory("retrieve", key_list=["a"]), '{"a": "x"}'),
    ),
    "awb miss": moment("awb", (SEARCH, "No results found for: inns")),
    "json list": moment("json", (JSON_SEARCH, results(FOUND))),
    "json page": moment("json", (BROWSE, page(PAGE))),
    "json store": moment("json", (call("parse_html_page", url=OTTER, key="blue"), saved("blue"))),
    "react page": moment("react", ("Search[Blue Otter]", f"{LEAD} It has a cook. {MORE}")),
    "react miss": moment("react", ("Search[Otter]", SIMILAR)),
    "react look": moment("react", ("Search[Inn]", LEAD), ("Lookup[rooms]", f"(Result 1/2) {LEAD}")),
}
EVERY = pytest.mark.parametrize("row", list(ROWS.values()), ids=list(ROWS))


@EVERY
def test_the_truth_is_perfect_and_draws_no_error(row):
    for text in (row.truth, f"{row.truth}\n"):
        card = score(row, text)
        assert card.true.score == card.plausible.score == 1
        assert not errors(row, text)
    assert row.domain.parts(row.ledger, row.action, row.truth)


@EVERY
def test_every_corruption_costs_what_it_declares_and_never_pays(row):
    for number, one in enumerate(corruptions("search")):
        light, heavy = (one.make(row, Random(number), heaviness) for heaviness in (0.0, 1.0))
        if light is not None and heavy is not None:
            least, most = (score(row, text).true for text in (light, heavy))
            assert getattr(least, one.dimension) < 1, one.name
            assert most.score <= least.score + 1e-9 < 1, one.name


def test_each_corruption_and_each_variant_has_a_row_it_applies_to():
    batch = call("web_search", queries=["a", "b"])
    more = (
        moment("awb", (memory("remove", key_list=["a"]), "Key not found: ['a']")),
        moment("awb", (batch, f"{LIST}\n\n{LIST}")),
        moment("awb", (READ, "Seen 2024-05-01T10:00:00, read in 40 ms.\n\nCafé")),
        moment("json", (BROWSE, page("Café").encode().decode("unicode_escape"))),
        moment(
            "json", (JSON_SEARCH, '{"results":"[{\\"url\\": \\"x\\", \\"id\\": \\"a1b2c3-00\\"}]"}')
        ),
    )
    rows = (*ROWS.values(), *more)
    for one in corruptions("search"):
        assert any(one.make(row, Random(1), 0.0) is not None for row in rows), one.name
    for one in variants("search"):
        made = [(row, one.make(row, Random(1))) for row in rows]
        other = [(row, text) for row, text in made if text is not None and text != row.truth]
        assert other, one.name
        for row, text in other:
            assert score(row, text).true.score == 1, one.name


@pytest.mark.parametrize(
    ("row", "wrong", "dimension"),
    [
        ("awb list", LIST.replace("1902", "1911"), "factuality"),
        ("awb list", LIST.replace("\nDate: Mar 4, 2021", ""), "quality"),
        ("awb list", LIST.replace("[2]", "[4]"), "format"),
        ("awb list", LIST.replace("Title: Rye", "**Title**: Rye"), "format"),
        ("awb read", '{"a": "y"}', "consistency"),
        ("awb miss", "No results found for: outs", "consistency"),
        ("json list", results(FOUND[:2]), "quality"),
        ("json list", results(FOUND)[:-1], "format"),
        ("json list", results([{**one, "hint": 1} for one in FOUND]), "format"),
        ("json store", saved("blue").replace("key: blue", "key: grey"), "consistency"),
        ("json page", page(PAGE.replace("Four", "Five")), "factuality"),
        ("react page", f"{LEAD} {MORE}", "quality"),
        ("react miss", SIMILAR.replace("[Otter]", "[Heron]"), "consistency"),
        ("react miss", SIMILAR.replace("'Blue Otter'", "'Red Otter'"), "factuality"),
        ("react look", f"(Result 2/2) {LEAD}", "consistency"),
        ("react look", f"(Result 1 of 2) {LEAD}", "format"),
        ("react page", f"Here is the expected output:\n{ROWS['react page'].truth}", "realism"),
    ],
)
def test_what_each_dimension_means_here(row, wrong, dimension):
    card = score(ROWS[row], wrong).true
    assert wrong != ROWS[row].truth and getattr(card, dimension) < 1 and card.score < 1


def test_an_engines_own_scores_and_the_way_of_going_on_cost_nothing():
    other = [{**one, "score": one["score"] / 3} for one in FOUND]
    assert score(ROWS["json list"], results(other)).true.score == 1
    odd = [{**one, "score": "the best of all results"} for one in FOUND]
    assert score(ROWS["json list"], results(odd)).true.realism < 1


def test_notes_are_knowable_and_a_page_nobody_has_seen_is_not():
    assert not score(ROWS["awb read"], "").unknowable
    assert not score(ROWS["awb miss"], "").unknowable
    assert score(ROWS["awb page"], "").unknowable and score(ROWS["react page"], "").unknowable


def test_how_an_action_went():
    more = {
        "lost": moment("json", (BROWSE, page("Error: 404 Not Found: x"))),
        "none": moment("react", ("Lookup[x]", "No Results")),
    }
    said = {name: row.domain.status(row.ledger, row.action, row.truth)
            for name, row in {**ROWS, **more}.items()}  # fmt: skip
    assert {name for name, status in said.items() if status == "error"} == {"awb miss", "lost"}
    assert {name for name, status in said.items() if status == "missing"} == {"react miss", "none"}


# the guard: a session, an action with its true answer, an answer that is impossible, the rule

SECTION = call("web_extractor", url=OTTER, section="Rooms")
GONE = f"Error: 404 Not Found: {OTTER}"
LATER = call("web_search", search_query="inns", start_date="2020-01-01")
ONE = call("web_search", search_query="inns", number_of_results=1)
BATCH = call("web_search", queries=["inns", "outs", "rye"])
STORE = call("parse_html_page", url=OTTER, key="blue")
STORED = call("read_stored_page", key="blue")
SITE = call("web_search", query="site:inns.example rooms")
TWO = hits((OTTER, "The Blue Otter", "rooms ..."), (HERON, "The Grey Heron", "rooms ..."))
TWO = TWO.replace("N/A", "Mar 4, 2021", 1)
TALK = "talks_about_itself"
IMPOSSIBLE = [
    ("awb", [(READ, PAGE)], (SECTION, ROOMS), ROOMS.replace("Four", "Six"), "other_page"),
    ("awb", [(SECTION, ROOMS)], (READ, PAGE), PAGE.replace("Four", "Six"), "other_page"),
    ("awb", [(READ, PAGE)], (SEARCH, LIST), LIST.replace("1902", "1611"), "not_on_page"),
    ("awb", [(SEARCH, LIST)], (READ, PAGE), PAGE.replace("1902", "1611"), "not_on_page"),
    ("awb", [(SEARCH, LIST)], (READ, PAGE), GONE, "page_gone"),
    ("awb", [(READ, GONE)], (SECTION, GONE), ROOMS, "page_appears"),
    ("awb", [(READ, PAGE)], (READ, PAGE), f"{PAGE} Closed.", "other_answer"),
    ("awb", [], (READ, PAGE), LIST, "page_form"),
    ("awb", [], (SEARCH, LIST), PAGE, "result_form"),
    ("awb", [], (SEARCH, LIST), LIST.replace("Date: N/A", "", 1), "result_form"),
    ("awb", [], (SEARCH, LIST), LIST.replace("Mar 4", "Feb 30"), "result_date"),
    ("awb", [], (SEARCH, LIST), LIST.replace(SHOP, OTTER), "repeated_address"),
    ("awb", [], (SITE, TWO), TWO.replace(HERON, SHOP), "outside_filter"),
    ("awb", [(SEARCH, LIST)], (SITE, TWO), TWO.replace("The Grey", "A Grey"), "other_title"),
    ("awb", [(SEARCH, LIST)], (SITE, TWO), TWO.replace("Mar 4", "May 1"), "other_date"),
    ("awb", [], (BATCH, "\n\n".join([LIST] * 3)), f"{LIST}\n\n{LIST}", "batch_count"),
    ("awb", [(SEARCH, LIST)], (BATCH, "\n\n".join([LIST] * 3)), f"{TWO}\n\n{TWO}", "other_results"),
    ("awb", [], (SEARCH, "No results found for: inns"), "No results found for: x", "other_query"),
    ("json", [(JSON_SEARCH, results(FOUND))], (ONE, results(FOUND[:1])), results(FOUND[1:2]), None),
    ("json", [], (ONE, results(FOUND[:1])), results(FOUND), "too_many_results"),
    ("json", [], (LATER, results(FOUND[:1])), results(FOUND), "outside_filter"),
    ("json", [], (JSON_SEARCH, results(FOUND)), results(FOUND[::-1]), "result_order"),
    ("json", [], (JSON_SEARCH, results(FOUND)), results([*FOUND, {"url": HERON}]), "record_fields"),
    ("json", [(JSON_SEARCH, results([]))], (ONE, results([])), '{"hits":"[]"}', "record_fields"),
    ("json", [], (JSON_SEARCH, results(FOUND)), results(FOUND)[:-3], "broken_json"),
    ("json", [], (BROWSE, page(PAGE)), results(FOUND), "page_form"),
    ("json", [(BROWSE, page(PAGE)), (STORE, saved("blue"))], (STORED, results(LEAD)),
     results(LEAD.replace("1902", "1611")), "other_page"),
    ("json", [(STORE, saved("blue"))], (STORED, results(LEAD)),
     results("Error: no page is stored under 'blue'; stored: none"), "stored_keys"),
    ("react", [], ("Search[Inn]", LEAD), f"{LEAD}\n\nIt has a cook.", "one_paragraph"),
    ("react", [("Search[Inn]", LEAD)], ("Search[Inn]", LEAD), f"An inn. {LEAD}", "other_page"),
    ("react", [("Search[Inn]", LEAD)], ("Search[Inn]", LEAD),
     "Could not find [Inn]. Similar: []", "page_gone"),
    ("react", [("Search[Otter]", SIMILAR)], ("Search[Blue Otter]", LEAD),
     "Could not find [Blue Otter]. Similar: []", "page_gone"),
    ("react", [("Search[Otter]", SIMILAR)], ("Search[Otter]", SIMILAR), LEAD, "page_appears"),
    ("react", [("Search[Otter]", SIMILAR)], ("Search[Otter]", SIMILAR),
     "Could not find [Otter]. Similar: ['Badger']", "similar_titles"),
    ("react", [("Search[Inn]", LEAD)], ("Lookup[rooms]", f"(Result 1/2) {LEAD}"),
     f"(Result 1/2) {MORE}", "first_paragraph"),
    ("react", [("Search[Inn]", LEAD)], ("Lookup[rooms]", f"(Result 1/2) {LEAD}"),
     "No Results", "paragraphs_held"),
    ("react", [("Search[Inn]", LEAD), ("Lookup[1931]", f"(Result 1/1) {MORE}")],
     ("Lookup[rooms]", f"(Result 1/2) {LEAD}"), f"(Result 1/1) {LEAD}", "paragraphs_held"),
    ("react", [("Search[Inn]", LEAD), ("Lookup[ro]", f"(Result 1/2) {LEAD}")],
     ("Lookup[room]", f"(Result 1/2) {LEAD}"), f"(Result 1/3) {LEAD}", "paragraphs_held"),
    ("react", [("Search[Inn]", LEAD), ("Lookup[x]", "No Results")],
     ("Lookup[rooms]", f"(Result 1/2) {LEAD}"), "No More Results", "result_number"),
    ("react", [("Search[Inn]", LEAD)], ("Lookup[rooms]", f"(Result 1/2) {LEAD}"),
     "It has nine rooms.", "lookup_form"),
    ("react", [], ("Search[Inn]", LEAD), f"Here is the expected output:\n{LEAD}", TALK),
    ("awb", [], (SEARCH, LIST), f"{LIST}\nThis output accurately reflects it.", TALK),
    ("json", [], (BROWSE, page(PAGE)), f"Sure, here is the page:\n{page(PAGE)}", TALK),
    ("react", [], ("Search[Inn]", LEAD),
     "The same address keeps its title and content; the same query finds it.", "quotes_prompt"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "before", "last", "wrong", "rule"), IMPOSSIBLE)
def test_the_guard_fires_on_what_cannot_be_and_is_silent_on_the_truth(
    dialect, before, last, wrong, rule
):
    now = moment(dialect, *before, last, kind="collected")
    assert not DOMAIN.checks(now.ledger, now.action, now.truth)
    found = errors(now, wrong)
    assert (rule or "other_results") in {one.rule for one in found}
    for one in found:
        assert one.message and (one.span is None or 0 <= one.span[0] <= one.span[1] <= len(wrong))


def test_on_the_live_web_and_on_a_models_word_pages_may_change():
    before, now = (SEARCH, LIST), (SITE, TWO.replace("The Grey", "A Grey"))
    live = moment("awb", before, now, kind="recorded")
    found = DOMAIN.checks(live.ledger, live.action, live.truth)
    assert {(one.rule, one.severity) for one in found} == {("other_title", "warning")}
    ledger = DOMAIN.open(session("awb"))
    (turn,) = session("awb", before).turns
    heard = DOMAIN.track(ledger, turn, "model")
    assert {one.severity for one in DOMAIN.checks(heard, *now)} == {"warning"}


def test_what_engines_may_do_draws_no_error():
    dated = LIST.replace("Snippet: an inn", "Snippet: May 7, 2020 - an inn", 1)
    quoted = 'No results found for: "inns"'
    either = call("web_search", query="site:inns.example OR site:shop.example inns")
    for now in (
        moment("awb", (READ, PAGE), (SEARCH, dated)),
        moment("awb", (SEARCH, quoted)),
        moment("awb", (either, LIST)),
        moment("json", (JSON_SEARCH, results(FOUND)), (ONE, "Too many requests; wait a minute.")),
        moment("json", (BROWSE, "[Terms](https://inns.example/terms) and a page in Markdown")),
    ):
        assert not errors(now, now.truth)


def test_the_committed_lies_are_caught_and_their_truth_is_not():
    # They take it that engine and documents stand still, as those of collected sessions do.
    found = [(as_collected(one.trajectory), one) for one in lies("search")]
    assert not [one.id for now, one in found if errors(now, now.truth)]
    assert sum(bool(errors(now, one.lie)) for now, one in found) >= 19


def as_collected(row) -> Moment:
    *_, now = moments(msgspec.structs.replace(row, source=Source(kind="collected")))
    return now


@settings(max_examples=150)
@given(st.data())
def test_nothing_raises_and_spans_lie_within_the_text(data):
    row = data.draw(st.sampled_from(list(ROWS.values())))
    text = row.truth
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 30))
        marks = ["\n", "\n\n", '"', "\\", "[", "]", "{", "}", "(Result ", "[1] ", "Title: ", "\x00"]
        put = data.draw(st.sampled_from(marks) | st.text(max_size=8))
        text = text[:at] + put + text[at + gone :]
    for part in row.domain.parts(row.ledger, row.action, text) or ():
        if part.span is not None:
            assert text[slice(*part.span)] == part.text
    for one in row.domain.checks(row.ledger, row.action, text):
        assert one.span is None or 0 <= one.span[0] <= one.span[1] <= len(text)
    assert 0 <= score(row, text).true.score <= 1
