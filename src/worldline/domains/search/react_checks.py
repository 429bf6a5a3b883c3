"""What the reader of the ``react`` dialect cannot answer."""

from collections.abc import Iterator

from worldline.domains.base import Ledger
from worldline.domains.search import lookups
from worldline.domains.search.dialects import react
from worldline.domains.search.dialects.react import Missing, Page, Result, Sentence, Step
from worldline.domains.search.verdicts import breach, cut, place, still
from worldline.facts import Fact
from worldline.prediction import Violation

MAX_SIMILAR = 10
_OF_SEARCH = frozenset({"retry"})
_OF_LOOKUP = frozenset({"no_results", "no_more", "no_page"})


def violations(ledger: Ledger, step: Step, observation: str) -> Iterator[Violation]:
    """The breaches of one observation."""
    body = react.parse_observation(observation).body
    if step.name == "Search":
        yield from _search(ledger, step.argument, body, observation)
        yield from _searched_before(ledger, step.argument, body, observation)
    elif step.name == "Lookup":
        yield from _lookup(ledger, step.argument, body, observation)


def _search(ledger: Ledger, term: str, body: object, observation: str) -> Iterator[Violation]:
    match body:
        case Missing(asked, similar):
            if asked != term:
                message = f"searched for {cut(term)}, not {cut(asked)}"
                yield breach("other_title", message, span=place(observation, asked))
            if len(similar) > MAX_SIMILAR or len(set(similar)) < len(similar):
                message = "at most ten similar titles, each once"
                yield breach("similar_titles", message, severe=False)
            if term in similar and still(ledger):
                message = f"the title {cut(term)} is there after all"
                yield breach("similar_titles", message, span=place(observation, f"'{term}'"))
        case Result():
            message = "a search shows a page, not a numbered paragraph"
            yield breach("result_of_lookup", message, span=(0, len(observation)))
        case Sentence(name) if name not in _OF_SEARCH:
            message = "this is what a lookup says, not a search"
            yield breach("result_of_lookup", message, span=(0, len(observation)))
        case Page(text):
            yield from _paragraph(text)


def _paragraph(text: str) -> Iterator[Violation]:
    """A search shows the first paragraph of a page, and nothing but it."""
    gap = text.rstrip().find("\n\n")
    if text.startswith("Could not find ["):
        message = "the similar titles are no Python list of strings"
        yield breach("similar_titles", message, span=(0, len(text)))
    elif text.startswith("(Result "):
        message = "a search shows a page, not a numbered paragraph"
        yield breach("result_of_lookup", message, span=(0, len(text)))
    elif not text.strip():
        yield breach("empty_page", "the first paragraph is empty", severe=False)
    elif gap >= 0:
        message = "a search shows the first paragraph only; this is more"
        yield breach("one_paragraph", message, span=(gap, len(text)))


def _searched_before(
    ledger: Ledger, term: str, body: object, observation: str
) -> Iterator[Violation]:
    """A title opens the same page each time, and one that was offered opens some page."""
    page, missing = ledger.get("page", term), ledger.get("row", f"search {term}")
    match body:
        case Page(text) if page is not None and not lookups.whole(page):
            if not text.startswith(str(page.value).rstrip()):
                message = f"the page {cut(term)} began {cut(str(page.value))}"
                span = (0, len(observation))
                severe = still(ledger, page)
                yield breach("other_page", message, severe=severe, span=span, because=(page,))
        case Page() if missing is not None and (page is None or page.turn < missing.turn):
            message = f"there was no page {cut(term)} before"
            severe = still(ledger, missing)
            yield breach("page_appears", message, severe=severe, because=(missing,))
        case Missing(_, similar):
            offered = page if page is not None else _offered(ledger, term)
            if offered is not None:
                message = f"there is a page {cut(term)}: it was shown or offered"
                severe = still(ledger, offered)
                yield breach("page_gone", message, severe=severe, because=(offered,))
            elif missing is not None and missing.value != list(similar):
                message = "other titles were similar before"
                severe = still(ledger, missing)
                yield breach("similar_titles", message, severe=severe, because=(missing,))


def _offered(ledger: Ledger, term: str) -> Fact | None:
    """A search that named this title among the similar ones."""
    for one in ledger.facts.values():
        if one.kind == "row" and one.key.startswith("search ") and term in one.value:
            return one
    return None


def _lookup(ledger: Ledger, term: str, body: object, observation: str) -> Iterator[Violation]:
    word = term.lower()
    match body:
        case Result(number, of, text):
            span = place(observation, f"{number}/{of}")
            if not 1 <= number <= of:
                yield breach("result_number", f"result {number} of {of}", span=span)
            elif word not in text.lower():
                message = f"the paragraph does not hold {cut(term)}"
                yield breach("keyword_missing", message, span=place(observation, text))
            else:
                yield from _order(ledger, word, number, of, span)
                yield from _held(ledger, word, body, observation)
        case Sentence("no_results"):
            yield from _held(ledger, word, Result(1, 0, ""), observation)
        case Sentence("no_more"):
            yield from _too_early(ledger, word, observation)
        case Sentence(name) if name in _OF_LOOKUP:
            pass
        case _:
            message = "neither a numbered paragraph nor a known sentence"
            span = (0, len(observation))
            yield breach("lookup_form", message, severe=still(ledger), span=span)


def _order(
    ledger: Ledger, word: str, number: int, of: int, span: tuple[int, int] | None
) -> Iterator[Violation]:
    reader = ledger.get("cwd", lookups.OPEN)
    seen = ledger.get("row", f"lookup {word}")
    if reader is None:
        return
    severe = reader.origin != "model"
    because = tuple(one for one in (reader, seen) if one is not None)
    if seen is not None and seen.value["of"] != of:
        message = f"{of} paragraphs hold it, {seen.value['of']} did before"
        yield breach("result_number", message, severe=severe, span=span, because=because)
    again = reader.value["word"] == word
    expected = reader.value["number"] + 1 if again else 1
    # right after a search, some readers go on counting a keyword of the page before
    if number != expected and (again or reader.value["word"] is not None):
        message = f"result {number} where {expected} comes next"
        yield breach("result_number", message, severe=severe, span=span, because=because)


def _held(ledger: Ledger, word: str, result: Result, observation: str) -> Iterator[Violation]:
    """The open page's paragraphs that were shown, and what they say about another keyword."""
    reader = ledger.get("cwd", lookups.OPEN)
    if reader is None or reader.value["title"] is None:
        return
    rows = [one for one in lookups.asked(ledger) if one.id != f"row:lookup {word}"]
    severe = all(one.origin != "model" for one in (reader, *rows))
    first = ledger.get("page", reader.value["title"])
    lead = first.value.rstrip() if first is not None and not lookups.whole(first) else None
    texts = {text.rstrip() for one in rows for text in one.value["shown"].values()}
    if lead is not None and word in lead.lower():
        texts.add(lead)
        if result.of and result.number == 1 and result.text != lead:
            message = f"the first paragraph that holds it is the page's first: {cut(lead)}"
            span = place(observation, result.text)
            yield breach("first_paragraph", message, severe=severe, span=span, because=(reader,))
    held = sum(word in text.lower() for text in texts)
    span = (0, len(observation))
    if held > result.of:
        message = f"{held} paragraphs that hold it were shown, not {result.of}"
        yield breach("paragraphs_held", message, severe=severe, span=span, because=(reader,))
        return
    for one in rows:
        other = one.key.removeprefix("lookup ")
        if other in word and one.value["of"] < result.of:
            message = f"{result.of} hold it, but only {one.value['of']} the shorter {cut(other)}"
            yield breach("paragraphs_held", message, severe=severe, span=span, because=(one,))
        elif word in other and one.value["of"] > result.of:
            message = f"{result.of} hold it, but {one.value['of']} the longer {cut(other)}"
            yield breach("paragraphs_held", message, severe=severe, span=span, because=(one,))


def _too_early(ledger: Ledger, word: str, observation: str) -> Iterator[Violation]:
    """There are no more results only after the last."""
    reader, seen = ledger.get("cwd", lookups.OPEN), ledger.get("row", f"lookup {word}")
    if reader is None or reader.value["title"] is None or reader.value["word"] is None:
        return
    again = reader.value["word"] == word
    last = seen.value["of"] if seen is not None else None
    if not again or (last is not None and 0 <= reader.value["number"] < last):
        shown = reader.value["number"] if again else 0
        message = f"{shown} results of this keyword were shown, and no last one"
        severe = reader.origin != "model"
        span = (0, len(observation))
        yield breach("result_number", message, severe=severe, span=span, because=(reader,))
