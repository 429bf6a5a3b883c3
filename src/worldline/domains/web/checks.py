"""Rules that need no truth: what a browser cannot show, given the action and the page before.

Errors claim that a state is impossible; the rest is odd at most: pages do as they like. Rules of
form, of the action and of the page before stand in modules of their own, by dialect.
"""

from collections.abc import Iterator

from worldline.domains.base import Known, Ledger
from worldline.domains.common import leaks
from worldline.domains.web import rules_action, rules_before, rules_form
from worldline.domains.web.case import case_of, short
from worldline.domains.web.dialects import browsergym, errorlog
from worldline.domains.web.measures import status
from worldline.domains.web.memo import form_of, memo_of
from worldline.domains.web.protocol import reject
from worldline.domains.web.sentences import sentence
from worldline.prediction import Violation
from worldline.trees import Tree, parsed

_ONE_ACTION = "Received a multi-action"


def violations(ledger: Ledger, action: str, observation: str) -> list[Violation]:
    """Everything this observation breaks, as the answer to this action at this point."""
    found = leaks(observation, f"{action}\n{memo_of(ledger).text or ''}")
    rejected = reject(ledger, action)
    tree = parsed(form_of(ledger).tree, observation)
    if rejected is not None:
        found += _against_protocol(ledger.dialect, rejected, tree, observation)
    if tree is None:
        found += _no_page(ledger, action, observation)
        return found
    case = case_of(ledger, action, observation, tree)
    for rules in (rules_form.RULES, rules_action.RULES, rules_before.RULES):
        for rule in rules[ledger.dialect]:
            found += rule(case)
    return found


def _against_protocol(
    dialect: str, rejected: Known, tree: Tree | None, text: str
) -> Iterator[Violation]:
    """What the harness rejects fails, in its own words."""
    said = _first_words(dialect, rejected.observation)
    failed = status(dialect, text) == "error" or (tree is not None and browsergym.failed(tree))
    if tree is not None and not failed:
        yield Violation(
            rule="succeeds_against_protocol",
            severity="error",
            message=f"the action must fail: {said[-200:]}",
            span=(0, text.find("\n") % (len(text) + 1)),
        )
    elif failed and _first_words(dialect, text) != said and _ONE_ACTION not in text:
        yield Violation(
            rule="rejection_words",
            severity="error",
            message=f"this action is rejected with {short(said[-200:])}",
            span=(0, len(text.partition("\n\n")[0])),
        )


def _first_words(dialect: str, text: str) -> str:
    """The complaint itself, without a page below it."""
    if dialect == "labelled":
        return text.strip()
    return text.lstrip().removeprefix(f"{errorlog.HEADING}\n").partition("\n")[0].strip()


def _no_page(ledger: Ledger, action: str, text: str) -> Iterator[Violation]:
    if not sentence(ledger, action, text):
        yield Violation(
            rule="no_page",
            severity="error",
            message=f"neither a page nor an error: {short(text)}",
            span=(0, len(text)),
        )
