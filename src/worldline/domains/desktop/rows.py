"""Dialect ``a11y-tsv``: the accessibility tree as a table, one element a row.

::

    tag  name  text  class  description  position (top-left x&y)  size (w&h)

Columns are parted by tabs. Nothing is escaped: a name or a text may hold line ends and tabs, so a
row begins at a line whose first field is a tag and ends at a line that closes with a position and a
size. A text that holds a quote is quoted as in CSV; an empty one is ``""``.

A row becomes one node: its kind is the tag, its main text the name. ``text`` is there only where it
differs from the name, and ``empty`` where it is empty; ``same`` says that both repeat what the row
above says, as the labels inside buttons and headings do. A text of many lines is told by child
nodes (see `lines`). What is no row stays whole, as a ``raw`` node a line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from worldline.domains.desktop.lines import ROOM, Room, joined, split
from worldline.trees import Node, Tree, Value

HEADER = "tag\tname\ttext\tclass\tdescription\tposition (top-left x&y)\tsize (w&h)"
COLUMNS = 7
RAW = "raw"
ORDER = (
    *("name", "same", "text", "raw", "empty", "rows", "blank"),
    *("class", "description", "at", "size"),
)
"""Attributes in the order of the source."""
SAME = 10_000
"""Characters that ``same`` may repeat."""

_TAG = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)
_NUMBER = r"(0|-?[1-9]\d{0,17})"  # -0 would not come back
_PAIR = re.compile(rf"\({_NUMBER}, {_NUMBER}\)", re.ASCII)


def parse(text: str) -> Tree | None:
    """The tree of a screen; `None` for text that does not begin with the header line."""
    header, newline, body = text.partition("\n")
    if header != HEADER:
        return None
    return Tree(tuple(_nodes(body.split("\n")) if newline else ()))


def render(tree: Tree) -> str:
    """The text of a tree.

    Raises:
        ValueError: attributes stand for more text than a state has.
    """
    rows, nodes, at, above = [HEADER], tree.nodes, 0, ""
    room = Room()
    while at < len(nodes):
        end = at + 1
        while end < len(nodes) and nodes[end].depth > nodes[at].depth:
            end += 1
        row, above = _row(nodes[at], nodes[at + 1 : end], above, room)
        rows.append(row)
        at = end
    return "\n".join(rows)


def pair(text: str) -> tuple[int, int] | None:
    """The numbers of ``(x, y)``."""
    found = _PAIR.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else None


def quoted(text: str) -> str:
    """A text as its column shows it: quoted if it is empty or holds a quote."""
    return '"' + text.replace('"', '""') + '"' if not text or '"' in text else text


def unquoted(text: str) -> str | None:
    """The text that a column shows, or `None` if no text is shown that way."""
    said = text[1:-1].replace('""', '"') if len(text) > 1 and text[0] == text[-1] == '"' else text
    return said if quoted(said) == text else None


# from text


def _nodes(lines: Iterable[str]) -> Iterator[Node]:
    """The nodes of lines: rows, and raw lines between them."""
    above = ""
    room = Room()
    for fields in _cut(lines):
        if len(fields) == 1:
            above = ""
            yield Node(RAW, (("name", fields[0]),))
        else:
            nodes, above = _element(fields, above, room)
            yield from nodes


def _cut(lines: Iterable[str]) -> Iterator[list[str]]:
    """The seven fields of each row; a line that belongs to none alone."""
    open_: list[str] = []
    for line in lines:
        fields = line.split("\t")
        if len(fields) == COLUMNS and _begins(fields) and _closes(fields):
            yield from ([one] for one in open_)
            yield fields
            open_ = []
        elif open_ and _closes(fields):
            row = "\n".join([*open_, line]).split("\t")
            if len(row) >= COLUMNS and _closes(row):
                yield [row[0], row[1], "\t".join(row[2:-4]), *row[-4:]]
            else:
                yield from ([one] for one in [*open_, line])
            open_ = []
        elif _begins(fields) or open_:
            open_.append(line)
        else:
            yield [line]
    yield from ([one] for one in open_)


def _begins(fields: Sequence[str]) -> bool:
    tag = fields[0]
    return len(fields) > 1 and tag != RAW and bool(_TAG.fullmatch(tag))


def _closes(fields: Sequence[str]) -> bool:
    return len(fields) > 1 and pair(fields[-1]) is not None and pair(fields[-2]) is not None


def _element(fields: Sequence[str], above: str, room: Room) -> tuple[list[Node], str]:
    """The nodes of a row below one that says `above`, and what this one says."""
    tag, name, text, of, about, at, size = fields
    attrs: list[tuple[str, Value]] = []
    below: list[Node] = []
    said = unquoted(text)
    if said == name == above and said and _repeats(above, room):
        attrs = [("same", None)]
    else:
        attrs = [("name", name)] if name else []
        if said is None:
            attrs.append(("raw", text))
        elif not said and name:
            attrs.append(("empty", None))
        elif "\n" in said:
            told, below = split(tag, said, pair(size), room)
            attrs += told
        elif said != name:
            attrs.append(("text", said))
    attrs += [(key, value) for key, value in (("class", of), ("description", about)) if value]
    attrs += [("at", pair(at)), ("size", pair(size))]
    return [Node(tag, tuple(attrs)), *below], "" if below else said or name


def _repeats(above: str, room: Room) -> bool:
    """Whether ``same`` may stand for what the row above says."""
    return len(above) <= SAME and room.take(len(above))


# to text


def _row(node: Node, below: Sequence[Node], above: str, room: Room) -> tuple[str, str]:
    """The text of a row below one that says `above`, and what this one says."""
    get = dict(node.attrs)
    name = _string(get.get("name"))
    if node.kind == RAW:
        return name, ""
    if "same" in get:
        if not _repeats(above, room):
            raise ValueError(f"'same' repeats over {SAME} characters, or over {ROOM} in all")
        name = said = above
    elif "empty" in get:
        said = ""
    elif below or "rows" in get or "blank" in get:
        said = joined(node, below, room)
    else:
        said = _string(get.get("text", name))
    text = _string(get["raw"]) if "raw" in get else quoted(said)
    told = [_string(get.get(key)) for key in ("class", "description")]
    box = [_numbers(get.get(key)) for key in ("at", "size")]
    return "\t".join([node.kind, name, text, *told, *box]), "" if below else said or name


def _string(value: Value) -> str:
    return value if isinstance(value, str) else ""


def _numbers(value: Value) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(str, value))})"
    return _string(value)
