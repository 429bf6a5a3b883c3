"""From two states to an edit script.

`diff` checks its own work: a script that does not give the new state exactly is never returned;
the whole text is, behind ``= none``. It is whole too when under 30 % of the nodes stay.
"""

from collections.abc import Sequence
from typing import NamedTuple

from worldline.trees.align import Pairs, align
from worldline.trees.edit import apply, assigned, subtree_ends
from worldline.trees.line import name_text, pair, quoted, write
from worldline.trees.node import Node, Tree, TreeForm, Value
from worldline.trees.patch import KEEP, NONE, PatchError
from worldline.trees.shift import find_runs, shifted, write_by

SURVIVE = 0.3
"""The share of nodes that must stay for an edit to be better than the new text."""


def diff(form: TreeForm, before: str, after: str) -> str:
    """The edit script that turns one state into the next: ``apply(form, diff(a, b), a) == b``."""
    if after == before:
        return KEEP
    whole = f"{NONE}\n{after}"
    old, new = form.parse(before), form.parse(after)
    if old is None or new is None:
        return whole
    near = form.near(old, new)
    for target in (near, new) if near is not new else (new,):
        script = _script(form, old, target)
        if script is not None and len(script) < len(whole) and _gives(form, script, before, after):
            return script
    return whole


def _script(form: TreeForm, old: Tree, new: Tree) -> str | None:
    """The edits; `None` if too little stays."""
    pairs = align(old.nodes, new.nodes, form.key)
    if len(pairs) < SURVIVE * max(len(old.nodes), len(new.nodes)):
        return None
    return "\n".join([KEEP, *_Writer(form, old, new).lines(pairs)])


def _gives(form: TreeForm, script: str, before: str, after: str) -> bool:
    try:
        return apply(form, script, before) == after
    except PatchError:
        return False


class _Writer(NamedTuple):
    form: TreeForm
    old: Tree
    new: Tree

    def lines(self, pairs: Pairs) -> list[str]:
        handles, nodes = self.form.handles(self.old), list(self.old.nodes)
        ends = subtree_ends(nodes)
        kept = dict(pairs)
        shifts = []
        for first, last, by in find_runs(nodes, self.new.nodes, pairs):
            shifts.append(f"~ {handles[first]}..{handles[last]} {write_by(by)}")
            nodes[first : last + 1] = [shifted(node, by) for node in nodes[first : last + 1]]
        changes = [self._change(handles[i], nodes[i], self.new.nodes[j]) for i, j in pairs]
        removes = _removals([i for i in range(len(nodes)) if i not in kept], handles, ends)
        inserts = self._inserts(pairs, handles, ends)
        return [*shifts, *filter(None, changes), *removes, *inserts]

    def _change(self, handle: str, old: Node, new: Node) -> str | None:
        if old == new:
            return None
        whole = f"~ {handle} : {write(new, self.form.main)}"
        edits = _attribute_edits(self.form, old, new)
        if edits is None:
            return whole
        edited = f"~ {handle} {' '.join(edits)}"
        return edited if len(edited) < len(whole) else whole

    def _inserts(self, pairs: Pairs, handles: Sequence[str], ends: Sequence[int]) -> list[str]:
        lines, new = [], self.new.nodes
        taken = {j: i for i, j in pairs}
        slot, j = 0, 0
        while j < len(new):
            if j in taken:
                slot, j = taken[j] + 1, j + 1
                continue
            end = j + 1
            while end < len(new) and end not in taken and new[end].depth >= new[j].depth:
                end += 1
            anchor = _anchor(self.old.nodes, handles, ends, slot, new[j].depth)
            lines.append(f"+ {anchor} {write(new[j], self.form.main)}")
            lines += [
                "|" * (node.depth - new[j].depth + 1) + " " + write(node, self.form.main)
                for node in new[j + 1 : end]
            ]
            j = end
        return lines


def _attribute_edits(form: TreeForm, old: Node, new: Node) -> list[str] | None:
    """The words of ``~``; `None` if they cannot say it (another kind, another order)."""
    if (old.kind, old.ref, old.depth) != (new.kind, new.ref, new.depth):
        return None
    before, after = dict(old.attrs), dict(new.attrs)
    words, attrs = [], old.attrs
    for name, value in after.items():
        if name not in before or not _same(before[name], value):
            attrs = assigned(attrs, name, value, form.order)
            main = name == form.main and isinstance(value, str)
            if main:
                words.insert(0, quoted(str(value)))
            else:
                words.append(pair(name, value))
    gone = [name for name in before if name not in after]
    attrs = tuple(one for one in attrs if one[0] not in gone)
    if [name for name, _ in attrs] != [name for name, _ in new.attrs]:
        return None
    if any(name_text(name) != name for name in gone):
        return None
    return [*words, *(f"-{name}" for name in gone)] or None


def _same(a: Value, b: Value) -> bool:
    """Equal, and of one type: 1 is not True."""
    return a == b and type(a) is type(b)


def _removals(gone: list[int], handles: Sequence[str], ends: Sequence[int]) -> list[str]:
    """``-`` lines for the nodes at these indices, runs of them in one."""
    lines, at = [], 0
    while at < len(gone):
        first = gone[at]
        stop = first + 1
        while at + stop - first < len(gone) and gone[at + stop - first] == stop:
            stop += 1
        at += stop - first
        whole = stop  # first .. whole - 1 ends with whole subtrees; what is below the rest stays
        while whole > first and ends[whole - 1] > stop:
            whole -= 1
        if whole > first:
            last = next(i for i in range(first, whole) if ends[i] == whole)
            lines.append(f"- {handles[first]}" + (f"..{handles[last]}" if last > first else ""))
        lines += [f"- {handles[i]} only" for i in range(whole, stop)]
    return lines


def _anchor(
    nodes: Sequence[Node], handles: Sequence[str], ends: Sequence[int], slot: int, depth: int
) -> str:
    """Where a run of this depth goes, in front of node `slot`."""
    if slot == len(nodes) and depth == 0:
        return "."
    for i in range(slot - 1, -1, -1):  # what ends at the slot: its parent is the plainest to name
        if nodes[i].depth < depth and ends[i] == slot:
            return handles[i] if nodes[i].depth == depth - 1 else f"<{handles[slot]}@{depth}"
        if nodes[i].depth < depth:
            break
    if slot < len(nodes):
        return f"<{handles[slot]}" + ("" if nodes[slot].depth == depth else f"@{depth}")
    return "."
