"""What is known of files that were shown in part: lines by number, and where the file ends.

Most source files are too long to be shown at once. An agent looks at lines 120 to 170, then at
lines 130 to 140: the second answer follows from the first, as long as nothing was written between.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from worldline.domains.terminal.shell.grammar import Command, NotUnderstood, Script, literal, parse

MAX_LINES = 6_000
"""Lines of one file that are kept."""
MAX_FILES = 60


class Part(msgspec.Struct, frozen=True):
    """Lines of a file by number. `fresh`: those that nothing can have changed since.

    `total`: how many there are, while `fresh` holds some; `ends`: the last has a line end.
    """

    lines: Mapping[int, str]
    fresh: frozenset[int] = frozenset()
    total: int | None = None
    ends: bool | None = None
    turn: int = 0


class Slice(msgspec.Struct, frozen=True):
    """Lines `first` to `last` of a file (`None`: to its end); `width`: printed with numbers."""

    path: str
    first: int = 1
    last: int | None = None
    numbered: bool = False


def merged(before: Part | None, first: int, lines: Sequence[str], turn: int) -> Part:
    """A part with more lines, fresh from this turn."""
    kept = dict(before.lines) if before else {}
    fresh = set(before.fresh) if before else set()
    for number, line in enumerate(lines, first):
        kept[number] = line
        fresh.add(number)
    if len(kept) > MAX_LINES:
        kept, fresh = {n: kept[n] for n in fresh}, fresh
    total = before.total if before and before.fresh else None
    ends = before.ends if before and before.fresh else None
    return Part(kept, frozenset(fresh), total, ends, turn)


def aged(part: Part) -> Part:
    """A part after something may have changed it."""
    return msgspec.structs.replace(part, fresh=frozenset(), total=None, ends=None)


def content_of(part: Part) -> str | None:
    """The whole file, if every line of it is known and fresh."""
    if part.total is None or part.ends is None or len(part.fresh) != part.total:
        return None
    text = "\n".join(part.lines[number] for number in range(1, part.total + 1))
    return f"{text}\n" if part.ends else text


def slice_of(text: str) -> Slice | None:
    """The lines that a command prints of one file, if that is all it does."""
    try:
        script = parse(text)
    except NotUnderstood:
        return None
    return _pipeline(script)


def _pipeline(script: Script) -> Slice | None:
    if not script.plain or len(script.pipelines) != 1 or script.pipelines[0].negated:
        return None
    pipeline = script.pipelines[0]
    if pipeline.joint == "&":
        return None
    found: Slice | None = None
    for place, command in enumerate(pipeline.commands):
        words = _words(command)
        if words is None or (place and found is None):
            return None
        found = _step(words, found)
        if found is None:
            return None
    return found


def _words(command: Command) -> list[str] | None:
    words = [literal(word) for word in command.words]
    if command.redirects or command.assigns or not words or None in words:
        return None
    return [word for word in words if word is not None]


_SED = re.compile(r"(\d{1,7})(?:,(\d{1,7}))?p(?:;\s*(\d{1,7})q)?")


def _step(words: list[str], source: Slice | None) -> Slice | None:
    """One program of a pipeline that passes on some of its lines."""
    name, args = words[0], words[1:]
    numbered = name == "cat" and args[:1] == ["-n"]
    args = args[1:] if numbered else args
    bounds: tuple[int, int | None] | None = (1, None) if name == "cat" else None
    if name == "sed" and len(args) >= 2 and args[0] == "-n":
        bounds, args = _sed(args[1]), args[2:]
    elif name == "head":
        bounds, args = _head(args)
    elif name == "tail" and len(args) >= 2 and args[0] == "-n":
        bounds, args = _tail(args[1]), args[2:]
    if bounds is None or (numbered and source is not None):
        return None
    if source is None:
        plain = len(args) == 1 and not args[0].startswith("-")
        return Slice(args[0], *bounds, numbered) if plain else None
    return None if args else _within(source, *bounds)


def _sed(script: str) -> tuple[int, int | None] | None:
    match = _SED.fullmatch(script)
    if match is None:
        return None
    first, last = int(match[1]), int(match[2] or match[1])
    quits = int(match[3]) if match[3] else last
    return (first, last) if 0 < first <= last <= quits else None


def _head(args: list[str]) -> tuple[tuple[int, int | None] | None, list[str]]:
    if args and (match := re.fullmatch(r"-(?:n ?)?([1-9]\d{0,6})", args[0])):
        return (1, int(match[1])), args[1:]
    if len(args) > 1 and args[0] == "-n" and re.fullmatch(r"[1-9]\d{0,6}", args[1]):
        return (1, int(args[1])), args[2:]
    return (1, 10), args


def _tail(count: str) -> tuple[int, int | None] | None:
    match = re.fullmatch(r"\+([1-9]\d{0,6})", count)
    return (int(match[1]), None) if match else None


def _within(source: Slice, first: int, last: int | None) -> Slice:
    """Lines `first` to `last` of what `source` prints."""
    start = source.first + first - 1
    ends = [end for end in (source.last, None if last is None else source.first + last - 1) if end]
    return msgspec.structs.replace(source, first=start, last=min(ends) if ends else None)


_COMPLAINTS = ("cat: ", "sed: ", "head: ", "tail: ")
"""What a failed program says, which the exit code of a pipeline does not tell."""


def learn(before: Part | None, wanted: Slice, output: str, turn: int) -> Part | None:
    """The part after a command printed these lines (exit code 0)."""
    if "\ufffd" in output or "\0" in output:
        return None
    rows = output.split("\n")
    if any(row.startswith(_COMPLAINTS) for row in rows):
        return None
    ends = rows[-1] == ""
    rows = rows[:-1] if ends else rows
    if wanted.numbered:
        bare = [_unnumbered(row, number) for number, row in enumerate(rows, wanted.first)]
        if None in bare:
            return None
        rows = [row for row in bare if row is not None]
    short = wanted.last is None or len(rows) < wanted.last - wanted.first + 1
    if not rows or len(rows) > MAX_LINES or (not ends and not short):
        return None
    found = merged(before, wanted.first, rows, turn)
    if not short:
        return found
    return msgspec.structs.replace(found, total=wanted.first + len(rows) - 1, ends=ends)


def _unnumbered(row: str, number: int) -> str | None:
    start = f"{number:6}\t"
    return row[len(start) :] if row.startswith(start) else None


_FOUND = re.compile(r"([1-9]\d{0,6})[:-]")


def learn_found(before: Part | None, output: str, turn: int) -> Part | None:
    """The part after `grep -n` printed lines with their numbers."""
    found = before
    for row in output.split("\n"):
        match = _FOUND.match(row)
        if match and "\ufffd" not in row and "\0" not in row:
            found = merged(found, int(match[1]), [row[match.end() :]], turn)
        elif row not in ("", "--"):
            return before
    return found


def foretold(part: Part, wanted: Slice) -> str | None:
    """What a command will print, if every line of it is known and fresh."""
    last = wanted.last
    if part.total is not None:
        last = part.total if last is None else min(last, part.total)
    if last is None or last < wanted.first or last - wanted.first > MAX_LINES:
        return None
    numbers = range(wanted.first, last + 1)
    if not all(number in part.fresh for number in numbers):
        return None
    rows = [f"{n:6}\t{part.lines[n]}" if wanted.numbered else part.lines[n] for n in numbers]
    unended = last == part.total and part.ends is False
    return "\n".join(rows) + ("" if unended else "\n")


def told(part: Part, first: int | None, last: int | None, around: int = 20) -> list[str]:
    """Known lines near a range (all without one), with their numbers; gaps as ``...``."""
    low, high = (first or 1) - around, (last or first or 10**9) + around
    rows: list[str] = []
    before: int | None = None
    for number in sorted(part.lines):
        if low <= number <= high:
            rows += ["..."] if before is not None and number != before + 1 else []
            rows.append(f"{number}: {part.lines[number]}")
            before = number
    return rows
