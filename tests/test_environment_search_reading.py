"""Reading documents: what a page says is kept, what is around it is not, and nothing breaks it."""

import gzip
import json
import subprocess
import sys

import pytest
from harbour import PAPERS, call
from hypothesis import given
from hypothesis import strategies as st

from worldline.environments.process import environment
from worldline.environments.search import (
    KIND,
    debs,
    fixtures,
    man,
    queries,
    recipe,
    sources,
    wordnet,
)
from worldline.environments.search.__main__ import main as prepared
from worldline.environments.search.extracting import ToolError, extracted, normal, sections
from worldline.environments.search.reading import Document, read

URL = "https://a.example/guide/page.html"


def html(body, head="<title>T</title>"):
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    return read(page.encode(), "page.html", URL, "2020-01-02", "test")


def test_a_page_is_its_text_with_links_that_work():
    found = html(
        "<h1>2.1. Otters<a class='headerlink' href='#o'>¶</a></h1><p>Short.</p>"
        "<p>Otters   swim in rivers\nand in the sea, mostly at night.</p>"
        "<p>See <a href='../sea.html#x'>the sea</a>, <a href='#top'>above</a>.</p>"
        "<pre>  a\n\n  b</pre><ul><li>one</li><li>two</li></ul>"
    )
    assert (found.title, found.name, found.date) == ("T", "Otters", "2020-01-02")
    lead = "Otters swim in rivers and in the sea, mostly at night."
    assert found.text.split("\n\n") == [lead, "See the sea, above.", "  a\n  b", "one", "two"]
    assert found.page.startswith(f"# 2.1. Otters\n\nShort.\n\n{lead}\n\n")
    assert "[the sea](https://a.example/sea.html#x), above." in found.page
    assert "```\n  a\n\n  b\n```" in found.page and "- one\n- two" in found.page


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"<html>",
        b"<p>" * 50_000 + b"deep",
        b"<!DOCTYPE x [<!ENTITY a 'b'><!ENTITY c SYSTEM 'file:///etc/passwd'>]><p>&c;</p>",
        b"<html><body><p>&#xD800; &#0; \x00</p></body></html>",
        "<p>ünïcode without a declaration, long enough to be a page</p>".encode("latin-1"),
    ],
)
def test_no_file_breaks_the_reading(data):
    found = read(data, "x.html", URL, "", "test")
    assert found is None or "root:" not in found.text


def test_files_of_other_kinds_are_no_pages_and_big_ones_are_left_out():
    assert read(b"x" * 100, "a.png", URL, "", "t") is None
    assert read(b"x" * 4_000_000, "a.txt", URL, "", "t") is None
    assert read(b"word " * 100, "a_b.txt", URL, "", "t").title == "a b"


def test_a_folder_of_scraps_is_refused_and_leaves_no_index(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Too short a note.")
    for _ in range(2):
        assert prepared([str(tmp_path / "notes")]) == 3
        assert "notes: holds no page of 40 characters" in capsys.readouterr().err
    assert prepared([str(tmp_path / "gone")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_the_command_explains_itself(capsys):
    assert prepared(["--help"]) == 0
    assert "FOLDER | PACKAGE" in capsys.readouterr().out


def test_a_folder_gives_each_text_once_and_follows_no_link(tmp_path):
    (tmp_path / "a.txt").write_text("the same text in two files, long enough to count")
    (tmp_path / "b.txt").symlink_to("/etc/passwd")
    (tmp_path / "sub").symlink_to(PAPERS)
    assert [raw.name for raw in sources.of_folder(tmp_path)] == ["a.txt"]
    assert sources.folder_sha(tmp_path) == sources.folder_sha(tmp_path)
    before = sources.folder_sha(tmp_path)
    (tmp_path / "a.txt").rename(tmp_path / "c.txt")
    assert sources.folder_sha(tmp_path) != before


OTTER = "00000001 03 n 02 otter 0 fish_otter 0 002 @ 00000002 n 0000 ! 00000002 n 0000"
NOUNS = f"""\
  1 licence
{OTTER} | a mammal; "an otter dived"
00000002 03 n 01 mammal 0 001 ~ 00000001 n 0000 | a warm animal
"""
INDEX = "otter n 1 2 @ ! 1 0 00000001\nfish_otter n 1 0 1 0 00000001\nmammal n 1 0 1 0 00000002\n"


def test_a_dictionary_has_a_page_for_each_word():
    files = {f"{kind}.{part}": b"" for kind in ("data", "index") for part in wordnet.PARTS}
    files |= {"data.noun": NOUNS.encode(), "index.noun": INDEX.encode()}
    pages = {page.name: page for page in wordnet.pages(files, "w.example", "wn")}
    assert list(pages) == ["fish otter", "mammal", "otter"]
    otter = pages["otter"]
    assert otter.url == "https://w.example/w/otter" and otter.entry
    assert '1. a mammal; "an otter dived"\n' in otter.page
    assert "   - Synonyms: [fish otter](https://w.example/w/fish_otter)" in otter.page
    assert "Kind of: mammal. Opposite: mammal" in otter.text


def test_an_alias_among_manual_pages_is_no_page(tmp_path):
    source = gzip.compress(b".so man2/epoll_wait.2\n")
    assert man.to_html(source, "epoll_pwait", "2", tmp_path / "no-mandoc") is None
    assert man.to_html(b"\x1f\x8bbroken", "x", "1", tmp_path / "no-mandoc") is None
    assert man.page_name("usr/share/man/man3/printf.3.gz") == ("printf", "3")
    assert man.page_name("usr/share/doc/x.html") is None


def test_a_package_that_cannot_be_had_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path))
    monkeypatch.setattr(debs.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(debs, "_run", lambda command, place: "E: Unable to locate package")
    with pytest.raises(debs.CorpusError, match=r"Unable to locate.*apt-get update"):
        debs.fetch("no-such-doc", lambda said: None)
    assert debs.had("no-such-doc") is None


@pytest.mark.system
def test_a_package_is_read_without_installing_it(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "build"
    (root / "DEBIAN").mkdir(parents=True)
    control = "Package: p\nVersion: 1.2\nArchitecture: all\nMaintainer: a\nDescription: b\n"
    (root / "DEBIAN/control").write_text(control)
    for name in ("b.html", "a.html", "search.html", "x.png"):
        (root / "usr/share/doc/p").mkdir(parents=True, exist_ok=True)
        (root / "usr/share/doc/p" / name).write_text(name)
    (root / "usr/share/doc/p/link.html").symlink_to("/etc/passwd")
    debs.folder().mkdir(parents=True)
    archive = debs.folder() / "p_0.deb"
    subprocess.run(["dpkg-deb", "--build", root, archive], check=True, capture_output=True)
    had = debs.Had(name="p", version="1.2", sha256="0", place="archive", file="p_0.deb")
    package = recipe.Package(
        name="p", host="p.example", about="", licence="", skip=("search",),
        take={"usr/share/doc/p/": "/"},
    )  # fmt: skip
    listed = [one.path.rpartition("/")[2] for one in debs.files(had, package)]
    assert listed == ["a.html", "b.html", "x.png"]
    raw = list(sources.of_package(had, package, None))
    assert [one.url for one in raw] == ["https://p.example/a.html", "https://p.example/b.html"]


@pytest.mark.system
def test_a_small_corpus_is_fetched_indexed_and_searched(tmp_path, monkeypatch):
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path))
    options = {"packages": ["debian-faq", "manpages"]}
    said = []
    for _ in range(2):
        KIND.prepare(options, said.append)
    assert sum("fetching" in one for one in said) == 3 and "indexed" in said[-1]
    with environment("search", **options) as real:
        real.reset(0)
        found = real.step(call("web_search", query="epoll edge-triggered")).observation
        assert "https://man.docs.example/man7/epoll.7.html" in found
        assert "epoll(7) - Linux manual page" in found
        versions = real.opening.meta["versions"]
    assert versions["debian-faq"] and versions["tantivy"]


# pieces, sections, addresses, queries


def page_of(text):
    return Document(URL, "T", "T", text, text, "", "t")


BLOCK = st.text("ab \n`#", max_size=80)


@given(st.lists(BLOCK, max_size=12).map("\n\n".join), st.integers(10, 90))
def test_pieces_are_bounded_and_together_are_the_page(text, chars):
    pieces = []
    while True:
        try:
            shown = extracted(page_of(text), chars, page=len(pieces) + 1)
        except ToolError:
            break
        pieces.append(shown.rpartition("\n\n[Page ")[0] if "\n\n[Page " in shown else shown)
    assert all(len(one) <= chars for one in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())


@given(st.text("#ab \n`", max_size=200))
def test_sections_lie_within_the_page(text):
    lines = text.split("\n")
    for one in sections(text):
        assert lines[one.start].startswith("#") and one.start < one.end <= len(lines)


@given(st.text(max_size=80))
def test_any_address_is_normal_or_refused_in_words(url):
    for given_ in (url, f"https://{url}", f"https://a.example/{url}"):
        try:
            assert normal(given_).startswith("https://")
        except ToolError as told:
            assert str(told).startswith("Error: ")


@given(st.text(max_size=120))
def test_any_query_is_words_and_phrases(text):
    what = queries.asked(text)
    for word in (*what.words, *what.without, *" ".join(what.phrases).split()):
        assert word.isidentifier() or word[0].isalnum() or "_" in word


# made-up pages


@pytest.mark.parametrize("name", fixtures.names())
def test_made_up_pages_come_from_the_seed_alone(name):
    one, same, other = (fixtures.made.__wrapped__(name, seed) for seed in (1, 1, 2))
    assert one == same and one.name != other.name
    assert len({page.url for page in one.documents}) == len(one.documents)
    known = {page.url for page in one.documents}
    for some in one.things.values():
        for thing in some:
            page = next(page for page in one.documents if page.url == thing.url)
            assert all(value in page.page and value in page.text for value in thing.facts.values())
            assert set(thing.links.values()) <= known
    assert "{" not in "".join(page.page for page in one.documents)


WATCH = """
import json, sys
sys.path.insert(0, sys.argv[1])
from harbour import PAPERS, FERRIES, call
from worldline.environments.search.driver import SearchDriver
driver = SearchDriver({"folder": str(PAPERS)})
driver.reset(0)
driver.step(call("web_search", query="ferry petrel"), 5)
driver.step(call("web_extractor", url=FERRIES, goal="petrel", section="Timetable"), 5)
seen = []
def hook(event, arguments):
    if event.split(".")[0] in ("open", "socket", "subprocess", "os", "urllib"):
        seen.append(event)
sys.addaudithook(hook)
for url in ("file:///etc/passwd", "/etc/passwd", "http://127.0.0.1:9/", FERRIES, "https://a.b/c"):
    driver.step(call("web_extractor", url=url), 5)
    driver.step(call("web_search", query=url), 5)
inside = list(seen)
open("/dev/null").close()
print(json.dumps({"inside": inside, "control": seen[len(inside):]}))
"""


def test_an_action_opens_no_file_and_no_connection(tmp_path):
    here = str(PAPERS.parent)
    done = subprocess.run([sys.executable, "-c", WATCH, here], capture_output=True, check=True)
    seen = json.loads(done.stdout.decode().strip().split("\n")[-1])
    assert seen == {"inside": [], "control": ["open"]}
