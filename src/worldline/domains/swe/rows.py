"""Rows with a meaning of their own: what harnesses say in fixed words around what tools print.

A row is read by its template (`FORMS`) and written by it again, so that it renders back exactly.
"""

import re
from collections.abc import Callable, Sequence

import msgspec

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


def row(*kinds: str, returns: bool = False) -> Callable[[str], Row | None]:
    """A reader of rows of these kinds; `returns`: they may end in a carriage return."""
    chosen = [(kind, FORMS[kind]) for kind in kinds]

    def read(text: str) -> Row | None:
        body = text.removesuffix("\r") if returns else text
        for kind, one in chosen:
            match = one.pattern.fullmatch(body)
            if match is not None:
                found = _filled(kind, one.holes, match.groups(), text[len(body) :])
                if render_row(found) == text:
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


def render_row(found: Row) -> str:
    """The row again."""
    form = FORMS[found.kind]
    values = iter(found.values)
    filled = [found.text if hole == "t" else _written(next(values)) for hole in form.holes]
    return form.form.format(*filled) + found.end


def _written(value: Value) -> str:
    return "/".join(value) if isinstance(value, tuple) else str(value)
