"""The ``react`` dialect: ``Search[title]`` and ``Lookup[keyword]`` on an encyclopedia.

A search shows the first paragraph of a page, or that there is none, with similar titles as Python
prints a list. A lookup shows one paragraph of the current page that holds the keyword, numbered.
"""

import re

import msgspec

from worldline.domains.base import ActionError
from worldline.domains.mcp.dialects import pyrepr

NO_RESULTS = "No Results"
NO_MORE = "No More Results"
NO_PAGE = (
    "The last page Searched was not found, so you cannot Lookup a keyword in it. "
    "Please try one of the similar pages given."
)
RETRY = "Could not find that page, please try again."
INVALID = "Invalid Action. Valid Actions are Lookup[<topic>] Search[<topic>] and Finish[<answer>]."
SENTENCES = {
    "no_results": NO_RESULTS,
    "no_more": NO_MORE,
    "no_page": NO_PAGE,
    "retry": RETRY,
    "invalid": INVALID,
}
"""What is always said in the same words."""

_ACTION = re.compile(r"(\s*)(Search|Lookup|Finish)\[")
_RESULT = re.compile(r"\(Result (\d{1,6})/(\d{1,6})\) ?")
_MISSING, _SIMILAR = "Could not find [", "]. Similar: "


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """An action; `before` and `after` are the blanks around it."""

    name: str
    argument: str
    before: str = ""
    after: str = ""


class Page(msgspec.Struct, frozen=True, tag="page"):
    """The first paragraph of a page."""

    text: str


class Missing(msgspec.Struct, frozen=True, tag="missing"):
    """There is no such page; these are similar."""

    term: str
    similar: tuple[str, ...]


class Result(msgspec.Struct, frozen=True, tag="result"):
    """Paragraph `number` of the `of` that hold the keyword."""

    number: int
    of: int
    text: str


class Sentence(msgspec.Struct, frozen=True, tag="sentence"):
    """One of `SENTENCES`, by name."""

    name: str


class Observation(msgspec.Struct, frozen=True):
    """The parse of an observation; text in no other form is a page."""

    body: Page | Missing | Result | Sentence


def parse_action(text: str) -> Step:
    """The step in `text`.

    Raises:
        ActionError: it is not of the form ``Name[argument]``.
    """
    head = _ACTION.match(text)
    end = text.rfind("]")
    if head is None or end < head.end() or text[end + 1 :].strip():
        raise ActionError("expected Search[title], Lookup[keyword] or Finish[answer]")
    return Step(head[2], text[head.end() : end], head[1], text[end + 1 :])


def render_action(step: Step) -> str:
    """The text of a step, exactly."""
    return f"{step.before}{step.name}[{step.argument}]{step.after}"


def parse_observation(text: str) -> Observation:
    """The observation in `text`. Never raises."""
    for name, sentence in SENTENCES.items():
        if text == sentence:
            return Observation(Sentence(name))
    if text.startswith("(Result "):
        made = _result(text)
    elif text.startswith(_MISSING):
        made = _missing(text)
    else:
        made = None
    if made is not None and render_observation(made) == text:
        return made
    return Observation(Page(text))


def render_observation(observation: Observation) -> str:
    """The text of an observation, exactly."""
    match observation.body:
        case Missing(term, similar):
            return f"{_MISSING}{term}{_SIMILAR}{list(similar)!r}"
        case Result(number, of, text):
            return f"(Result {number}/{of}) {text}"
        case Sentence(name):
            return SENTENCES[name]
        case Page(text):
            return text


def _result(text: str) -> Observation | None:
    head = _RESULT.match(text)
    if head is None:
        return None
    return Observation(Result(int(head[1]), int(head[2]), text[head.end() :]))


def _missing(text: str) -> Observation | None:
    at = text.find(_SIMILAR, len(_MISSING))
    if at < 0:
        return None
    try:
        similar = pyrepr.parse_fields(f"similar={text[at + len(_SIMILAR) :]}")["similar"]
    except ValueError:
        return None
    if not isinstance(similar, list) or not all(isinstance(one, str) for one in similar):
        return None
    return Observation(Missing(text[len(_MISSING) : at], tuple(similar)))
