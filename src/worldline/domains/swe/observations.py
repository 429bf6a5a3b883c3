"""What a coding agent's tools give back: pieces of text by what they are, row by row.

An observation is a sequence of pieces joined by line ends, so that it renders back exactly:
numbered reads, rows with a meaning of their own (a path, an exit code, a count, a confirmation),
and plain output, line by line. Leaf text is in fields called ``text`` and ``lines``.
"""

import re
from collections.abc import Callable, Sequence

import msgspec


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Lines of output."""

    lines: tuple[str, ...]


class Numbered(msgspec.Struct, frozen=True, tag="numbered"):
    """Lines of a file with their numbers, one after the other from `first`.

    `mark` stands between number and line; `width` is what numbers are padded to (0: not padded).
    """

    first: int
    mark: str
    width: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        """The last number."""
        return self.first + len(self.lines) - 1


Value = str | int | tuple[str, ...]
"""A word, a number, or a path as the names between its slashes."""


class Row(msgspec.Struct, frozen=True, tag="row", omit_defaults=True):
    """One row with a meaning. `kind` names its template, which `values` and the leaf `text` fill.

    `end` is a carriage return, where the row ends in one.
    """

    kind: str
    values: tuple[Value, ...] = ()
    text: str = ""
    end: str = ""

    @property
    def path(self) -> str | None:
        """The path among its values."""
        return next(("/".join(one) for one in self.values if isinstance(one, tuple)), None)

    @property
    def number(self) -> int | None:
        """The number among its values."""
        return next((one for one in self.values if isinstance(one, int)), None)


class Entry(msgspec.Struct, frozen=True, tag="entry"):
    """One name in a listing of a directory, as ``[DIR] src``."""

    text: str
    folder: bool


class Hit(msgspec.Struct, frozen=True, tag="hit"):
    """One line that a search found, as ``L12: text``."""

    number: int
    text: str


Piece = Text | Numbered | Row | Entry | Hit
Pieces = tuple[Piece, ...]

Single = Row | Entry | Hit
Reader = Callable[[str], Single | None]
"""Reads a row that has a meaning of its own."""


class Template(msgspec.Struct, frozen=True):
    """A row of fixed words and values: its pattern, and how it is written.

    `holes` says what stands in each place: ``n`` a number, ``s`` a word, ``p`` a path, ``t`` text.
    """

    pattern: re.Pattern[str]
    form: str
    holes: str


_HOLE = re.compile(r"\{([nspt])\}")


def template(form: str) -> Template:
    """A template in which ``{n}``, ``{s}``, ``{p}`` and ``{t}`` are places (see `Template`)."""
    words = _HOLE.split(form)
    pattern = "".join(
        re.escape(word) if place % 2 == 0 else r"(-?\d{1,18})" if word == "n" else "(.*)"
        for place, word in enumerate(words)
    )
    return Template(re.compile(pattern), "{}".join(words[::2]), "".join(words[1::2]))


def templates(**forms: str) -> dict[str, Template]:
    """Templates by kind."""
    return {kind: template(form) for kind, form in forms.items()}


FORMS: dict[str, Template] = templates(
    # what shells of several harnesses add
    exit="Exit code {n}",
    exited="Command exited with code {n}",
    silent="(no output)",
    # claude-code
    reminder="<system-reminder>",
    reminded="</system-reminder>",
    failed="<tool_use_error>{t}</tool_use_error>",
    fails="<tool_use_error>{t}",
    failed_end="{t}</tool_use_error>",
    updated="The file {p} has been updated.",
    updated_well="The file {p} has been updated successfully.",
    updated_now="The file {p} has been updated successfully."
    " (file state is current in your context — no need to Read it back)",
    updated_snippet="The file {p} has been updated."
    " Here's the result of running `cat -n` on a snippet of the edited file:",
    created="File created successfully at: {p}",
    # opencode
    path="<path>{p}</path>",
    type="<type>{s}</type>",
    content="<content>",
    content_end="</content>",
    entries="<entries>",
    entries_end="</entries>",
    total="(End of file - total {n} lines)",
    edited="Edit applied successfully.",
    wrote="Wrote file successfully.",
    # pi
    replaced="Successfully replaced {n} block(s) in {p}.",
    # aci
    file="[File: {p} ({n} lines total)]",
    above="({n} more lines above)",
    below="({n} more lines below)",
    open="(Open file: {p})",
    directory="(Current directory: {p})",
    prompt="bash-$",
    found="Found {n} matches for {t}",
    # qwen-cli
    listing="Directory listing for {p}:",
    searched="Found {n} match for pattern {t}",
    searched_many="Found {n} matches for pattern {t}",
    globbed="Found {n} file(s) matching {t}",
    match_file="File: {p}",
    rule="---",
    overwrote="Successfully overwrote file: {p}.",
    made="Successfully created and wrote to new file: {p}.",
    modified="Successfully modified file: {p} ({n} replacements).",
)
"""Every row with a meaning, by kind."""


def row(*kinds: str, returns: bool = False) -> Reader:
    """A reader of rows of these kinds; `returns`: they may end in a carriage return."""
    chosen = [(kind, FORMS[kind]) for kind in kinds]

    def read(text: str) -> Row | None:
        body = text.removesuffix("\r") if returns else text
        for kind, one in chosen:
            match = one.pattern.fullmatch(body)
            if match is not None:
                found = _filled(kind, one.holes, match.groups(), text[len(body) :])
                if render_single(found) == text:
                    return found
        return None

    return read


def _filled(kind: str, holes: str, groups: Sequence[str], end: str) -> Row:
    values: list[Value] = []
    leaf = ""
    for hole, group in zip(holes, groups, strict=True):
        if hole == "t":
            leaf = group
        else:
            path = hole == "p"
            values.append(int(group) if hole == "n" else tuple(group.split("/")) if path else group)
    return Row(kind, tuple(values), leaf, end)


def entry(text: str) -> Entry | None:
    """A directory in a listing."""
    return Entry(text[6:], True) if text.startswith("[DIR] ") else None


def hit(text: str) -> Hit | None:
    """A line that was found, with its number."""
    match = re.match(r"L([1-9]\d{0,8}): ", text)
    return Hit(int(match[1]), text[match.end() :]) if match else None


def render_single(piece: Single) -> str:
    """The row again."""
    if isinstance(piece, Entry):
        return f"[DIR] {piece.text}" if piece.folder else piece.text
    if isinstance(piece, Hit):
        return f"L{piece.number}: {piece.text}"
    form = FORMS[piece.kind]
    values = iter(piece.values)
    filled = [piece.text if hole == "t" else _written(next(values)) for hole in form.holes]
    return form.form.format(*filled) + piece.end


def _written(value: Value) -> str:
    return "/".join(value) if isinstance(value, tuple) else str(value)


_NUMBER = re.compile(r"( {0,9})(0|[1-9]\d{0,8})(\t|→|\| ?|: ?)")


def pieces(text: str, readers: Sequence[Reader] = (), marks: Sequence[str] = ()) -> Pieces:
    """The pieces of a text: rows that a reader knows, runs of numbered rows, other lines."""
    found: list[Piece] = []
    loose: list[str] = []
    rows = text.split("\n")
    at = 0
    while at < len(rows):
        block = _numbered(rows, at, marks) if marks else None
        one = block or next((got for read in readers if (got := read(rows[at]))), None)
        if one is None:
            loose.append(rows[at])
            at += 1
            continue
        if loose:
            found.append(Text(tuple(loose)))
            loose = []
        found.append(one)
        at += len(one.lines) if isinstance(one, Numbered) else 1
    if loose:
        found.append(Text(tuple(loose)))
    return tuple(found)


def _numbered(rows: list[str], at: int, marks: Sequence[str]) -> Numbered | None:
    match = _NUMBER.match(rows[at])
    if match is None:
        return None
    mark = next((one for one in marks if rows[at].startswith(one, match.end(2))), None)
    if mark is None:
        return None
    first, width = int(match[2]), match.end(2) if match[1] else 0
    lines: list[str] = []
    while at < len(rows):
        start = f"{first + len(lines):>{width}}{mark}"
        if not rows[at].startswith(start):
            break
        lines.append(rows[at][len(start) :])
        at += 1
    return Numbered(first, mark, width, tuple(lines)) if lines else None


def render(found: Sequence[Piece]) -> str:
    """The text again."""
    rows: list[str] = []
    for piece in found:
        if isinstance(piece, Text):
            rows += piece.lines
        elif isinstance(piece, Numbered):
            rows += [
                f"{n:>{piece.width}}{piece.mark}{line}"
                for n, line in enumerate(piece.lines, piece.first)
            ]
        else:
            rows.append(render_single(piece))
    return "\n".join(rows)


def numbered(content: str, mark: str, width: int) -> str:
    """A whole file with numbers, a row for what is behind its last line end too."""
    return render((Numbered(1, mark, width, tuple(content.split("\n"))),))


def first_row(found: Sequence[Piece], *kinds: str) -> Row | None:
    """The first row of one of these kinds."""
    return next((one for one in found if isinstance(one, Row) and one.kind in kinds), None)
