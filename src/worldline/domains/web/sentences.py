"""What a browser's harness may say instead of a page."""

from collections.abc import Mapping

from worldline.domains.base import Ledger
from worldline.domains.web.ledger import doings

ERRORS: Mapping[str, tuple[str, ...]] = {
    "browsergym": ("Error",),
    "labelled": ("The action you have chosen", "Format ERROR", "note:", "You downloaded"),
    "playwright": ("###", "Error"),
}
"""How text begins that is no page, but what this harness may say."""
LAST_WORDS = frozenset({"send_msg_to_user", "report_infeasible"})


def sentence(ledger: Ledger, action: str, text: str) -> bool:
    """Whether a text that is no page may be the answer to an action."""
    if text.lstrip().startswith(ERRORS[ledger.dialect]):
        return True
    silent = not text and ledger.dialect == "labelled"  # nothing with text can be clicked
    return silent or any(deed.verb in LAST_WORDS for deed in doings(ledger, action))
