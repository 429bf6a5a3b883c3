"""A state as a model and a person see it: one node a line, each behind its handle.

What does not fit a budget is left out around the node that the action is aimed at; lines that say
how much is missing stand in its place. A model can still keep all of it: an edit script names only
what changes.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from worldline.trees.align import Pairs, align
from worldline.trees.line import write
from worldline.trees.node import Tree, TreeForm, by_ref, parsed


def view(
    form: TreeForm,
    state: str,
    *,
    action: str = "",
    budget: int | None = None,
    count: Callable[[str], int] = len,
) -> tuple[str, int]:
    """The state with handles, and how many of its nodes (lines, if it is no tree) are left out.

    Args:
        action: what a cut view is cut around.
        budget: the most that `count` may say of the view.
        count: characters if not given; tokens of a model.
    """
    tree = parsed(form, state)
    if tree is None:
        lines, target = state.split("\n"), None
    else:
        handles = form.handles(tree)
        lines = [
            " " * node.depth + f"{handle} {write(node, form.main, ref=False)}"
            for handle, node in zip(handles, tree.nodes, strict=True)
        ]
        target = form.target(action, tree) if action else None
    if budget is None or count("\n".join(lines)) <= budget:
        return "\n".join(lines), 0
    notes = count(f"... {len(lines)} above\n... {len(lines)} below\n")
    first, last = _window([count(line) + 1 for line in lines], target, budget - notes)
    return _cut(lines, first, last), len(lines) - (last - first)


def _window(sizes: Sequence[int], target: int | None, room: int) -> tuple[int, int]:
    """The stretch of lines around `target` (the top, without one) that takes at most `room`."""
    first = last = min(target or 0, max(len(sizes) - 1, 0))
    total = 0
    while True:
        grown = False
        # Below what is acted on more changes than above it.
        for _ in range(2):
            if last < len(sizes) and total + sizes[last] <= room:
                total, last, grown = total + sizes[last], last + 1, True
        if first > 0 and total + sizes[first - 1] <= room:
            first, grown = first - 1, True
            total += sizes[first]
        if not grown:
            return first, last


def _cut(lines: Sequence[str], first: int, last: int) -> str:
    shown = list(lines[first:last])
    if first:
        shown.insert(0, f"... {first} above")
    if last < len(lines):
        shown.append(f"... {len(lines) - last} below")
    return "\n".join(shown)


def same_nodes(form: TreeForm, before: Tree, after: Tree) -> Pairs:
    """Which node of a state is which of the next, as (index before, index after).

    Nodes that keep their key are the same wherever they stand, if the key is theirs alone.
    """
    pairs = align(before.nodes, after.nodes, form.key)
    old = _alone(form, before, {i for i, _ in pairs})
    new = _alone(form, after, {j for _, j in pairs})
    return pairs + [(i, new[key]) for key, i in old.items() if key in new]


def _alone(form: TreeForm, tree: Tree, taken: set[int]) -> dict[Hashable, int]:
    """Key -> node, of those that are not taken and have their key alone."""
    counts = Counter(form.key(node) for node in tree.nodes)
    keys = {i: form.key(node) for i, node in enumerate(tree.nodes) if i not in taken}
    return {key: i for i, key in keys.items() if counts[key] == 1}


def moved(form: TreeForm, before: str, after: str) -> bool:
    """Whether a view of the state before names nodes wrongly, or lacks names, in the one after.

    Edits do not tell the number of a new node; an id that the source shows stands in its line.
    """
    old, new = parsed(form, before), parsed(form, after)
    if old is None or new is None:
        return True
    was, now = form.handles(old), form.handles(new)
    pairs = align(old.nodes, new.nodes, form.key)
    if any(was[i] != now[j] for i, j in pairs):
        return True
    same = {j for _, j in pairs}
    added = [j for j in range(len(now)) if j not in same]
    if form.handles is not by_ref:
        return bool(added)
    gone = set(was).difference(was[i] for i, _ in pairs)
    return any(now[j] in gone for j in added)
