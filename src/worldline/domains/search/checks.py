"""Rules that need no truth: what an observation cannot be, given the action and the session.

Errors are claims of impossibility: an answer other than the one that follows, a lookup out of turn,
a page stored under another key, gaps in the numbers of results, the simulation instruction's own
words. In a session that was collected from tools of ours, or simulated, documents and engine stand
still, so an address keeps its title and text, a query its results, and limits are obeyed; on the
live web, and where the source is not known, that is a warning.
"""

import re
from collections.abc import Iterator
from functools import cache

from worldline.domains.base import Known, Ledger
from worldline.domains.common import leaks, load_prompt, shortened
from worldline.domains.mcp.protocol import lenient
from worldline.domains.search import ledger as rules
from worldline.domains.search import react_checks, secret, tool_checks
from worldline.domains.search.memo import memo_of
from worldline.domains.search.prompt import PACKAGE
from worldline.domains.search.verdicts import breach, cut, still
from worldline.prediction import Violation

_PLACE = re.compile(r"\{\{\w+\}\}")


def violations(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this action at this point."""
    found = leaks(observation, action)
    observation = observation.rstrip()
    found += _leaked(ledger, action, observation)
    found += _quoted(action, observation)
    refused = rules.protocol(ledger, action)
    if refused is not None:  # it never reached a tool
        return found + list(_rejected(ledger, action, refused, observation))
    found += _contradiction(ledger, rules.known(ledger, action), observation)
    if ledger.dialect == "react":
        step = rules.step_of(action)
        if step is not None:
            found += react_checks.violations(ledger, step, observation)
        return found
    call = rules.call_of(action)
    if call is not None:
        found += tool_checks.violations(ledger, call, observation)
    return found


def _leaked(ledger: Ledger, action: str, observation: str) -> Iterator[Violation]:
    kept = memo_of(ledger).secret
    if kept is None:
        return
    span = secret.quoted(kept, observation, action)
    if span is not None:
        yield Violation(
            rule="quotes_instruction",
            severity="error",
            message="repeats the words of the simulation instruction",
            span=span,
        )
    span = secret.gives_away(kept, observation, action)
    if span is not None and _is_search(ledger, action):
        yield Violation(
            rule="gives_answer_away",
            severity="warning",
            message="a search result holds the whole reference answer",
            span=span,
        )


def _quoted(action: str, observation: str) -> Iterator[Violation]:
    """Words of our own prompts, which no tool repeats."""
    span = secret.repeated(_prompt(), observation, action)
    if span is not None:
        message = f"repeats the prompt: {cut(observation[span[0] : span[1]])}"
        yield breach("quotes_prompt", message, span=span)


@cache
def _prompt() -> frozenset[tuple[str, ...]]:
    """Runs of words of the prompt that all dialects share; it holds nothing a tool says."""
    found: frozenset[tuple[str, ...]] = frozenset()
    for style in ("full", "compact"):
        for line in _PLACE.sub("", load_prompt(PACKAGE, style)).split("\n"):
            found |= secret.runs(line)
    return found


def _is_search(ledger: Ledger, action: str) -> bool:
    """Whether the action asks for results and not for a page."""
    if ledger.dialect == "react":
        return False  # its searches return pages
    call = rules.call_of(action)
    return call is not None and not rules.address(call)


def _contradiction(ledger: Ledger, known: Known | None, observation: str) -> Iterator[Violation]:
    if known is not None and known.observation.rstrip() != observation.rstrip():
        settled = shortened(known.observation)
        yield Violation(
            rule="contradicts_session",
            severity="warning" if known.consistent_only or _assumed(ledger, known) else "error",
            message=f"{known.rule}: the session settles this answer: {settled}",
            because=known.because,
        )


def _assumed(ledger: Ledger, known: Known) -> bool:
    """Whether an answer rests on how sessions of ours begin and speak, and this may be another's.

    Its memory may have held notes before, or a page may have been open.
    """
    begun = known.rule == "search.no_page" or known.rule.startswith("search.memory_")
    return begun and memo_of(ledger).assumed


def _rejected(ledger: Ledger, action: str, refused: Known, observation: str) -> Iterator[Violation]:
    """The action is one the protocol rejects; the answer must not look like a result.

    In a session of ours the words of the refusal are settled too.
    """
    if observation.rstrip() == refused.observation.rstrip():
        return
    settled = still(ledger) or refused.rule == "search.invalid_action"
    if settled or not _says_error(observation):
        taken = refused.rule == "search.invalid_action" or lenient(ledger, action)
        yield breach(
            "succeeds_against_protocol",
            f"the action must fail: {shortened(refused.observation)}",
            severe=memo_of(ledger).closed or not taken,
            span=(0, len(observation)),
        )


def _says_error(observation: str) -> bool:
    return "error" in observation[:300].lower() or "invalid" in observation[:300].lower()
