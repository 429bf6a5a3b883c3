"""What fuzzing found in the search environment: hostile pages and queries of odd words."""

import pytest

pytest.importorskip("tantivy")
pytest.importorskip("lxml")

from worldline.environments.search import fields, queries
from worldline.environments.search.engine import Engine
from worldline.environments.search.reading import Document, read

URL = "https://farm.example/hay.html"
LEAD = "Hay is dried grass that is kept for the winter in barns."


def page(body):
    return read(f"<main><p>{LEAD}{body}</main>".encode(), "hay.html", URL, "", "test")


@pytest.mark.parametrize(
    "body",
    [
        "\x12\x1b[31m",
        "<a href='=\x1bx'>y</a>\x0b",
        "<a class=headerlink></a>\x0b<pre>a\x1cb</pre>",
        "\x0f\x0c",
        "<nav>x</nav>\x01&#27;&#11;",
    ],
)
def test_control_characters_in_a_page_are_left_out(body):
    found = page(body)
    assert found is not None and found.text.startswith(LEAD)
    assert not [c for c in found.text + found.page if ord(c) < 32 and c not in "\n\t"]


def test_the_text_of_a_link_to_nowhere_stays():
    found = page(" See <a href='#top'>above <b>it</b></a>.")
    assert found is not None and found.text == f"{LEAD} See above it."
    assert found.page == f"{LEAD} See above **it**."


def test_words_that_no_index_can_hold_find_nothing():
    import tantivy

    index = tantivy.Index(fields.schema())
    engine = Engine(index, [Document(URL, "Hay", "Hay", LEAD, LEAD, "", "test")])
    long = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert engine.search(queries.asked(f"{long} {long[::-1]}")) == []
    assert engine.search(queries.asked("_ __")) == []
    assert [hit.document.url for hit in engine.search(queries.asked("_ hay"))] == [URL]
    assert engine.similar(f"{long} _") == []
    assert engine.search(queries.asked("hay site:\ud800")) == []
