"""Explorers: who acts when trajectories are collected. One module (or package) a domain."""

import importlib

from worldline.collect.explorers.base import Explorer, Family, Move
from worldline.errors import UsageError

__all__ = ["Explorer", "Family", "Move", "explorer"]

HOMES = {
    "mcp": "worldline.collect.explorers.mcp:McpExplorer",
    "search": "worldline.collect.explorers.search:SearchExplorer",
    "swe": "worldline.collect.explorers.swe:SweExplorer",
    "terminal": "worldline.collect.explorers.terminal:TerminalExplorer",
}


def explorer(domain: str) -> type[Explorer]:
    """The explorer of a domain.

    Raises:
        UsageError: it has none.
    """
    if domain not in HOMES:
        raise UsageError(
            f"there is no explorer for {domain!r}", remedy=f"There are: {', '.join(sorted(HOMES))}."
        )
    module, _, name = HOMES[domain].partition(":")
    found = getattr(importlib.import_module(module), name)
    assert issubclass(found, Explorer)
    return found
