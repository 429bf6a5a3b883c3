"""Talk around an observation, and words of the prompt in it.

A page may quote anything. But a list of results, a JSON object, a note's confirmation or the first
paragraph of an encyclopedia's page has no room for words about itself.
"""

import re
from collections.abc import Iterator
from functools import cache

from worldline.domains.base import Ledger
from worldline.domains.common import load_prompt
from worldline.domains.mcp.actions import Call
from worldline.domains.search import pages, secret
from worldline.domains.search.dialects import nested, numbered
from worldline.domains.search.ledger import body_of
from worldline.domains.search.verdicts import breach, cut
from worldline.domains.talk import Talk, set_aside, talk
from worldline.prediction import Violation

PACKAGE = "worldline.domains.search"
_PLACE = re.compile(r"\{\{\w+\}\}")


def violations(
    ledger: Ledger, call: Call | None, action: str, observation: str
) -> Iterator[Violation]:
    """The breaches of one observation.

    Args:
        call: what the action calls; `None` in a dialect without tools.
    """
    yield from _talk(ledger, call, action, observation)
    span = secret.repeated(_prompt(), observation, action)
    if span is not None:
        message = f"repeats the prompt: {cut(observation[span[0] : span[1]])}"
        yield breach("quotes_prompt", message, span=span)


def _talk(ledger: Ledger, call: Call | None, action: str, observation: str) -> Iterator[Violation]:
    aside = set_aside(observation)
    said = [line for line in aside.said if line.strip() not in action]
    if not said:
        return
    severe = not _quotes(ledger, call, aside.observation)
    for line in said[:3]:
        kind = talk(line) or Talk("reasoning", (0, 0))
        at = observation.find(line)
        yield breach(
            "talk",
            f"{kind.kind} around the observation: {cut(line.strip())}",
            severe=severe or kind.kind == "praise",
            span=(at, at + len(line)) if at >= 0 else None,
        )


def _quotes(ledger: Ledger, call: Call | None, rest: str) -> bool:
    """Whether what is left may be a page of any words, which might begin or end like that."""
    if call is None or call.name not in pages.READERS:
        return False
    if rest.lstrip().startswith("#"):
        return False  # a page that opens with its heading has no line above it
    return not isinstance(body_of(ledger.dialect, rest.strip()), nested.Tree | numbered.Results)


@cache
def _prompt() -> frozenset[tuple[str, ...]]:
    """Runs of words of our own prompts; what a dialect's tools themselves say is none of it."""
    found: frozenset[tuple[str, ...]] = frozenset()
    for style in ("full", "compact"):
        for line in _PLACE.sub("", load_prompt(PACKAGE, style)).split("\n"):
            found |= secret.runs(line)
    return found
