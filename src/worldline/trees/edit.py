"""From a state and an edit script to the next state (`apply`)."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from worldline.trees.line import LineError, attributes, place, read
from worldline.trees.moves import MOVES, move
from worldline.trees.node import TEXT, Node, Tree, TreeForm, Value, parsed
from worldline.trees.patch import (
    Change,
    Edit,
    Insert,
    Move,
    Part,
    Patch,
    PatchError,
    Remove,
    Shift,
    parse,
)
from worldline.trees.shift import SHIFTS, shifted
from worldline.trees.splice import spliced

LINES = 10_000
"""Edits of a script at most."""
GROWTH = 20
"""How much longer than the state and the script together the next state may be."""
ATTRS = 300
"""Attributes that an edit may give one node: each word looks at all of them."""
PART = 8_000
"""Characters of a text in which a part can be replaced: `diff` writes longer ones whole."""
DEEP = 400
"""Levels that `@n` may name: every one is indentation in each line of the state."""


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
    tree = parsed(form, before)
    if tree is None:
        raise PatchError("the state before is no tree, so only '= keep' or '= none' can follow it")
    if len(patch.edits) > LINES:
        raise PatchError(f"over {LINES} edits")
    nodes = _edited(form, tree, patch)
    try:
        after = form.render(Tree(nodes))
    except (ValueError, TypeError, LookupError, RecursionError, MemoryError) as error:
        # Edits can put nodes together that no state of the dialect has.
        raise PatchError(f"what these edits lead to cannot be shown ({error})") from None
    if len(after) > GROWTH * (len(before) + len(script)) + LINES:
        raise PatchError("these edits blow the state up")
    _readable(form, nodes, after)
    return after


def _readable(form: TreeForm, nodes: Sequence[Node], after: str) -> None:
    """Refuse an edit after which the text is no state, or shows a node as something else."""
    tree = parsed(form, after) if nodes else None
    if tree is None:
        raise PatchError("nothing that is a state is left after these edits")
    lost = Counter(node.kind for node in nodes) - Counter(node.kind for node in tree.nodes)
    lost.pop(TEXT, None)
    if lost:
        raise PatchError(f"a node of the kind {next(iter(lost))[:40]!r} cannot stand there")


def _edited(form: TreeForm, tree: Tree, patch: Patch) -> tuple[Node, ...]:
    for kind, most in ((Move, MOVES), (Shift, SHIFTS)):
        if sum(isinstance(edit, kind) for edit in patch.edits) > most:
            raise PatchError(f"over {most} lines of one kind ('> H ...', '~ H..K name+=')")
    before, places = _moved(tree, form.handles(tree), patch)
    nodes: list[Node | None] = list(before)
    ends = subtree_ends(before)
    slots: dict[int, list[Node]] = {}
    room = 2 * len(before) + 1000  # nodes are removed once: each line may look at the whole state
    for edit in patch.edits:
        match edit:
            case Move():
                pass
            case Change():
                i = _find(places, edit.handle, edit)
                nodes[i] = _changed(form, _there(nodes[i], edit), edit)
            case Part():
                i = _find(places, edit.handle, edit)
                nodes[i] = _spliced(form, _there(nodes[i], edit), edit)
            case Shift():
                first, last = _span(places, edit)
                moved = [node and shifted(node, edit.by) for node in nodes[first : last + 1]]
                if moved == nodes[first : last + 1]:
                    raise PatchError(f"line {edit.line}: there are no such numbers to add to")
                nodes[first : last + 1] = moved
            case Remove():
                first, last = _span(places, edit)
                stop = first + 1 if edit.only else ends[last]
                room -= stop - first
                if room < 0:
                    raise PatchError(f"line {edit.line}: removes what is gone already")
                nodes[first:stop] = [None] * (stop - first)
            case Insert():
                slot, depth = _slot(before, ends, places, edit)
                slots.setdefault(slot, []).extend(
                    _read(form, line, depth + below, edit) for below, line in edit.nodes
                )
    result: list[Node] = []
    for i in range(len(nodes) + 1):
        result += slots.get(i, ())
        if i < len(nodes) and (node := nodes[i]) is not None:
            result.append(node)
    return tuple(result)


def _moved(
    tree: Tree, handles: Sequence[str], patch: Patch
) -> tuple[Sequence[Node], dict[str, int]]:
    """The nodes after the moves, and where each handle then stands."""
    order, nodes = list(range(len(tree.nodes))), list(tree.nodes)
    places = _places(handles, order)
    for edit in patch.edits:
        if isinstance(edit, Move):
            ends = subtree_ends(nodes)
            first, last = _span(places, edit)
            slot, depth = _slot(nodes, ends, places, edit.to)
            if first < slot < ends[last]:
                raise PatchError(f"line {edit.line}: {edit.first} would move into itself")
            move(order, nodes, (first, ends[last]), slot, depth)
            places = _places(handles, order)
    return nodes, places


def _places(handles: Sequence[str], order: Sequence[int]) -> dict[str, int]:
    """Handle -> place; a name that stands twice is the first's."""
    places: dict[str, int] = {}
    for at, number in enumerate(order):
        places.setdefault(handles[number], at)
    return places


def _there(node: Node | None, edit: Change | Part) -> Node:
    if node is None:
        raise PatchError(f"line {edit.line}: {edit.handle} has been removed above")
    return node


def _find(places: dict[str, int], handle: str, edit: Edit) -> int:
    place = places.get(handle)
    if place is None:
        raise PatchError(f"line {edit.line}: there is no node {handle[:40]!r}")
    return place


def _span(places: dict[str, int], edit: Remove | Move | Shift) -> tuple[int, int]:
    first, last = (_find(places, handle, edit) for handle in (edit.first, edit.last))
    if last < first:
        raise PatchError(f"line {edit.line}: {edit.last} stands before {edit.first}")
    return first, last


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
    if edit.depth is None:
        return i, nodes[i].depth
    if edit.depth > DEEP:
        raise PatchError(f"line {edit.line}: nothing stands so deep before {edit.handle}")
    return i, edit.depth


def _read(form: TreeForm, line: str, depth: int, edit: Edit) -> Node:
    try:
        return read(line, form.main, form.order, depth)
    except LineError as error:
        raise PatchError(f"line {edit.line}: {error}") from None


def _spliced(form: TreeForm, node: Node, edit: Part) -> Node:
    name = form.main if edit.splice.name is None else edit.splice.name
    value = node.get(name)
    text = None
    if isinstance(value, str) and len(value) <= PART:
        text = spliced(value, edit.splice)
    if text is None:
        raise PatchError(
            f"line {edit.line}: {edit.splice.old[:40]!r} does not stand once in {name!r} "
            f"of {edit.handle}"
        )
    return msgspec.structs.replace(node, attrs=assigned(node.attrs, name, text, form.order))


def _changed(form: TreeForm, node: Node, edit: Change) -> Node:
    if edit.whole:
        return _read(form, edit.text, node.depth, edit)
    text, attrs = f" {edit.text}", node.attrs
    try:
        words = attributes(text, 0)
    except LineError as error:
        raise PatchError(f"line {edit.line}: {error}") from None
    if len(words) + len(attrs) > ATTRS:
        raise PatchError(f"line {edit.line}: over {ATTRS} attributes")
    for number, (name, value) in enumerate(words):
        if number == 0 and value is None and edit.text.startswith('"'):
            attrs = assigned(attrs, form.main, name, form.order)
        elif value is None and name.startswith("-") and len(name) > 1:
            attrs = tuple(one for one in attrs if one[0] != name[1:])
        else:
            attrs = assigned(attrs, name, value, form.order)
    return msgspec.structs.replace(node, attrs=attrs)


def assigned(
    attrs: tuple[tuple[str, Value], ...], name: str, value: Value, order: tuple[str, ...]
) -> tuple[tuple[str, Value], ...]:
    """The attributes with one set: in its place, or where `order` puts a new one."""
    if any(other == name for other, _ in attrs):
        return tuple((other, value if other == name else kept) for other, kept in attrs)
    return tuple(place(attrs, name, value, order))


def parents(nodes: Sequence[Node]) -> list[int]:
    """For each node the index of the nearest one before that is less deep; -1 without one."""
    above: list[int] = []
    for i, node in enumerate(nodes):
        at = i - 1
        while at >= 0 and nodes[at].depth >= node.depth:
            at = above[at]
        above.append(at)
    return above


def subtree_ends(nodes: Sequence[Node]) -> list[int]:
    """For each node the index after the last node below it."""
    ends = [len(nodes)] * len(nodes)
    open_: list[int] = []
    for i, node in enumerate(nodes):
        while open_ and nodes[open_[-1]].depth >= node.depth:
            ends[open_.pop()] = i
        open_.append(i)
    return ends
