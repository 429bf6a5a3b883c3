"""From two states to an edit script.

`diff` checks its own work: a script that does not give the new state exactly is never returned;
the whole text is, behind ``= none``. It is whole too when under 30 % of the nodes stay.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from worldline.trees.align import Pairs, align
from worldline.trees.edit import apply, assigned, parents, subtree_ends
from worldline.trees.line import name_text, pair, quoted, write
from worldline.trees.moves import Block, find_blocks, move
from worldline.trees.node import TEXT, Node, Tree, TreeForm, Value, parsed
from worldline.trees.patch import KEEP, NONE, PatchError
from worldline.trees.shift import find_runs, shifted, write_by
from worldline.trees.splice import LONG, find_splices, write_splice

SURVIVE = 0.3
"""The share of nodes that must stay for an edit to be better than the new text."""


def diff(form: TreeForm, before: str, after: str) -> str:
    """The edit script that turns one state into the next: ``apply(form, diff(a, b), a) == b``."""
    if after == before:
        return KEEP
    whole = f"{NONE}\n{after}"
    old, new = parsed(form, before), parsed(form, after)
    if old is None or new is None:
        return whole
    near = form.near(old, new)
    targets = (near, new) if near is not new else (new,)
    scripts = (script for target in targets for script in _scripts(form, old, target))
    for script in scripts:
        if len(script) < len(whole) and _gives(form, script, before, after):
            return script
    return whole


def _scripts(form: TreeForm, old: Tree, new: Tree) -> Iterator[str]:
    """Edit scripts, the shortest first; none if too little stays."""
    handles, pairs = form.handles(old), align(old.nodes, new.nodes, form.key)
    plain = _Writer(form, list(old.nodes), handles, new.nodes)
    scripts = [plain.lines(pairs)] if _stays(old, new, pairs) else []
    blocks = find_blocks(old.nodes, new.nodes, pairs, form.key)
    if blocks:
        moves, other = plain.moved(blocks)
        pairs = align(other.nodes, new.nodes, form.key)
        scripts += [[*moves, *other.lines(pairs)]] if _stays(old, new, pairs) else []
    yield from sorted(("\n".join([KEEP, *lines]) for lines in scripts), key=len)


def _stays(old: Tree, new: Tree, pairs: Pairs) -> bool:
    return len(pairs) >= SURVIVE * max(len(old.nodes), len(new.nodes))


def _gives(form: TreeForm, script: str, before: str, after: str) -> bool:
    try:
        return apply(form, script, before) == after
    except PatchError:
        return False


class _Writer(NamedTuple):
    form: TreeForm
    nodes: Sequence[Node]
    handles: Sequence[str]
    new: Sequence[Node]

    def moved(self, blocks: Sequence[Block]) -> tuple[list[str], "_Writer"]:
        """The ``>`` lines of these blocks, and the writer of what comes after them."""
        order, nodes, lines = list(range(len(self.nodes))), list(self.nodes), []
        for first, stop, before in blocks:
            place = {number: at for at, number in enumerate(order)}
            at, slot = place[first], place.get(before, len(order))
            end = at + stop - first
            if at <= slot <= end:
                continue
            ends, handles = subtree_ends(nodes), [self.handles[number] for number in order]
            above = parents(nodes)
            last = next((i for i in range(at, end) if ends[i] == end), None)
            if last is None:  # a block moved before has put nodes below its end
                continue
            anchor = _anchor(nodes, handles, ends, above, slot, nodes[at].depth)
            lines.append(f"> {_range(handles, at, last)} {anchor}")
            move(order, nodes, (at, end), slot, nodes[at].depth)
        handles = [self.handles[number] for number in order]
        return lines, self._replace(nodes=nodes, handles=handles)

    def lines(self, pairs: Pairs) -> list[str]:
        handles, nodes = self.handles, list(self.nodes)
        ends = subtree_ends(nodes)
        kept = dict(pairs)
        shifts = []
        for first, last, by in find_runs(nodes, self.new, pairs):
            shifts.append(f"~ {handles[first]}..{handles[last]} {write_by(by)}")
            nodes[first : last + 1] = [shifted(node, by) for node in nodes[first : last + 1]]
        changes = [
            line for i, j in pairs for line in self._changes(handles[i], nodes[i], self.new[j])
        ]
        removes = _removals([i for i in range(len(nodes)) if i not in kept], handles, ends)
        inserts = self._inserts(pairs, handles, ends)
        return [*shifts, *changes, *removes, *inserts]

    def _changes(self, handle: str, old: Node, new: Node) -> list[str]:
        """The lines that change a node."""
        whole = self._change(handle, old, new)
        if whole is None or len(whole) < LONG:
            return [whole] if whole else []
        lines, there = [], dict(new.attrs)
        for name, value in old.attrs:
            now = there.get(name)
            if isinstance(value, str) and isinstance(now, str) and value != now:
                for one in find_splices(None if name == self.form.main else name, value, now):
                    lines.append(f"~ {handle} {write_splice(one)}")
                    old = _with(old, name, now)
        rest = self._change(handle, old, new)
        lines += [rest] if rest else []
        return lines if len("\n".join(lines)) < len(whole) else [whole]

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
        lines, new = [], self.new
        taken = {j: i for i, j in pairs}
        above = parents(self.nodes)
        slot, j = 0, 0
        while j < len(new):
            if j in taken:
                slot, j = taken[j] + 1, j + 1
                continue
            end = j + 1
            while end < len(new) and end not in taken and new[end].depth >= new[j].depth:
                end += 1
            anchor = _anchor(self.nodes, handles, ends, above, slot, new[j].depth)
            lines.append(f"+ {anchor} {write(new[j], self.form.main)}")
            for over, node in pairwise(new[j:end]):
                more = node.kind == TEXT == over.kind and node.depth == over.depth
                line = write(node, self.form.main)
                bars = "|" * (node.depth - new[j].depth + 1) + " "
                lines.append(line if more and line.startswith(TEXT) else bars + line)
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


def _with(node: Node, name: str, value: str) -> Node:
    attrs = tuple((other, value if other == name else kept) for other, kept in node.attrs)
    return msgspec.structs.replace(node, attrs=attrs)


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
            lines.append(f"- {_range(handles, first, last)}")
        lines += [f"- {handles[i]} only" for i in range(whole, stop)]
    return lines


def _range(handles: Sequence[str], first: int, last: int) -> str:
    return handles[first] + (f"..{handles[last]}" if last > first else "")


def _anchor(
    nodes: Sequence[Node],
    handles: Sequence[str],
    ends: Sequence[int],
    above: Sequence[int],
    slot: int,
    depth: int,
) -> str:
    """Where a run of this depth goes, in front of node `slot`."""
    if slot == len(nodes) and depth == 0:
        return "."
    i = slot - 1
    while i >= 0 and nodes[i].depth >= depth:
        i = above[i]
    # What ends at the slot: its parent is the plainest to name. If that is not there yet, only the
    # node behind can be named.
    if i >= 0 and ends[i] == slot and nodes[i].depth == depth - 1:
        return handles[i]
    if slot < len(nodes):
        return f"<{handles[slot]}" + ("" if nodes[slot].depth == depth else f"@{depth}")
    return "."
