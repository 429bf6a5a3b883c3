"""From two states to an edit script (`diff`), and from a state and a script to the next (`apply`).

`diff` checks its own work: a script that does not give the new state exactly is never returned;
the whole text is, behind ``= none``. It is whole too when under 30 % of the nodes stay.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from worldline.trees.align import Pairs, align
from worldline.trees.line import LineError, attributes, pair, place, quoted, read, write
from worldline.trees.node import Node, Tree, TreeForm, Value
from worldline.trees.patch import (
    KEEP,
    NONE,
    Change,
    Edit,
    Insert,
    Patch,
    PatchError,
    Remove,
    parse,
)

SURVIVE = 0.3
"""The share of nodes that must stay for an edit to be better than the new text."""


# making


def diff(form: TreeForm, before: str, after: str) -> str:
    """The edit script that turns one state into the next: ``apply(form, diff(a, b), a) == b``."""
    if after == before:
        return KEEP
    whole = f"{NONE}\n{after}"
    old, new = form.parse(before), form.parse(after)
    if old is None or new is None:
        return whole
    pairs = align(old.nodes, new.nodes, form.key)
    if len(pairs) < SURVIVE * max(len(old.nodes), len(new.nodes)):
        return whole
    script = "\n".join([KEEP, *_Writer(form, old, new).lines(pairs)])
    try:
        exact = apply(form, script, before) == after
    except PatchError:
        exact = False
    return script if exact and len(script) < len(whole) else whole


class _Writer(NamedTuple):
    form: TreeForm
    old: Tree
    new: Tree

    def lines(self, pairs: Pairs) -> list[str]:
        handles, nodes = self.form.handles(self.old), self.old.nodes
        ends = subtree_ends(nodes)
        kept = dict(pairs)
        changes = [self._change(handles[i], nodes[i], self.new.nodes[j]) for i, j in pairs]
        removes = _removals([i for i in range(len(nodes)) if i not in kept], handles, ends)
        return [*filter(None, changes), *removes, *self._inserts(pairs, handles, ends)]

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
        if name not in before or not same(before[name], value):
            attrs = _set(attrs, name, value, form.order)
            main = name == form.main and isinstance(value, str)
            if main:
                words.insert(0, quoted(str(value)))
            else:
                words.append(pair(name, value))
    gone = [name for name in before if name not in after]
    attrs = tuple(one for one in attrs if one[0] not in gone)
    if [name for name, _ in attrs] != [name for name, _ in new.attrs]:
        return None
    return [*words, *(f"-{pair(name, None)}" for name in gone)] or None


def same(a: Value, b: Value) -> bool:
    """Equal, and of one type: 1 is not True."""
    return a == b and type(a) is type(b)


def _set(
    attrs: tuple[tuple[str, Value], ...], name: str, value: Value, order: tuple[str, ...]
) -> tuple[tuple[str, Value], ...]:
    if any(other == name for other, _ in attrs):
        return tuple((other, value if other == name else kept) for other, kept in attrs)
    return tuple(place(attrs, name, value, order))


def subtree_ends(nodes: Sequence[Node]) -> list[int]:
    """For each node the index after the last node below it."""
    ends = [len(nodes)] * len(nodes)
    open_: list[int] = []
    for i, node in enumerate(nodes):
        while open_ and nodes[open_[-1]].depth >= node.depth:
            ends[open_.pop()] = i
        open_.append(i)
    return ends


def _removals(gone: list[int], handles: Sequence[str], ends: Sequence[int]) -> list[str]:
    """``-`` lines for the nodes at these indices, runs of them in one."""
    lines, at = [], 0
    while at < len(gone):
        first = gone[at]
        run = at
        while run + 1 < len(gone) and gone[run + 1] == gone[run] + 1:
            run += 1
        stop = gone[run] + 1  # the run is first .. stop - 1
        last = next((i for i in range(first, stop) if ends[i] == stop), None)
        if last is None:  # what is below the last one stays
            stop, last = first + 1, first
            lines.append(f"- {handles[first]} only")
        else:
            lines.append(f"- {handles[first]}" + (f"..{handles[last]}" if last > first else ""))
        at += stop - first
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


# carrying out


def apply(form: TreeForm, script: str, before: str) -> str:
    """The next state.

    Raises:
        PatchError: the script is none, names a node that is not there, or edits a state that is
            no tree.
    """
    patch = parse(script)
    if patch.whole is not None:
        return patch.whole
    if not patch.edits:
        return before
    tree = form.parse(before)
    if tree is None:
        raise PatchError("the state before is no tree, so only '= keep' or '= none' can follow it")
    return form.render(Tree(_edited(form, tree, patch)))


def _edited(form: TreeForm, tree: Tree, patch: Patch) -> tuple[Node, ...]:
    places: dict[str, int] = {}
    for i, handle in enumerate(form.handles(tree)):
        places.setdefault(handle, i)
    nodes: list[Node | None] = list(tree.nodes)
    ends = subtree_ends(tree.nodes)
    slots: dict[int, list[Node]] = {}
    for edit in patch.edits:
        match edit:
            case Change():
                i = _find(places, edit.handle, edit)
                nodes[i] = _changed(form, nodes[i] or tree.nodes[i], edit)
            case Remove():
                first, last = (_find(places, h, edit) for h in (edit.first, edit.last))
                if last < first:
                    raise PatchError(f"line {edit.line}: {edit.last} stands before {edit.first}")
                stop = first + 1 if edit.only else ends[last]
                nodes[first:stop] = [None] * (stop - first)
            case Insert():
                slot, depth = _slot(tree.nodes, ends, places, edit)
                slots.setdefault(slot, []).extend(
                    _read(form, line, depth + below, edit) for below, line in edit.nodes
                )
    result: list[Node] = []
    for i in range(len(nodes) + 1):
        result += slots.get(i, ())
        if i < len(nodes) and (node := nodes[i]) is not None:
            result.append(node)
    return tuple(result)


def _find(places: dict[str, int], handle: str, edit: Edit) -> int:
    place = places.get(handle)
    if place is None:
        raise PatchError(f"line {edit.line}: there is no node {handle[:40]!r}")
    return place


def _slot(
    nodes: Sequence[Node], ends: Sequence[int], places: dict[str, int], edit: Insert
) -> tuple[int, int]:
    if edit.handle == "." and edit.where == "in":
        return len(nodes), 0
    i = _find(places, edit.handle, edit)
    if edit.where == "in":
        return ends[i], nodes[i].depth + 1
    if edit.where == "after":
        return ends[i], nodes[i].depth
    return i, nodes[i].depth if edit.depth is None else edit.depth


def _read(form: TreeForm, line: str, depth: int, edit: Edit) -> Node:
    try:
        return read(line, form.main, form.order, depth)
    except LineError as error:
        raise PatchError(f"line {edit.line}: {error}") from None


def _changed(form: TreeForm, node: Node, edit: Change) -> Node:
    if edit.whole:
        return _read(form, edit.text, node.depth, edit)
    text, attrs = f" {edit.text}", node.attrs
    try:
        words = attributes(text, 0)
    except LineError as error:
        raise PatchError(f"line {edit.line}: {error}") from None
    for number, (name, value) in enumerate(words):
        if number == 0 and value is None and edit.text.startswith('"'):
            attrs = _set(attrs, form.main, name, form.order)
        elif value is None and name.startswith("-") and len(name) > 1:
            attrs = tuple(one for one in attrs if one[0] != name[1:])
        else:
            attrs = _set(attrs, name, value, form.order)
    return msgspec.structs.replace(node, attrs=attrs)


def moved(form: TreeForm, before: str, after: str) -> bool:
    """Whether a handle now names another node, so that a view of the state before is outdated."""
    old, new = form.parse(before), form.parse(after)
    if old is None or new is None:
        return True
    names = dict(zip(form.handles(new), new.nodes, strict=True))
    for handle, node in zip(form.handles(old), old.nodes, strict=True):
        there = names.get(handle)
        if there is not None and there.kind != node.kind:
            return True
        if there is not None and node.ref is None and form.key(there) != form.key(node):
            return True
    return False
