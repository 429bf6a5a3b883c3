"""The ``react`` dialect's reader: which page is open, and what lookups in it must answer.

A lookup answers with the paragraphs of the open page that hold the keyword, one at a time. Asking
again for the same keyword gives the next; another keyword starts anew. A search shows no more than
a page's first paragraph, so the rest is known only as far as lookups have shown it:

* a keyword without results has none when words are added to it;
* a paragraph shown once comes back when its turn comes again;
* after the last there are no more;
* without an open page there is nothing to look in.

A page given whole (a snapshot, a scenario) answers everything.
"""

from typing import Any

from worldline.domains.base import Known, Ledger
from worldline.domains.search.dialects import react
from worldline.domains.search.dialects.react import Missing, Page, Result, Sentence, Step
from worldline.facts import Fact, FactOrigin, fact

OPEN = "open page"
PAST_THE_LAST = 1_000_000


def closed_book() -> Fact:
    """No page is open: how a session of ours begins."""
    return _opened(None, "given", 0)


def known(ledger: Ledger, step: Step) -> Known | None:
    """The observation of a step, when it follows."""
    if step.name == "Search":
        return _search(ledger, step.argument)
    reader = ledger.get("cwd", OPEN)
    if step.name != "Lookup" or reader is None:
        return None
    if reader.value["title"] is None:
        return _known(react.NO_PAGE, "no_page", reader)
    word = step.argument.lower()
    again = reader.value["word"] == word
    number = reader.value["number"] + 1 if again else 1
    page = given_page(ledger, reader.value["title"])
    if page is not None:
        held = [one for one in page.value.split("\n\n") if word in one.lower()]
        shown = {str(at): one for at, one in enumerate(held, 1)}
        return _known(_text(number, len(held), shown), "lookup", reader, page)
    seen = ledger.get("row", _key(word))
    if seen is not None:
        return _known(_text(number, seen.value["of"], seen.value["shown"]), "lookup", reader, seen)
    none = next((one for one in asked(ledger) if not one.value["of"] and _in(one, word)), None)
    return None if none is None else _known(react.NO_RESULTS, "no_results", reader, none)


def track(ledger: Ledger, step: Step, observation: str, origin: FactOrigin) -> Ledger:
    """The ledger after a step that was answered so."""
    body = react.parse_observation(observation).body
    if step.name == "Search":
        return _searched(ledger, step.argument, body, origin)
    return (
        _looked_up(ledger, step.argument.lower(), body, origin) if step.name == "Lookup" else ledger
    )


def given_page(ledger: Ledger, title: str) -> Fact | None:
    """A page whose whole text was given at the start."""
    page = ledger.get("page", title)
    return page if page is not None and whole(page) else None


def whole(page: Fact) -> bool:
    """Whether a fact holds the whole text of a page that is served as it is."""
    return page.origin == "given" and page.complete and isinstance(page.value, str)


def _search(ledger: Ledger, title: str) -> Known | None:
    page = given_page(ledger, title)
    if page is None:
        return None
    return _known(page.value.split("\n\n")[0], "given_page", page)


def _searched(ledger: Ledger, term: str, body: Any, origin: FactOrigin) -> Ledger:
    turn = ledger.turn
    if isinstance(body, Sentence) and body.name == "retry":
        return ledger  # the search itself failed: the page stays open
    ledger = ledger.with_facts(without=[f"cwd:{OPEN}", *(one.id for one in asked(ledger))])
    match body:
        case Page(text) if text.strip():
            new = [_opened(term, origin, turn)]
            if given_page(ledger, term) is None:
                new.append(fact("page", term, text, origin=origin, turn=turn, complete=False))
            return ledger.with_facts(*new)
        case Missing(_, similar):
            missing = fact("row", f"search {term}", list(similar), origin=origin, turn=turn)
            return ledger.with_facts(_opened(None, origin, turn), missing)
        case _:
            return ledger


def _looked_up(ledger: Ledger, word: str, body: Any, origin: FactOrigin) -> Ledger:
    reader = ledger.get("cwd", OPEN)
    if isinstance(body, Sentence) and body.name == "no_page":
        return ledger.with_facts(_opened(None, origin, ledger.turn))
    if reader is None or reader.value["title"] is None:
        return ledger.with_facts(without=[f"cwd:{OPEN}"])
    seen = ledger.get("row", _key(word))
    shown = dict(seen.value["shown"]) if seen is not None else {}
    match body:
        case Result(number, of, text) if 1 <= number <= of:
            shown[str(number)] = text
        case Sentence("no_results"):
            number, of = 0, 0
        case Sentence("no_more") if seen is not None:
            number, of = PAST_THE_LAST, seen.value["of"]
        case _:
            return ledger.with_facts(without=[f"cwd:{OPEN}"])
    if seen is not None and seen.value["of"] != of:
        return ledger.with_facts(without=[f"cwd:{OPEN}", seen.id])
    place = {**reader.value, "word": word, "number": number}
    # what was opened by a model stays hearsay, whoever answered since
    trust: FactOrigin = "model" if "model" in (origin, reader.origin) else origin
    return ledger.with_facts(
        fact("cwd", OPEN, place, origin=trust, turn=ledger.turn),
        fact("row", _key(word), {"of": of, "shown": shown}, origin=trust, turn=ledger.turn),
    )


def _text(number: int, of: int, shown: dict[str, str]) -> str | None:
    if of == 0:
        return react.NO_RESULTS
    if number > of:
        return react.NO_MORE
    text = shown.get(str(number))
    return None if text is None else f"(Result {number}/{of}) {text}"


def _opened(title: str | None, origin: FactOrigin, turn: int) -> Fact:
    place = {"title": title, "word": None, "number": 0}
    return fact("cwd", OPEN, place, origin=origin, turn=turn)


def asked(ledger: Ledger) -> list[Fact]:
    """What lookups in the open page have found."""
    return [f for f in ledger.facts.values() if f.kind == "row" and f.key.startswith("lookup ")]


def _key(word: str) -> str:
    return f"lookup {word}"


def _in(lookup: Fact, word: str) -> bool:
    """Whether the keyword of a lookup stands in another."""
    return lookup.key.removeprefix("lookup ") in word


def _known(observation: str | None, rule: str, *because: Fact) -> Known | None:
    if observation is None:
        return None
    return Known(
        observation=observation,
        rule=f"search.{rule}",
        because=tuple(one.id for one in because),
        consistent_only=any(one.origin == "model" for one in because),
    )
