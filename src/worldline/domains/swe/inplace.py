"""``sed -i`` with plain scripts: what it makes of the lines that are known.

Followed are, with a line, a range of lines or no address: ``d``, ``a TEXT``, ``i TEXT``, ``c TEXT``
and ``s/literal/replacement/[g]``. Anything else is not read here, and may then have done anything.
"""

import re
from collections.abc import Iterable

import msgspec

from worldline.domains.swe.parts import MAX_LINES, Part
from worldline.domains.terminal.session import only_command
from worldline.domains.terminal.shell.program import Unknown
from worldline.domains.terminal.shell.reads import literal_pattern

_ADDRESS = re.compile(r"(?:([1-9]\d{0,6})(?:,([1-9]\d{0,6}))? ?)?")
LONGEST = 4_000
MOST_PUT = 1_000_000
"""Characters that one script may put in; what a larger one makes of a file is not followed."""


class Script(msgspec.Struct, frozen=True):
    """One command of sed on one file. Without an address it works on every line."""

    path: str
    command: str
    first: int | None
    last: int | None
    text: str = ""
    """What ``a``, ``i``, ``c`` and ``s`` put in; it may hold line ends."""
    pattern: str = ""
    all: bool = False

    @property
    def shifts(self) -> bool:
        """Whether lines below may get other numbers."""
        return self.command != "s" or "\n" in self.text


def script_of(line: str) -> Script | None:
    """The script of a command line that is ``sed -i SCRIPT FILE`` and nothing else."""
    words = only_command(line)
    if words is None or words[:2] != ["sed", "-i"] or len(words) != 4:
        return None
    text, path = words[2], words[3]
    if len(text) > LONGEST or text.startswith("-") or path.startswith("-"):
        return None
    address = _ADDRESS.match(text)
    first, last = (address[1], address[2]) if address else (None, None)
    rest = text[address.end() :] if address else text
    start = int(first) if first else None
    end = int(last) if last else start
    if start is not None and end is not None and end < start:
        return None
    return _command(rest, path, start, end)


def _command(text: str, path: str, first: int | None, last: int | None) -> Script | None:
    name, rest = text[:1], text[1:]
    if name == "d" and not rest and first is not None:
        return Script(path, "d", first, last)
    if name in ("a", "i", "c") and first is not None and first == last:
        put = _put_in(rest)
        return None if put is None else Script(path, name, first, last, put)
    if name == "s" and len(rest) > 2:
        return _substitution(rest, path, first, last)
    return None


def _put_in(text: str) -> str | None:
    """The one line of text behind ``a``, ``i`` and ``c``; blanks before it count only after a
    backslash."""
    text = text.lstrip(" ")
    text = text[1:] if text.startswith("\\") else text
    plain = text and "\\" not in text and "\n" not in text
    return text if plain else None


def _substitution(text: str, path: str, first: int | None, last: int | None) -> Script | None:
    mark = text[0]
    parts = re.split(rf"(?<!\\){re.escape(mark)}", text[1:]) if mark in "/|#,@" else []
    if len(parts) != 3 or parts[2] not in ("", "g") or "\n" in text or "\\\\" in text:
        return None
    pattern, put = (part.replace(f"\\{mark}", mark) for part in parts[:2])
    put = put.replace("\\n", "\n")
    try:
        found, start, end = literal_pattern(pattern, "basic")
    except Unknown:
        return None
    if not found or start or end or "\\" in put or "&" in put:
        return None
    return Script(path, "s", first, last, put, found, parts[2] == "g")


def on_content(script: Script, content: str) -> str | None:
    """A whole file after the script; `None` where that is not plain."""
    lines = content.split("\n")
    if lines[-1] != "":
        return None
    part = Part(dict(enumerate(lines[:-1], 1)), frozenset(range(1, len(lines))), len(lines) - 1)
    after = on_part(script, part)
    if after is None or after.total is None or len(after.fresh) != after.total:
        return None
    return "".join(f"{after.lines[n]}\n" for n in range(1, after.total + 1))


def on_part(script: Script, part: Part) -> Part | None:
    """The known lines of a file after the script; `None` if nothing certain is left.

    Lines that are not known stay unknown; those whose number is not certain any more are dropped.
    """
    if not part.fresh or part.ends is False:
        return None
    if script.first is None:
        if script.shifts and len(part.fresh) != part.total:
            return None
        numbers = sorted(part.fresh)
    elif not script.shifts:
        last = script.last or script.first
        numbers = [number for number in sorted(part.fresh) if script.first <= number <= last]
    else:
        last = script.last or script.first
        if last - script.first >= MAX_LINES:
            return None
        numbers = range(script.first, last + 1)
        known = part.total is not None and part.total >= last
        if not (known or last in part.fresh):
            return None
        if script.command == "s" and not part.fresh.issuperset(numbers):
            return None
    if script.command == "s" and _put(script, part, numbers) > MOST_PUT:
        return None
    return _rewritten(script, part, set(numbers))


def swapped(part: Part, old: str, new: str) -> Part | None:
    """The known lines of a file after the one place where `old` stands became `new`; `None` where
    that is not among lines that are known and fresh."""
    for first, last in _runs(part):
        text = "\n".join(part.lines[number] for number in range(first, last + 1))
        if old not in text:
            continue
        rows = text.replace(old, new, 1).split("\n")
        shift = len(rows) - (last - first + 1)
        lines = {n: part.lines[n] for n in part.fresh if n < first}
        lines |= {n + shift: part.lines[n] for n in part.fresh if n > last}
        lines |= dict(enumerate(rows, first))
        total = None if part.total is None else part.total + shift
        return msgspec.structs.replace(part, lines=lines, fresh=frozenset(lines), total=total)
    return None


def _runs(part: Part) -> Iterable[tuple[int, int]]:
    """First and last of fresh lines that follow one another."""
    first = before = None
    for number in sorted(part.fresh):
        if before is None or number != before + 1:
            if first is not None and before is not None:
                yield first, before
            first = number
        before = number
    if first is not None and before is not None:
        yield first, before


def _put(script: Script, part: Part, numbers: Iterable[int]) -> int:
    """How many characters a substitution puts in."""
    found = sum(part.lines[n].count(script.pattern) for n in numbers if n in part.fresh)
    return found * len(script.text)


def _rewritten(script: Script, part: Part, chosen: set[int]) -> Part:
    lines: dict[int, str] = {}
    shift = 0
    for number in sorted(part.fresh | chosen):
        line = part.lines.get(number) if number in part.fresh else None
        rows: list[str | None] = [line]
        if number in chosen:
            rows = _rows(script, line)
        for place, row in enumerate(rows):
            if row is not None:
                lines[number + shift + place] = row
        shift += len(rows) - 1
    total = None if part.total is None else part.total + shift
    return msgspec.structs.replace(part, lines=lines, fresh=frozenset(lines), total=total)


def _rows(script: Script, line: str | None) -> list[str | None]:
    """What one line becomes; `None` stands for a line that is not known."""
    if script.command == "d":
        return []
    if script.command in ("a", "i", "c"):
        own = [] if script.command == "c" else [line]
        return [*own, script.text] if script.command == "a" else [script.text, *own]
    if line is None:
        return [None]
    return [*line.replace(script.pattern, script.text, -1 if script.all else 1).split("\n")]
