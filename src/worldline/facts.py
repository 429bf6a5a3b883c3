"""Facts: what a session has established, each with where it came from.

A ledger computes with facts and never runs anything. `origin` decides how far an answer that rests
on a fact may be trusted: what was ``given`` (snapshot, initial state), observed in a ``real``
environment, or done by the agent's own ``action`` is certain; what only a ``model`` said is
consistent with the session, not true.
"""

from typing import Any, Literal

import msgspec

FactKind = Literal["file", "cwd", "env", "entity", "memory", "row", "page", "tree", "tool"]
FactOrigin = Literal["given", "real", "action", "model"]


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One established fact.

    `complete=False` matters: what is absent from a partial listing may still exist.
    `turn` is the number of the turn that established it, 0 for what held before the first.
    """

    id: str
    kind: FactKind
    key: str
    value: Any
    complete: bool = True
    origin: FactOrigin
    turn: int = 0


def fact(
    kind: FactKind,
    key: str,
    value: Any,
    *,
    origin: FactOrigin,
    turn: int = 0,
    complete: bool = True,
) -> Fact:
    """A `Fact` whose id is its kind and key, so that a later one of the same thing replaces it."""
    return Fact(
        id=f"{kind}:{key}",
        kind=kind,
        key=key,
        value=value,
        complete=complete,
        origin=origin,
        turn=turn,
    )
