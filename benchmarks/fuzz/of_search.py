"""Pages of a corpus and what agents ask of it: hostile HTML, any query, any call."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from benchmarks.fuzz.chunks import raw
from benchmarks.fuzz.of_trees import SPLIT
from benchmarks.fuzz.seeds import ours
from benchmarks.fuzz.targets import Broken, Make, Target
from worldline.environments.search import fields, queries, tools_awb
from worldline.environments.search.engine import Engine
from worldline.environments.search.extracting import (
    ToolError,
    extracted,
    fetched,
    normal,
    sections,
)
from worldline.environments.search.reading import Document, read
from worldline.environments.search.session import Session

URL = "https://farm.example/"
CHARS = 500
MOST_PIECES = 40


def targets() -> Iterator[Target]:
    """Pages, queries, addresses, calls in three dialects."""
    pages = ours("pages")
    yield Target("search pages", page, lambda: pages, more=nested)
    yield Target("search queries", query, lambda: ours("searches"))
    yield Target("search addresses", address, lambda: (f"{URL}hay.html?a=1#b", "http://[::1]:80/é"))
    for dialect in ("awb", "json", "react"):
        session = SPLIT.join(ours("searches"))
        seeds = (session, *ours("searches"))
        yield Target(
            f"search {dialect} calls", lambda text, d=dialect: calls(d, text), lambda s=seeds: s
        )


def nested() -> Iterator[tuple[str, Make]]:
    """Pages of many or deep elements."""
    lead = f"<main><p>{'Hay is kept in barns. ' * 5}</p>"
    yield "sections", lambda size: lead + "<h2>a</h2><p>text of it</p>" * (size // 27)
    yield "links", lambda size: lead + '<a href="x?y=1">one</a> ' * (size // 24)
    yield "a table", lambda size: lead + "<table>" + "<tr><td>1<td>2" * (size // 14)
    yield "a list", lambda size: lead + "<ul>" + "<li>one" * (size // 7)
    yield "fences", lambda size: lead + "<pre>a\n\nb</pre>" * (size // 15)
    yield "one long line", lambda size: lead + "<p>" + "word " * (size // 5)
    yield "tags", lambda size: lead + "<b><i>" * (size // 6)


def page(text: str) -> None:
    """A page is a document or none; every part of it can be had, and no part is too long."""
    for data in raw(text):
        for name in ("p.html", "p.md", "p.txt"):
            found = read(data, name, f"{URL}{name}", "2024-01-01", "fuzz")
            if found is not None:
                document(found)


def document(found: Document) -> None:
    """Its pieces hold all of its text; its sections can be asked for; it can be indexed."""
    whole = "".join(piece(found, number) for number in range(1, MOST_PIECES))
    held = "".join(whole.split())
    if len(found.page) < CHARS * 10 and held != "".join(found.page.split()):
        raise Broken(
            f"{len(''.join(found.page.split())) - len(held)} characters of a page are lost"
        )
    for one in sections(found.page)[:3]:
        with suppress(ToolError):  # a name of blanks or marks alone
            extracted(found, CHARS, section=one.name)
    with suppress(ToolError):
        extracted(found, CHARS, goal=found.text[:200])
    fields.record(found)


def piece(found: Document, number: int) -> str:
    """One piece of a page, without the line that tells of more; empty behind the last."""
    try:
        text = extracted(found, CHARS, page=number)
    except ToolError:
        return ""
    body, mark, _ = text.rpartition("\n\n[Page ")
    body = body if mark else text
    if len(body) > CHARS:
        raise Broken(f"a piece of {len(body)} characters; {CHARS} at most")
    return body


@cache
def _engine() -> Engine:
    import tantivy

    index: Any = tantivy.Index(fields.schema())
    writer = index.writer(heap_size=15_000_000, num_threads=1)
    for text, name in zip(ours("pages"), ("hay.html", "rake.md"), strict=True):
        found = read(text.encode(), name, URL + name, "2024-01-01", "fuzz")
        assert found is not None
        writer.add_document(fields.record(found))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    extra = Document(f"{URL}own", "Own", "Own", "Own hay of " * 9, "# Own", "", "fuzz")
    return Engine(index, [extra])


def query(text: str) -> None:
    """Any query has hits or none."""
    queries.asked(text)
    with suppress(ToolError):
        for hit in _engine().search(tools_awb.readable(text[: queries.MAX_QUERY])):
            if not hit.document.url.startswith(URL):
                raise Broken("a hit is nowhere")
    _engine().similar(text[:300])
    _engine().titled(text[:300])


def address(text: str) -> None:
    """Any address is one of the corpus or is refused."""
    with suppress(ToolError):
        if not normal(text).startswith("https://"):
            raise Broken("an address is none of the web")
    with suppress(ToolError):
        fetched(_engine(), text)


def calls(dialect: str, text: str) -> None:
    """Any action has an answer."""
    session = Session(dialect, _engine(), CHARS)
    for action in text.split(SPLIT)[:20]:
        said = session.answer(action)
        if not isinstance(said, str):
            raise Broken("an answer is no text")
