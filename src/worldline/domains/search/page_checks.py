"""What a page cannot be, given what the session has read and found."""

from collections.abc import Iterator

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import Call, call_key
from worldline.domains.search import lookups, pages
from worldline.domains.search.hits import SNIPPET, Hit
from worldline.domains.search.ledger import address
from worldline.domains.search.verdicts import breach, cut, place, still
from worldline.facts import Fact
from worldline.prediction import Violation

STORED = "read_stored_page"


def violations(
    ledger: Ledger, call: Call, observation: str, found: list[Hit]
) -> Iterator[Violation]:
    """The breaches of one observation.

    Args:
        found: the hits in it.
    """
    url, text = address(call), pages.shown(ledger.dialect, observation)
    if call.name in pages.READERS and url and text:
        yield from _gone(ledger, call, text, observation)
        if not pages.refused(text):
            yield from _pieces(ledger, call, text, observation)
            yield from _snippet_before(ledger, call, text)
    elif call.name == STORED:
        yield from _stored(ledger, call, text, observation)
    elif not url:
        yield from _snippets(ledger, found, observation)


def _gone(ledger: Ledger, call: Call, text: str, observation: str) -> Iterator[Violation]:
    url = address(call)
    seen = _seen(ledger, url)
    if pages.gone(text):
        if seen is not None:
            message = f"the page was there before: {cut(url)}"
            severe = still(ledger, seen)
            span = place(observation, text)
            yield breach("page_gone", message, severe=severe, span=span, because=(seen,))
    elif not pages.refused(text):
        for name in pages.READERS:
            row = ledger.get("row", call_key(name, {"url": url}))
            if row is not None and pages.gone(pages.shown(ledger.dialect, row.value)):
                message = f"there was no such page before: {cut(url)}"
                severe = still(ledger, row)
                yield breach("page_appears", message, severe=severe, because=(row,))


def _seen(ledger: Ledger, url: str) -> Fact | None:
    """What shows that an address leads to a page: a hit, or the page itself."""
    page = ledger.get("page", url)
    read = isinstance(page.value, str) and not pages.refused(page.value) if page else False
    return page if read else ledger.get("entity", url)


def _pieces(ledger: Ledger, call: Call, text: str, observation: str) -> Iterator[Violation]:
    """A piece of a page stands on the page, whichever was shown first."""
    url = address(call)
    is_whole = call.arguments.keys() == {"url"} and not pages.more(text)
    if is_whole:
        before = ledger.get("page", url)
        if before is None or not isinstance(before.value, str) or lookups.whole(before):
            return
        # of a long text the ledger keeps the beginning: its last line may be half a line
        piece = before.value.rpartition("\n")[0] if len(before.value) >= 20_000 else before.value
        line = None if pages.refused(piece) else pages.stray_line(piece, text)
        if line is not None:
            message = f"the page has lost a line that was shown before: {cut(line)}"
            yield breach("other_page", message, severe=still(ledger, before), because=(before,))
        return
    page = pages.whole(ledger, url)
    if page is None or "page" in call.arguments:
        return
    line = pages.stray_line(text, page.text)
    if line is not None:
        yield breach(
            "other_page",
            f"the page was shown whole and has no line {cut(line)}",
            severe=still(ledger, page.fact),
            span=place(observation, line),
            because=(page.fact,),
        )


def _snippet_before(ledger: Ledger, call: Call, text: str) -> Iterator[Violation]:
    """The page holds what a result has quoted of it."""
    hit = ledger.get("entity", address(call))
    if hit is None or not isinstance(hit.value, dict) or call.arguments.keys() != {"url"}:
        return
    snippet = str(hit.value.get("snippet", ""))
    if len(snippet) >= SNIPPET:
        snippet = snippet.rpartition(" ")[0]
    stray = None if pages.more(text) else pages.stray_words(snippet, text)
    if stray is not None:
        message = f"a result quoted the page with {cut(stray)}, which it does not hold"
        yield breach("not_on_page", message, severe=still(ledger, hit), because=(hit,))


def _snippets(ledger: Ledger, found: list[Hit], observation: str) -> Iterator[Violation]:
    """A result quotes nothing that its page, shown whole, does not hold."""
    for hit in found:
        page = pages.whole(ledger, hit.url)
        snippet = hit.snippet.rpartition(" ")[0] if len(hit.snippet) >= SNIPPET else hit.snippet
        stray = None if page is None else pages.stray_words(snippet, page.text)
        if page is not None and stray is not None:
            yield breach(
                "not_on_page",
                f"the page {cut(hit.url)} was shown whole and does not hold {cut(stray)}",
                severe=still(ledger, page.fact),
                span=place(observation, hit.snippet),
                because=(page.fact,),
            )


def _stored(ledger: Ledger, call: Call, text: str, observation: str) -> Iterator[Violation]:
    """A stored page is there, and holds what the page itself held."""
    key = call.arguments.get("key")
    kept = ledger.get("file", key) if isinstance(key, str) else None
    if kept is None:
        return
    if text.startswith("Error: no page is stored"):
        message = f"a page is stored under {cut(kept.key)}"
        yield breach("stored_keys", message, severe=still(ledger, kept), because=(kept,))
    url = kept.value.get("url", "") if isinstance(kept.value, dict) else ""
    page = pages.whole(ledger, url) if url and text and not pages.refused(text) else None
    stray = None if page is None else pages.stray_words(_inner(text), page.text)
    if page is not None and stray is not None:
        yield breach(
            "other_page",
            f"the stored page was shown whole and does not hold {cut(stray)}",
            severe=still(ledger, kept, page.fact),
            span=place(observation, stray),
            because=(kept, page.fact),
        )


def _inner(text: str) -> str:
    """A text without its first and last word, which a range of characters may have cut."""
    return text.strip().partition(" ")[2].rpartition(" ")[0]
