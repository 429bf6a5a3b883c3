"""Actions that never reach the page, and what the agent is told instead.

BrowserGym (browsergym-core 0.14.3, ``action/highlevel.py``) finds calls in the text, refuses names
it does not know before it runs any, and lets Python complain about arguments; what it says is the
exception's name and message. WebVoyager answers every action it cannot read with one sentence.
Where the harness might be more lenient than we are, nothing is claimed.
"""

from worldline.domains.base import ActionError, Known, Ledger
from worldline.domains.web.actions import arguments, misfit, parse_script
from worldline.domains.web.dialects import errorlog, labelled
from worldline.domains.web.functions import FUNCTIONS
from worldline.domains.web.memo import memo_of

_READ_BY_WEBVOYAGER = ("Click ", "Type ", "Scroll ", "ANSWER")
_READ_AT_THE_START = ("Wait", "GoBack", "Google")


def reject(ledger: Ledger, action: str) -> Known | None:
    """The answer to an action that the harness itself rejects; `None` when that is not certain."""
    if ledger.dialect == "browsergym":
        return _browsergym(ledger, action)
    if ledger.dialect == "labelled":
        return _labelled(action)
    return None


def _browsergym(ledger: Ledger, action: str) -> Known | None:
    memo = memo_of(ledger)
    complaint = _complaint(action, memo.offered)
    if complaint is None or memo.text is None:
        return None
    error = f"{errorlog.HEADING}\nError: {complaint}\n\n"
    return Known(
        observation=error + memo.text,
        rule="web.rejected_call",
        origin="protocol",
        consistent_only=memo.origin == "model",
    )


def _complaint(action: str, offered: str) -> str | None:
    try:
        calls = parse_script(action).calls
    except ActionError:
        return None if "(" in action else "ValueError: Received an empty action."
    unknown = next((call.name for call in calls if call.name not in FUNCTIONS), None)
    if unknown is not None:  # looked for in all calls before the first is run
        return None if unknown in offered else f"NameError: Invalid action type '{unknown}'."
    wrong = misfit(calls[0])
    if wrong is not None:
        # Newer Pythons add a guess of what was meant.
        return None if "unexpected keyword" in wrong else f"TypeError: {wrong}"
    found = arguments(calls[0])
    bid = found.get("bid", found.get("from_bid", ""))
    return None if isinstance(bid, str) else f"ValueError: expected a string, got {bid!r}"


def _labelled(action: str) -> Known | None:
    readable = any(word in action for word in _READ_BY_WEBVOYAGER)
    if readable or action.strip().removeprefix("Action:").lstrip().startswith(_READ_AT_THE_START):
        return None
    return Known(observation=labelled.FAILED, rule="web.unreadable_action", origin="protocol")
