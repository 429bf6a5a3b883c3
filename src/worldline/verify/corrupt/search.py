"""Corruptions and benign variants of the search domain.

Words and numbers are changed where a tool says something of the world; what the session itself has
put there (an echoed title, a note, the number of a lookup) has corruptions of its own.
"""

import re
from collections.abc import Callable
from random import Random

from worldline.verify.corrupt.base import Corruption
from worldline.verify.corrupt.common import (
    TALK,
    other_number,
    other_word,
    places,
    replaced,
)
from worldline.verify.corrupt.search_lists import (
    RESULT,
    URL,
    listed,
    other_address,
    results_dropped,
    results_invented,
    titles_changed,
)
from worldline.verify.corrupt.search_session import (
    kept_by_session,
    session_contradicted,
    success_flipped,
)
from worldline.verify.corrupt.search_variants import VARIANTS
from worldline.verify.measure import Moment

_FRAME = re.compile(
    r"(?m)^(?:Title|Snippet|Date):|^\[\d{1,6}\] https?://|^\(Result \d{1,6}/\d{1,6}\)"
    r"|^Could not find \[[^\n]{0,500}?\]\. Similar:|^\[Page \d[^\n]*"
    r"|(?:No results found for|No passage of this page fits the goal|Error: (?:404 Not Found"
    r"|could not resolve host|invalid URL|Unknown tool)): [^\n]{0,600}"
    r"|\\*\"(?:score|id)\\*\": ?[^,}]{1,40}"
)
_WORD = re.compile(r'(?<![\\\w])[A-Za-z]{4,}(?!\w*\\*"\s{0,2}:)')
_NUMBER = re.compile(r"(?<![\\\w.:/#-])\d{1,9}(?![\w.:/-])")
_GAP = re.compile(r"\n+|(?:\\n)+|(?<=[.!?]) +")
_INNER = re.compile(r'\{"\w{1,40}": ?"[\[{]')
_SECRET = "The answer to the question asked is {}, as this entry confirms in full."


def _changed(
    pattern: re.Pattern[str], other: Callable[[str, Random], str]
) -> Callable[[Moment, Random, float], str | None]:
    """A corruption that puts another text at places a pattern finds outside of the frame."""

    def make(moment: Moment, rng: Random, heaviness: float) -> str | None:
        text = moment.truth
        frames = [match.span() for match in _FRAME.finditer(text)]
        found = [
            match
            for match in pattern.finditer(text)
            if not any(start <= match.start() < end for start, end in frames)
        ]
        if kept_by_session(moment):
            return None
        return replaced(text, found, rng, heaviness, lambda match: other(match[0], rng))

    return make


def _page(moment: Moment) -> tuple[int, int] | None:
    """Where a page's text stands; `None` in any other answer."""
    text = moment.truth
    of_list = text.startswith(("Could not", "[1] ")) or _INNER.match(text) is not None
    if kept_by_session(moment) or of_list:
        return None
    lookup = re.match(r"\(Result \d+/\d+\) ", text)
    wrapped = re.match(r'\{"\w{1,40}": ?"', text)
    head = lookup or wrapped
    return (head.end() if head else 0), len(text) - (2 if wrapped else 0)


def sentences_dropped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Lines or sentences of a page are missing; half of them at most."""
    place = _page(moment)
    if place is None:
        return None
    start, end = place
    ends = [m.end() for m in _GAP.finditer(moment.truth, start, end)]
    pieces = list(zip([start, *ends], [*ends, end], strict=True))
    full = [i for i, (a, b) in enumerate(pieces) if re.search(r"[A-Za-z]{3}", moment.truth[a:b])]
    if len(full) < 3:
        return None
    gone = {full[i] for i in places(rng, len(full), heaviness / 2)}
    kept = "".join(moment.truth[a:b] for i, (a, b) in enumerate(pieces) if i not in gone)
    return moment.truth[:start] + kept + moment.truth[end:]


def cut_off(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A page or a list of results stops early."""
    place, found = _page(moment), listed(moment)
    share = 0.9 - 0.6 * heaviness
    if found is not None and len(found[0]) > 2:
        return found[1](found[0][: max(1, int(len(found[0]) * share))])
    ends = [m.start() for m in _GAP.finditer(moment.truth, *place)] if place else []
    if len(ends) < 4 or place is None:
        return None
    return moment.truth[: ends[int(len(ends) * share) - 1]] + moment.truth[place[1] :]


def answer_leaked(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A line gives the hidden answer away, below a page or below results."""
    if kept_by_session(moment) or len(moment.truth) < 60 or moment.truth.startswith("Could not"):
        return None
    line = _SECRET.format(other_word("Marrowbone", rng))
    place, found = _page(moment), listed(moment)
    if found is not None and isinstance(found[0][0], dict):
        hits = [dict(one) for one in found[0]]
        for i in places(rng, len(hits), heaviness):
            name = next((k for k in ("content", "snippet", "title") if k in hits[i]), "content")
            hits[i][name] = f"{hits[i].get(name, '')}\n{line}".lstrip()
        return found[1](hits)
    if place is None:
        return f"{moment.truth.rstrip()}\n{line}" if found is not None else None
    gap = "\\n" if moment.truth[:1] == "{" else "\n"
    more = gap.join([line] * (1 + round(2 * heaviness)))
    return f"{moment.truth[: place[1]].rstrip()}{gap}{more}{moment.truth[place[1] :]}"


# the form


def form_broken(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Brackets, labels, braces of the dialect are others."""
    text, found = moment.truth, listed(moment)
    if text.startswith("{") and len(text) > 20:
        return text[: -1 - round(heaviness)]
    if text.startswith("Could not find ["):
        return text.replace("]. Similar: [", "]. Similar: ", 1)
    if text.startswith("(Result "):
        return text.replace("/", " of ", 1)
    if found is None:
        return None
    blocks = list(found[0])
    for i in places(rng, len(blocks), heaviness):
        blocks[i] = blocks[i].replace("\nTitle: ", "\n**Title**: ")
    return "\n\n".join(blocks)


def numbering_off(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Numbers of results do not count on."""
    found = list(RESULT.finditer(moment.truth))
    if not moment.truth.startswith("[1] ") or not found:
        return None
    text = moment.truth
    for i in reversed(places(rng, len(found), heaviness)):
        number = str(int(found[i][1]) + len(found) + i)
        text = text[: found[i].start(1)] + number + text[found[i].end(1) :]
    return text


def fields_renamed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Fields of a JSON answer have other names."""
    found = list(re.finditer(r'\{(?:\\)?"(\w{2,30})(?:\\)?":', moment.truth))
    if not moment.truth.startswith("{") or kept_by_session(moment):
        return None
    return replaced(moment.truth, found, rng, heaviness, lambda name: f"{name[1]}_text", group=1)


CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("sentences_dropped", "quality", sentences_dropped),
    Corruption("cut_off", "quality", cut_off),
    Corruption("results_dropped", "quality", results_dropped),
    Corruption("results_invented", "quality", results_invented),
    Corruption("answer_leaked", "quality", answer_leaked),
    Corruption("numbers_changed", "factuality", _changed(_NUMBER, other_number)),
    Corruption("content_replaced", "factuality", _changed(_WORD, other_word)),
    Corruption("addresses_changed", "factuality", _changed(URL, other_address)),
    Corruption("titles_changed", "factuality", titles_changed),
    Corruption("success_flipped", "factuality", success_flipped),
    Corruption("form_broken", "format", form_broken),
    Corruption("numbering_off", "format", numbering_off),
    Corruption("fields_renamed", "format", fields_renamed),
    Corruption("session_contradicted", "consistency", session_contradicted),
    *TALK,
)
__all__ = ["CORRUPTIONS", "VARIANTS"]
