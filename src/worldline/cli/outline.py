"""A tree state for a person: an outline with the ids to act on, and what has changed in it.

The text of a page or a screen is long and full of attributes; the outline has a node a line behind
its handle. Marks: ``+`` new, ``~`` changed, ``#`` the same node under another id, ``>`` moved. What
has changed is always shown, with what was acted on and around it; the rest only as far as there is
room. `:screen` shows it whole, `:text` as the agent gets it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from worldline.trees import Node, Tree, TreeForm, parsed, same_nodes, view

LINES = 40
"""Lines of an outline that are shown unasked."""
NAMED = 4
"""Nodes that are gone and named."""


class Change(NamedTuple):
    """What became of a state: the mark of each new node, and the handles of those that are gone."""

    marks: dict[int, str]
    gone: list[str]

    def told(self) -> str:
        """In words: ``2 changed, 1 new, 3 gone (12 link, 14 button, 15 link)``."""
        names = {"~": "changed", "+": "new", "#": "under another id", ">": "moved"}
        counts = [
            f"{sum(mark == sign for mark in self.marks.values())} {name}"
            for sign, name in names.items()
            if sign in self.marks.values()
        ]
        if self.gone:
            more = ", ..." if len(self.gone) > NAMED else ""
            counts.append(f"{len(self.gone)} gone ({', '.join(self.gone[:NAMED])}{more})")
        return ", ".join(counts) or "nothing has changed"


def change(tree: TreeForm, before: str, after: str) -> Change | None:
    """What became of the state before; `None` where one of the two is no state."""
    old, new = parsed(tree, before), parsed(tree, after)
    if old is None or new is None:
        return None
    was, now = tree.handles(old), tree.handles(new)
    pairs, marks = same_nodes(tree, old, new), {}
    order = sorted(pairs)
    for place, (i, j) in enumerate(sorted(pairs, key=lambda pair: pair[1])):
        if _bare(old.nodes[i]) != _bare(new.nodes[j]):
            marks[j] = "~"
        elif was[i] != now[j]:
            marks[j] = "#"
        elif order[place] != (i, j):
            marks[j] = ">"
    stay, there = {i for i, _ in pairs}, {j for _, j in pairs}
    marks |= {j: "+" for j in range(len(now)) if j not in there}
    gone = [f"{was[i]} {old.nodes[i].kind}" for i in range(len(was)) if i not in stay]
    return Change(marks, gone)


def _bare(node: Node) -> tuple[object, ...]:
    return node.kind, node.attrs


def outline(
    tree: TreeForm, state: str, *, before: str = "", action: str = "", lines: int | None = LINES
) -> str:
    """The state, a node a line, marked and cut.

    Args:
        before: the state before; without one nothing is marked.
        action: what it was, so that the node it was aimed at is shown.
        lines: about the most that are shown; `None` for all.
    """
    text, _ = view(tree, state)
    rows, now = text.split("\n"), parsed(tree, state)
    found = change(tree, before, state) if before else None
    marks = found.marks if found else {}
    marked = [f"{marks.get(i, ' ')} {row}" for i, row in enumerate(rows)]
    if lines is not None:
        target = tree.target(action, now) if action and now else None
        marked = _cut(marked, _wanted(now, marks, target, lines))
    return "\n".join([*marked, *([f"  ({found.told()})"] if found else [])])


def _wanted(tree: Tree | None, marks: dict[int, str], target: int | None, lines: int) -> set[int]:
    """The lines to show: what has changed, what was acted on, then their surroundings."""
    size = len(tree.nodes) if tree else 0
    if size <= lines:
        return set(range(size))
    centres = [*sorted(marks), *([] if target is None else [target])] or [0]
    wanted: set[int] = set(centres[:lines])
    for distance in range(1, lines):
        for centre in centres[:lines]:
            for near in (centre + distance, centre - distance):
                if len(wanted) >= lines:
                    return wanted
                if 0 <= near < size:
                    wanted.add(near)
    return wanted


def _cut(rows: Sequence[str], wanted: set[int]) -> list[str]:
    shown: list[str] = []
    missing = 0
    for number, row in enumerate([*rows, ""]):
        if number in wanted or number == len(rows):
            if missing:
                shown.append(f"  ... {missing} more (:screen shows all)")
            missing = 0
            if number in wanted:
                shown.append(row)
        else:
            missing += 1
    return shown
