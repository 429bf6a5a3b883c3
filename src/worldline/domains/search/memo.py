"""What the ledger of a search session remembers beside its facts."""

from collections.abc import Mapping

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.mcp.memo import Memo as ToolMemo
from worldline.domains.mcp.memo import is_closed
from worldline.domains.mcp.tools import toolbox
from worldline.domains.search.secret import Secret, secret_of
from worldline.trajectory import Trajectory

OURS = frozenset({"unknown", "simulated", "collected"})
"""Kinds of source whose tools are ours: there our own sentences are the tools' sentences.

A session of unknown source is told on as one of ours; that its engine stands still is not known.
"""


class Ranked(msgspec.Struct, frozen=True):
    """What a query has found: addresses in their order, and the key of the row that shows it."""

    urls: tuple[str, ...]
    row: str
    limit: int | None = None
    """How many were asked for."""


class Memo(ToolMemo, frozen=True, kw_only=True):
    """The tools of the session (as in the MCP domain), and what is special to search."""

    ours: bool = False
    """The session is simulated here: what the reference leaves open is as we define it."""
    strict: bool = False
    """The dialect's actions are all there are."""
    whole: bool = False
    """Every key of the memory is known: one that is not among the facts is not stored."""
    printed: Mapping[str, tuple[str, ...]] = {}
    """What the memory prints (``keys``, ``pairs``) -> the ways that agree with all it showed."""
    assumed: bool = False
    """That the memory was empty and no page open: only sessions of ours are sure to begin so."""
    store_shown: bool = False
    """A page store has listed its keys: they are the facts of kind ``file``."""
    ranked: Mapping[str, Ranked] = {}
    """A query's call without its limits -> the longest list it has found."""
    fields: Mapping[str, tuple[str, ...]] = {}
    """A tool, or a tool and ``[]``, -> the fields of its last answer, or of the hits in it."""
    secret: Secret | None = None
    """What the simulation instruction holds, for the check against leaks."""


def new_memo(trajectory: Trajectory) -> Memo:
    """The memo of a session that has not begun."""
    system = trajectory.system
    ours = trajectory.source.kind in OURS and system.verbatim is None
    return Memo(
        box=toolbox(trajectory.tools),
        closed=ours and is_closed(trajectory),
        assumed=ours and not is_closed(trajectory),
        ours=ours,
        strict=ours and not system.action_space,
        whole=ours,
        secret=secret_of(system.simulation_instruction or ""),
    )


def memo_of(ledger: Ledger) -> Memo:
    """The memo of a ledger; an empty one before `Search.open`."""
    return ledger.memo if isinstance(ledger.memo, Memo) else Memo()


def changed(ledger: Ledger, **changes: object) -> Ledger:
    """The ledger with some fields of its memo replaced."""
    return msgspec.structs.replace(ledger, memo=msgspec.structs.replace(memo_of(ledger), **changes))
