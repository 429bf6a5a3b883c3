"""A tree state for a person: an outline with the ids to act on, what is new in it marked.

The text of a page or a screen is long and full of attributes; the outline has a node a line behind
its handle, cut around what was acted on. `:screen` shows it whole, `:text` as the agent gets it.
"""

from collections import Counter

from worldline.trees import TreeForm, view

LINES = 40
"""Lines of an outline that are shown unasked."""


def outline(
    tree: TreeForm, state: str, *, before: str = "", action: str = "", lines: int | None = LINES
) -> str:
    """The state, a node a line; lines that the state before did not have are marked ``*``.

    Args:
        action: what a cut outline is cut around.
        lines: the most that are shown; `None` for all.
    """
    text, _ = view(tree, state, action=action, budget=lines, count=_lines)
    if not before or before == state:
        return _indented(text, "  ") + ("\n  (nothing has changed)" if before else "")
    old = Counter(_bare(line) for line in view(tree, before)[0].split("\n"))
    marked = []
    for line in text.split("\n"):
        known = old[_bare(line)] > 0 or line.startswith("... ")
        old[_bare(line)] -= 1
        marked.append(("  " if known else "* ") + line)
    return "\n".join(marked)


def _lines(text: str) -> int:
    return text.count("\n") + bool(text)


def _bare(line: str) -> str:
    """The line without indentation and handle, which may be another for the same node."""
    return line.lstrip(" ").partition(" ")[2]


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line for line in text.split("\n"))
