"""Episodes of the swe explorer: each a generator of moves with a purpose."""

from collections.abc import Callable

from worldline.collect.explorers.swe.desk import Desk
from worldline.collect.explorers.swe.hands import Step
from worldline.collect.explorers.swe.moves.building import add_function, write_script, write_tests
from worldline.collect.explorers.swe.moves.fixing import fix, fix_by_history
from worldline.collect.explorers.swe.moves.reading import survey
from worldline.collect.explorers.swe.moves.reshaping import rename

EPISODES: dict[str, Callable[[Desk], Step[None]]] = {
    "fix": fix,
    "history": fix_by_history,
    "survey": survey,
    "function": add_function,
    "tests": write_tests,
    "script": write_script,
    "rename": rename,
}
"""Kinds of episodes by name."""
