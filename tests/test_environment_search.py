"""A real search session: what an agent finds, reads and notes, and what it is told when it errs."""

import json
import re
import shlex
import sys

import pytest
from harbour import FERRIES, LIGHTHOUSE, PAPERS, SITE, call, harbour, note, said

from worldline.domains.search import DOMAIN
from worldline.environments.process import RealityError, environment
from worldline.environments.search import needs, store
from worldline.environments.search.progress import EVERY_S, Progress
from worldline.environments.search.recipe import Options, Package
from worldline.scenarios.snapshot import Snapshot
from worldline.trajectory import Turn


def test_an_agent_searches_reads_and_remembers():
    with harbour() as real:
        found = said(real, "web_search", query="ferry to the outer islands")
        first = found.split("\n\n")[0].split("\n")
        assert first[0] == f"[1] {FERRIES}" and first[3] == "Date: Mar 9, 2021"
        assert first[1] == "Title: Ferries of the Sound - Coast Guide"
        assert first[2].startswith("Snippet: ") and "ferries cross the sound" in first[2]
        page = said(real, "web_extractor", url=FERRIES)
        assert "| Petrel | 07:40 |" in page and "# 3.2. Ferries of the Sound\n" in page
        note(real, "add", dict={"petrel": "07:40"})
        assert json.loads(note(real, "retrieve", key_list=["petrel"])) == {"petrel": "07:40"}
        told = real.trajectory("s")
    assert told.domain == "search" and told.dialect == "awb" and len(told.turns) == 4
    assert {tool["name"] for tool in told.tools} == {"web_search", "web_extractor", "dict_memory"}
    assert told.meta["versions"]["tantivy"] and told.meta["corpus"]
    assert "4 pages of a folder" in told.system.initial_state


def test_a_batch_answers_each_query_and_the_others_go_on_when_one_fails():
    queries = ["lighthouse keeper", "qqzzxx", "", "harbour cranes"]
    with harbour() as real:
        text = said(real, "web_search", queries=queries)
    assert text.startswith(f"[1] {LIGHTHOUSE}\n")
    assert "\n\nNo results found for: qqzzxx\n\nError: the query is empty\n\n[1] " in text
    assert not DOMAIN.checks(_ledger(), call("web_search", queries=queries), text)


def test_words_in_quotes_minus_and_site_narrow_a_search():
    with harbour() as real:
        assert "lighthouse.md" in said(real, "web_search", query='"nine seconds"')
        assert "No results" in said(real, "web_search", query='"seconds nine"')
        assert "ferries.html" not in said(real, "web_search", query="Petrel -bicycle")
        assert said(real, "web_search", query="Petrel site:folder.docs.example").startswith("[1]")
        assert "No results" in said(real, "web_search", query="Petrel site:elsewhere.example")


@pytest.mark.parametrize("query", ["a:b", "title:^2", "+(x", "[1 TO 9]", 'un"closed', "AND OR NOT"])
def test_no_query_is_an_error_of_the_engine(query):
    with harbour() as real:
        assert not said(real, "web_search", query=query).startswith("Error")


def test_navigation_scripts_and_twins_are_not_found():
    with harbour() as real:
        for word in ("navigationword", "scriptword", "footerword"):
            assert said(real, "web_search", query=word) == f"No results found for: {word}"
        assert said(real, "web_search", query="winter 1911 ice").count("/storms") == 1


def test_other_scripts_and_half_characters_are_text_like_any():
    with harbour() as real:
        assert "harbour.html" in said(real, "web_search", query="Größe des Hafens")
        for query in ("日本語", "🔍", "\ud800", "é" * 300):
            assert said(real, "web_search", query=query).startswith("No results found for: ")
        assert "404" in said(real, "web_extractor", url=f"{SITE}/\ud800")


def test_a_page_can_be_read_by_section_goal_and_piece():
    with harbour(page_chars=500) as real:
        lamp = said(real, "web_extractor", url=LIGHTHOUSE, section="lamp")
        assert lamp.startswith("## Lamp\n") and "Keepers" not in lamp
        fit = said(real, "web_extractor", url=LIGHTHOUSE, goal="who was the keeper")
        assert fit.startswith("## Keepers\n\nThe last keeper, Inga Sund") and "mercury" not in fit
        first = said(real, "web_extractor", url=FERRIES)
        assert first.endswith('[Page 1 of 2; "page": 2 shows more]') and len(first) < 600
        last = said(real, "web_extractor", url=FERRIES, page=2)
        assert last.endswith("[Page 2 of 2]") and "ninety people" in last


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"url": "https://nowhere.example/x"}, "Error: could not resolve host: nowhere.example"),
        ({"url": f"{SITE}/no.html"}, f"Error: 404 Not Found: {SITE}/no.html"),
        ({"url": "ferries"}, "Error: invalid URL: 'ferries'"),
        ({"url": ""}, "Error: invalid URL: ''"),
        ({"url": "file:///etc/passwd"}, "Error: unsupported URL scheme 'file': use https"),
        ({"url": FERRIES, "section": "Crew"}, "Error: no section 'Crew' on this page. Sections: "
         "3.2. Ferries of the Sound; Timetable; Fares & bicycles"),
        ({"url": FERRIES, "page": 7}, "Error: there is no page 7: the text has 1 page"),
        ({"url": FERRIES, "goal": "xylophone"}, "No passage of this page fits the goal: xylophone"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_as_a_tool_tells_it(arguments, answer):
    with harbour() as real:
        assert said(real, "web_extractor", **arguments) == answer


@pytest.mark.parametrize("path", ["../../harbour.py", "..%2f..%2fharbour.py", "%2e%2e/harbour.py"])
def test_an_address_is_never_a_path(path):
    with harbour() as real:
        for url in (f"{SITE}/{path}", f"{SITE}/{PAPERS}/tiny.txt", f"file://{PAPERS}/harbour.html"):
            assert said(real, "web_extractor", url=url).startswith("Error: ")


def test_equal_sessions_see_the_same_and_a_reset_forgets_everything():
    actions = [
        call("web_search", query="harbour ferry"),
        call("dict_memory", operation="add", dict={"a": [1, {"b": None}]}),
        call("web_extractor", url=FERRIES, goal="bicycle"),
        call("dict_memory", operation="retrieve_all"),
    ]
    with harbour(seed=3, documents="town") as real:
        once = [real.step(one).observation for one in actions]
        real.reset(3)
        assert note(real, "retrieve_all") == "{}"
        real.reset(3)
        assert [real.step(one).observation for one in actions] == once
        opening = real.opening.system.initial_state
        real.reset(4)
        assert real.opening.system.initial_state != opening


def test_made_up_pages_are_found_only_in_their_own_session():
    with harbour(seed=5, documents="machines") as real:
        opening = real.opening.system.initial_state
        host = opening.split("- ")[2].split(":")[0]
        overview = said(real, "web_extractor", url=f"https://{host}/")
        name, url = overview.split("- [")[1].split(")")[0].split("](")
        assert url in said(real, "web_search", query=f'"{name}"')
        assert "| Rated torque |" in said(real, "web_extractor", url=url)
        real.reset(6)
        assert "could not resolve" in said(real, "web_extractor", url=url)


def test_the_json_tools_store_pages_and_keep_to_dates():
    with harbour(dialect="json") as real:
        hits = _inner(said(real, "web_search", search_query="ferry", number_of_results=2))
        assert [set(hit) for hit in hits] == [{"url", "title", "content", "date", "score"}] * 2
        late = said(real, "web_search", search_query="ferry", start_date="2022-01-01")
        assert _inner(late) == []
        saved = said(real, "parse_html_page", url=LIGHTHOUSE, key="light")
        assert DOMAIN.dialects["json"].parse_observation(saved).body.inner[0].body.keys == (
            "light",
        )
        again = json.loads(said(real, "parse_html_page", url=FERRIES, key="light"))["results"]
        assert again.startswith("WARNING: The key already exists")
        part = json.loads(said(real, "read_stored_page", key="light", start=6, end=13))
        assert part == {"results": "ferries"}
        lost = json.loads(said(real, "read_stored_page", key="dark"))["results"]
        assert lost == "Error: no page is stored under 'dark'; stored: light"
        assert "404" in json.loads(said(real, "browse", url=f"{SITE}/x"))["page_content"]


def test_the_reader_opens_titles_and_looks_words_up():
    with harbour(dialect="react") as real:
        step = lambda text: real.step(text).observation  # noqa: E731
        assert step("Lookup[ice]").startswith("The last page Searched was not found")
        assert step("Search[ferries of the sound]").startswith("Three ferries cross the sound")
        assert step("Lookup[petrel]") == "(Result 1/3) Petrel 07:40"
        assert step("Lookup[Petrel]").startswith("(Result 2/3) petrel\n  07:40")
        assert "ninety people" in step("Lookup[petrel]")
        assert step("Lookup[petrel]") == "No More Results"
        assert step("Lookup[zebra]") == "No Results"
        missing = step("Search[Lighthouse]")
        assert missing.startswith("Could not find [Lighthouse]. Similar: ['The lighthouse of")
        assert step("Open[x]").startswith("Invalid Action. ")
        assert real.step("Finish[seven forty]").terminated


def test_a_snapshot_holds_notes_and_made_up_pages():
    with harbour(seed=5, documents="library") as real:
        note(real, "add", dict={"a": 1})
        taken = real.snapshot()
    found = Snapshot(
        **{**taken, "facts": tuple(taken["facts"]), "omitted": tuple(taken["omitted"])}
    )
    assert found.domain == "search" and "In memory: a = 1" in found.text
    kinds = [one["kind"] for one in taken["facts"]]
    assert kinds[0] == "memory" and kinds.count("page") > 15


def test_options_that_do_not_exist_are_named():
    for options, word in [
        ({"folder": "/nowhere-at-all"}, "folder"),
        ({"folder": str(PAPERS), "documents": "dragons"}, "documents"),
        ({"folder": str(PAPERS), "dialect": "xml"}, "dialect"),
        ({"packages": ["no-such-doc"]}, "packages"),
        ({"folder": str(PAPERS), "colour": 1}, "colour"),
    ]:
        with environment("search", **options) as real, pytest.raises(RealityError, match=word):
            real.reset(0)


def test_without_documents_the_way_to_get_them_is_told():
    told = re.escape(f"{shlex.quote(sys.executable)} -m worldline.environments.search")
    with environment("search") as real, pytest.raises(RealityError, match=told):
        real.reset(0)


def test_doctor_says_how_to_make_the_index_and_that_the_first_use_does():
    (corpus,) = (need for need in needs() if need.name == "corpus")
    command, _, note = corpus.remedy.partition("  # ")  # a shell leaves the note alone
    assert shlex.split(command) == [sys.executable, "-m", "worldline.environments.search"]
    assert "first use" in note


def test_making_an_index_tells_how_far_it_is():
    told, now = [], 0.0
    parts = {"host": "x.docs.example", "about": "x", "licence": "MIT", "take": {"usr/": "/"}}
    packages = [Package(name=name, effort=n, **parts) for name, n in (("a", 4), ("b", 2), ("c", 1))]
    progress = Progress(packages, told.append, lambda: now)
    progress.package()
    progress.document()
    now = EVERY_S
    progress.document()
    now = 40.0
    progress.package()
    now = 55.0
    progress.document()
    now = 100.0
    progress.package()
    assert told == [
        "reading a: 0 of 3 packages done, 0 documents",
        "reading a: 0 of 3 packages done, 2 documents",
        "reading b: 1 of 3 packages done, 2 documents, about 30 s left",
        "reading b: 1 of 3 packages done, 3 documents, about 15 s left",
        "reading c: 2 of 3 packages done, 3 documents, about 17 s left",
    ]


def test_the_start_says_that_it_takes_minutes_and_happens_once_but_for_a_folder(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path))
    told = []
    store.prepare(Options(folder=str(PAPERS)), told.append)
    assert told == ["indexed 4 documents"]
    monkeypatch.setattr(store, "_documents", lambda *given: iter(()))
    with pytest.raises(store.CorpusError):
        store._make(tmp_path, Options(packages=("debian-faq",)), told.append)
    assert told[1:] == [store.ONCE] and "minutes" in store.ONCE and "once" in store.ONCE


def test_what_the_ledger_is_sure_of_is_what_comes():
    with harbour() as real:
        for action in _odd_calls():
            real.step(action)
        told = real.trajectory("s")
    ledger, sure = DOMAIN.open(told), 0
    for turn in told.turns:
        known = DOMAIN.protocol(ledger, turn.action) or DOMAIN.known(ledger, turn.action)
        sure += known is not None
        assert known is None or known.observation == turn.observation, turn.action
        ledger = DOMAIN.track(
            ledger, Turn(action=turn.action, observation=turn.observation), "real"
        )
    assert sure == len(told.turns)


def _odd_calls():
    def memory(**given):
        return call("dict_memory", **given)

    yield memory(operation="add", dict={"a'b": 'x"y', "ü": [1.0, None, {"k": "v\n"}]})
    yield memory(operation="retrieve", key_list=["ü", "gone", "a'b", "ü"])
    yield memory(operation="remove", key_list=["a'b", "gone"])
    yield memory(operation="update", dict={"new": 1e3})
    yield memory(operation="remove", key_list=["a'b"])
    yield memory(operation="retrieve_all")
    yield memory(operation="add", dict={})
    yield memory(operation="retrieve", key_list=[])
    yield memory(operation="retrieve")
    yield memory(operation="drop")
    yield memory(operation="add", dict="text")
    yield memory(operation="remove_all")
    yield memory(operation="retrieve_all")
    yield call("web_search", query=7)
    yield call("web_search", queries=["a"] * 6)
    yield call("web_extractor")
    yield call("google", q="x")
    yield "search for ferries"


def _ledger():
    with harbour() as real:
        return DOMAIN.open(real.trajectory("x"))


def _inner(observation):
    return json.loads(json.loads(observation)["results"])
