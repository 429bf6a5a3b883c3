"""Goals by server: what an agent would want of it, beyond what its schema tells."""

import importlib
from collections.abc import Sequence

from worldline.collect.explorers.mcp.hand import Maker

_MODULES = {
    "cli": "commands",
    "duckdb": "analysis",
    "everything": "samples",
    "excel": "sheets",
    "fetch": "site",
    "filesystem": "files",
    "git": "repository",
    "memory": "graph",
    "ppt": "slides",
    "sequential-thinking": "thoughts",
    "sqlite": "shop",
    "time": "clock",
    "word": "letters",
}


def goals(server: str) -> Sequence[tuple[float, Maker]]:
    """(weight, maker) of the goals at a server of the list; none for an unknown one."""
    if server not in _MODULES:
        return ()
    module = importlib.import_module(f"{__name__}.{_MODULES[server]}")
    return module.GOALS
