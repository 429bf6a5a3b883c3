"""Plain columns beside the scorecard: what anybody can compute and compare."""

from collections import Counter

import msgspec
from rapidfuzz.distance import Indel

from worldline.domains.base import Domain, Ledger

MOST = 20_000
"""Characters of each text that the edit similarity looks at: it grows with their product."""


class Plain(msgspec.Struct, frozen=True, kw_only=True):
    """Four shares, 0 to 1; `None` where a column does not apply to the row."""

    exact: float
    """1 if the texts are equal but for trailing blanks."""
    similarity: float
    """``1 - edits / characters``, insertions and deletions, of at most `MOST` characters."""
    status: float | None
    """1 if both say that the action went the same way; `None` if the truth does not say."""
    changed: float | None
    """F1 of the lines that the action changed in a state that is a tree."""


def plain(
    domain: Domain, ledger: Ledger, action: str, truth: str, given: str, before: str | None
) -> Plain:
    """The columns of one row.

    Args:
        before: the state that the action acts on, where states are trees.
    """
    exact = truth.rstrip() == given.rstrip()
    return Plain(
        exact=float(exact),
        similarity=1.0 if exact else Indel.normalized_similarity(truth[:MOST], given[:MOST]),
        status=_status(domain, ledger, action, truth, given),
        changed=None if before is None else changed_f1(before, truth, given),
    )


def _status(domain: Domain, ledger: Ledger, action: str, truth: str, given: str) -> float | None:
    wanted = domain.status(ledger, action, truth)
    return None if wanted is None else float(domain.status(ledger, action, given) == wanted)


def changed_f1(before: str, truth: str, given: str) -> float | None:
    """How well the predicted change is the true one, over lines; `None` if nothing changed.

    Lines are counted, not placed: a change is the lines that went and the lines that came.
    """
    old = Counter(before.split("\n"))
    true, shown = _change(old, truth), _change(old, given)
    if not true:
        return None
    hit = sum((true & shown).values())
    return 2 * hit / (sum(true.values()) + sum(shown.values()))


def _change(old: Counter[str], text: str) -> Counter[tuple[str, str]]:
    new = Counter(text.split("\n"))
    gone = {("-", line): n for line, n in (old - new).items()}
    came = {("+", line): n for line, n in (new - old).items()}
    return Counter({**gone, **came})
