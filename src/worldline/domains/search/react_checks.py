"""What the reader of the ``react`` dialect cannot answer."""

from collections.abc import Iterator

from worldline.domains.base import Ledger
from worldline.domains.search import lookups
from worldline.domains.search.dialects import react
from worldline.domains.search.dialects.react import Missing, Page, Result, Sentence, Step
from worldline.prediction import Violation

MAX_SIMILAR = 10
_OF_SEARCH = frozenset({"retry"})
_OF_LOOKUP = frozenset({"no_results", "no_more", "no_page"})


def violations(ledger: Ledger, step: Step, observation: str) -> Iterator[Violation]:
    """The breaches of one observation."""
    body = react.parse_observation(observation).body
    if step.name == "Search":
        yield from _search(step.argument, body, observation)
    elif step.name == "Lookup":
        yield from _lookup(ledger, step.argument, body)


def _search(term: str, body: object, observation: str) -> Iterator[Violation]:
    match body:
        case Missing(asked, similar):
            if asked != term:
                yield _error("other_title", f"searched for {term[:80]!r}, not {asked[:80]!r}")
            if len(similar) > MAX_SIMILAR or len(set(similar)) < len(similar):
                yield _warning("similar_titles", "at most ten similar titles, each once")
        case Result():
            yield _error("result_of_lookup", "a search shows a page, not a numbered paragraph")
        case Sentence(name) if name not in _OF_SEARCH:
            yield _error("result_of_lookup", "this is what a lookup says, not a search")
        case Page(text):
            if observation.startswith("Could not find ["):
                yield _error("similar_titles", "the similar titles are no Python list of strings")
            elif not text.strip():
                yield _warning("empty_page", "the first paragraph is empty")


def _lookup(ledger: Ledger, term: str, body: object) -> Iterator[Violation]:
    match body:
        case Result(number, of, text):
            if not 1 <= number <= of:
                yield _error("result_number", f"result {number} of {of}")
            elif term.lower() not in text.lower():
                yield _error("keyword_missing", f"the paragraph does not hold {term[:80]!r}")
            else:
                yield from _order(ledger, term.lower(), number, of)
        case Sentence(name) if name in _OF_LOOKUP:
            pass
        case _:
            yield _warning("lookup_form", "neither a numbered paragraph nor a known sentence")


def _order(ledger: Ledger, word: str, number: int, of: int) -> Iterator[Violation]:
    reader = ledger.get("cwd", lookups.OPEN)
    seen = ledger.get("row", f"lookup {word}")
    if reader is None:
        return
    severe = reader.origin != "model"
    because = tuple(one.id for one in (reader, seen) if one is not None)
    if seen is not None and seen.value["of"] != of:
        message = f"{of} paragraphs hold it, {seen.value['of']} did before"
        yield _breach("result_number", message, severe, because)
    again = reader.value["word"] == word
    expected = reader.value["number"] + 1 if again else 1
    # right after a search, some readers go on counting a keyword of the page before
    if number != expected and (again or reader.value["word"] is not None):
        message = f"result {number} where {expected} comes next"
        yield _breach("result_number", message, severe, because)


def _error(rule: str, message: str) -> Violation:
    return Violation(rule=rule, severity="error", message=message)


def _warning(rule: str, message: str) -> Violation:
    return Violation(rule=rule, severity="warning", message=message)


def _breach(rule: str, message: str, severe: bool, because: tuple[str, ...]) -> Violation:
    severity = "error" if severe else "warning"
    return Violation(rule=rule, severity=severity, message=message, because=because)
