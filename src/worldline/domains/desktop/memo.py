"""What the ledger of a desktop remembers beside its facts."""

import msgspec

from worldline.domains.base import Ledger
from worldline.trees import Tree

KEPT = 20
"""Typed texts that are remembered."""


class Memo(msgspec.Struct, frozen=True, kw_only=True):
    """The newest screen; without a tree before the first one, and after a text that is none."""

    tree: Tree | None = None
    text: str | None = None
    shell: Ledger | None = None
    """The shell in the only terminal, on paper; `None`: nothing is known of it."""
    typed: tuple[str, ...] = ()


def memo_of(ledger: Ledger) -> Memo:
    """The desktop's own part of a ledger."""
    return ledger.memo if isinstance(ledger.memo, Memo) else Memo()
