"""An edit script as text.

First line ``= keep`` (all that is not named stays) or ``= none`` (nothing does: the new text
follows whole). Then one edit a line::

    ~ H name=value flag -gone "new main text"    change attributes of node H
    ~ H name "old" -> "new"                      change a part of a text that stands in it once
    ~ H : LINE                                   replace the node's own line
    ~ H..K name+=0,-40                           add to the numbers of all nodes from H to K
    + H LINE                                     a new last child of H (``+ . LINE``: at the end)
    + <H LINE   + >H LINE                        a new node before H, or after H and all below it
    | LINE      || LINE                          next to the new node above it, or below that
    : text                                       one more line of text next to the one above it
    - H         - H..K        - H only           without H and all below; from H to K; H alone
    > H..K <L   > H..K >L     > H..K L           moved: before L, after it, as its last child

``H@n`` behind ``<`` gives the depth where it is not H's own. Handles name nodes of the state
*before* the edit. Moves come first: the other edits find nodes where they have moved to.
"""

from typing import Literal, NamedTuple

from worldline.trees.shift import By, read_by
from worldline.trees.splice import Splice, read_splice

KEEP, NONE = "= keep", "= none"
Where = Literal["in", "before", "after"]


class PatchError(ValueError):
    """The text is no edit script of this state. The message names the line and what is wrong."""


Line = tuple[int, str]
"""A node's line and how far it stands below the first of its run."""


class Change(NamedTuple):
    """``~``: the text behind the handle is read by `edit`, which knows the node."""

    handle: str
    text: str
    whole: bool
    line: int


class Part(NamedTuple):
    """``~`` with ``->``."""

    handle: str
    splice: Splice
    line: int


class Insert(NamedTuple):
    """``+`` and the ``|`` lines below it: (relative depth, node line)."""

    handle: str
    where: Where
    depth: int | None
    nodes: tuple[Line, ...]
    line: int


class Remove(NamedTuple):
    """``-``."""

    first: str
    last: str
    only: bool
    line: int


class Move(NamedTuple):
    """``>``: `to` says where, as an insertion without nodes."""

    first: str
    last: str
    to: Insert
    line: int


class Shift(NamedTuple):
    """``~ H..K name+=numbers``."""

    first: str
    last: str
    by: By
    line: int


Edit = Change | Part | Insert | Remove | Move | Shift


class Patch(NamedTuple):
    """A parsed edit script: `whole` is the new text of ``= none``."""

    edits: tuple[Edit, ...] = ()
    whole: str | None = None


def parse(text: str) -> Patch:
    """The edits of a script.

    Raises:
        PatchError: the first line, or a line that is no edit.
    """
    head, newline, body = text.partition("\n")
    if head.rstrip() == NONE:
        return Patch(whole=body if newline else "")
    if head.rstrip() != KEEP:
        raise PatchError(f"line 1: expected {KEEP!r} or {NONE!r}, not {head[:40]!r}")
    edits: list[Edit] = []
    opened: list[Line] = []  # of the last edit, if it is an insertion
    for number, line in enumerate(body.split("\n") if newline else [], 2):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        if line.startswith(("|", ":")):
            if not opened:
                raise PatchError(f"line {number}: {line[:40]!r} stands below no '+'")
            opened.append(_below(opened[-1][0], line, number))
        else:
            _close(edits, opened)
            edits.append(edit := _edit(line, number))
            opened = list(edit.nodes) if isinstance(edit, Insert) else []
    _close(edits, opened)
    return Patch(tuple(edits))


def _close(edits: list[Edit], opened: list[Line]) -> None:
    """Give the last edit the lines that stand below it."""
    if opened and isinstance(last := edits[-1], Insert):
        edits[-1] = last._replace(nodes=tuple(opened))


def _below(depth: int, line: str, number: int) -> Line:
    """A line below one of this depth."""
    bars = len(line) - len(line.lstrip("|"))
    if not bars:
        return depth, line
    if bars - 1 > depth + 1:
        raise PatchError(f"line {number}: is more than one level below the line above")
    return bars - 1, line[bars:].removeprefix(" ")


def _edit(line: str, number: int) -> Edit:
    mark, _, rest = line.partition(" ")
    handle, _, text = rest.partition(" ")
    if mark in ("~", "+", "-", ">") and handle:
        if mark == "~" and (by := read_by(text)) is not None:
            return Shift(*_span(handle), by, number)
        if mark == "~" and (splice := read_splice(text)) is not None:
            return Part(handle, splice, number)
        if mark == "~" and text:
            whole = text.startswith(": ")
            return Change(handle, text[2:] if whole else text, whole, number)
        if mark == "+" and text:
            return _insert(handle, text, number)
        if mark == "-" and text in ("", "only"):
            return Remove(*_span(handle), text == "only", number)
        if mark == ">" and text and " " not in text:
            return Move(*_span(handle), _insert(text, None, number), number)
    raise PatchError(f"line {number}: {line[:40]!r} is no edit ('~ H ...', '+ H LINE', '- H')")


def _span(handles: str) -> tuple[str, str]:
    first, _, last = handles.partition("..")
    return first, last or first


def _insert(handle: str, text: str | None, number: int) -> Insert:
    places: dict[str, Where] = {"<": "before", ">": "after"}
    where: Where = places.get(handle[0], "in")
    name, depth = (handle if where == "in" else handle[1:]), None
    if where == "before" and "@" in name[1:]:
        name, _, digits = name.rpartition("@")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 6):
            raise PatchError(f"line {number}: {digits!r} is no depth")
        depth = int(digits)
    return Insert(name, where, depth, () if text is None else ((0, text),), number)
