"""Tasks: what an agent is asked to do, and how success is decided, the same in both worlds.

    from worldline.tasks import read_tasks
    from worldline.tasks.agents import ReferenceAgent
    from worldline.tasks.run import run

    task = read_tasks("terminal")[0]
    with environment(task.environment.name, **task.environment.options) as real:
        print(run(task, real, ReferenceAgent()).success)

`task` has the records, `read` reads and checks them, `checks` is the check language, `run` lets an
agent at a task in a real or simulated environment. See docs/tasks.md.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline.tasks.read import read_tasks
    from worldline.tasks.task import Check, Place, Probe, Task

__all__ = ["SETS", "Check", "Place", "Probe", "Task", "read_tasks"]

SETS = ("terminal", "swe", "mcp", "search")
"""Built-in sets, by their domain's id."""

_HOME = {
    "read_tasks": "worldline.tasks.read",
    **dict.fromkeys(("Check", "Place", "Probe", "Task"), "worldline.tasks.task"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'worldline.tasks' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
