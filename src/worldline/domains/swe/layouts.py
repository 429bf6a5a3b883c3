"""How harnesses lay out what they show: numbered lines, tags, confirmations; in parts."""

import re
from collections.abc import Iterator

from worldline.domains.parts import STATUS, Kind, Part, line_parts
from worldline.domains.swe.rows import FORMS as ROWS

_MARK = r"(\t|→|\| ?|: ?)"
MARKS = {"claude-code": r"(\t|→)", "opencode": r"(: )", "aci": r"(:)", "hermes": r"(\|)"}
"""What stands between number and line, by dialect."""
_NUMBERED = {
    dialect: (re.compile(rf" {{0,9}}(\d{{1,9}}){mark}"), re.compile(rf" {{0,9}}(\d{{1,9}}){_MARK}"))
    for dialect, mark in MARKS.items()
}
_TAGS = re.compile(r"</?(?:path|type|content|entries)>")
_TOTAL = re.compile(r"\(End of file - total (\d{1,9}) lines\)")


def went(text: str, start: int = -1) -> Part:
    """How a command went: its exit code."""
    return Part(text, "content", STATUS, start)


def tagged(text: str) -> list[Part]:
    """A failure in its tags."""
    opened, closed = "<tool_use_error>", "</tool_use_error>"
    end = len(text.rstrip())
    ends = text.endswith(closed, 0, end)
    stop = end - len(closed) if ends else end
    last = [Part(closed, "frame", "", stop)] if ends else []
    inner = line_parts(text[len(opened) : stop], "content", len(opened))
    return [Part(opened, "frame", "", 0), *inner, *last]


def confirmed(text: str, kinds: tuple[str, ...]) -> list[Part]:
    """The confirmation of a change: its words, and the path and the count in it."""
    first, _, rest = text.partition("\n")
    for kind in kinds:
        form = ROWS[kind]
        match = form.pattern.fullmatch(first)
        if match is None:
            continue
        made: list[Part] = [Part(form.form, "content", "words")]
        for place, hole in enumerate(form.holes, 1):
            role: Kind = "state" if hole == "p" else "content"
            made.append(Part(match[place], role, f"value {place}", match.start(place)))
        return made + line_parts(rest, "content", len(first) + 1)
    return line_parts(text)


def numbered(dialect: str, text: str, start: int) -> Iterator[Part]:
    """Lines with their numbers: where the numbers begin is state, the sign behind them frame."""
    own, any_mark = _NUMBERED[dialect]
    due: int | None = None
    mark, runs = None, 0
    for line in text.rstrip().split("\n"):
        match = own.match(line) or any_mark.match(line)
        if match is None and line.strip() == str(due):  # blank, and without its blanks
            yield Part("", "content", "", start + len(line))
        elif match is None:
            due = None
            yield Part(line.rstrip(), "content", "", start)
        else:
            number = int(match[1])
            if number != due:
                runs += 1
                yield Part(match[1], "state", f"first {runs}", start + match.start(1))
            if match[2].rstrip(" ") != mark:
                mark = match[2].rstrip(" ")
                yield Part(match[2], "frame", "", start + match.start(2))
            due = number + 1
            yield Part(line[match.end() :].rstrip(), "content", "", start + match.end())
        start += len(line) + 1


def tag_row(line: str, at: int) -> Iterator[Part]:
    """The parts of a row of tags; a path between them is what was asked for."""
    total = _TOTAL.fullmatch(line)
    if total is not None:
        yield Part("(End of file - total lines)", "frame")
        yield Part(total[1], "content", "total", at + total.start(1))
    if line[:1].isdigit() or "<" not in line:
        return
    end, inner = 0, "path>" in line
    for tag in _TAGS.finditer(line):
        if tag.start() > end:
            yield Part(line[end : tag.start()], "state" if inner else "frame", "", at + end)
        yield Part(tag[0], "frame", "", at + tag.start())
        end = tag.end()
    if 0 < end < len(line) or (inner and end):
        yield from line_parts(line[end:], "state" if inner else "frame", at + end)
