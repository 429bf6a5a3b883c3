"""Programs that read: computed by our own code on what is known, never run.

Only options whose meaning we know are followed; anything else is `Unknown`. Regular expressions are
followed as far as they are literal text with anchors, so that matching is linear.
"""

import hashlib
import re

from worldline.domains.terminal.shell.program import (
    FileError,
    Io,
    Options,
    Program,
    Unknown,
    lines,
    number,
)


def cat(args: list[str], io: Io) -> int:
    """`cat [-n] [FILE...]`."""
    options = Options(args, "n")
    found = io.inputs("cat", options.rest, exact=len(options.rest) > 1)
    text = "".join(text for _, text in found.texts)
    if "n" in options.flags:
        text = "".join(f"{n:6}\t{line}" for n, line in enumerate(lines(text), 1))
    io.out(text)
    return found.code


def _count(args: list[str], default: str = "10") -> tuple[str, str, list[str]]:
    """Options of head and tail: unit (``n`` or ``c``), count as text, operands."""
    args = [f"-n{arg[1:]}" if re.fullmatch(r"-\d+", arg) else arg for arg in args]
    options = Options(args, "q", "nc")
    if len(options.values) > 1 or ("q" in options.flags and len(options.rest) > 1):
        raise Unknown("two counts, or several files without their names")
    unit, count = next(iter(options.values.items()), ("n", default))
    return unit, count, options.rest


def _several(
    program: str, names: list[str], io: Io, *, exact: bool, empty: bool
) -> list[tuple[str, str]]:
    """The inputs of head and tail; asked for nothing (`empty`), they may not even open them."""
    if empty or (len(names) > 1 and not all(io.kind(name) == "file" for name in names)):
        raise Unknown("several inputs, some missing, or nothing of them")
    result = []
    for name in names or ["-"]:
        try:
            text = io.read(name, exact=exact)
        except FileError as error:
            if str(error) == "Is a directory":
                raise Unknown("reading a directory") from None
            io.err(f"{program}: cannot open '{io.plain(name)}' for reading: {error}\n")
            continue
        result.append((name, text))
    return result


def _emit(pieces: list[tuple[str, str]], named: int, io: Io) -> int:
    for index, (name, text) in enumerate(pieces):
        if named > 1:
            io.out(("\n" if index else "") + f"==> {name} <==\n")
        io.out(text)
    return 0 if len(pieces) == max(named, 1) else 1


def head(args: list[str], io: Io) -> int:
    """`head [-n N | -c N] [FILE...]`; counts from the end are not followed."""
    unit, count, names = _count(args)
    size = number(count)
    exact = unit == "c" or len(names) > 1
    found = _several("head", names, io, exact=exact, empty=size == 0)
    return _emit([(name, _take(text, unit, 0, size)) for name, text in found], len(names), io)


def tail(args: list[str], io: Io) -> int:
    """`tail [-n N | -n +N | -c N] [FILE...]`."""
    unit, count, names = _count(args)
    exact = unit == "c" or len(names) > 1
    found = _several("tail", names, io, exact=exact, empty=not count.strip("-0"))
    if count.startswith("+"):
        start = max(number(count[1:]) - 1, 0)
        rest = [(name, _take(text, unit, start, None)) for name, text in found]
        return _emit(rest, len(names), io)
    size = number(count.removeprefix("-"))
    last = [(name, _take(text, unit, -size, None) if size else "") for name, text in found]
    return _emit(last, len(names), io)


def _take(text: str, unit: str, start: int | None, end: int | None) -> str:
    if unit == "n":
        return "".join(lines(text)[start:end])
    try:
        return text.encode()[start:end].decode()
    except UnicodeError:
        raise Unknown("a cut inside a character") from None


def wc(args: list[str], io: Io) -> int:
    """`wc [-l] [-w] [-c] [-m] [FILE...]`."""
    if not io.traits.gnu:
        raise Unknown("the layout of wc")
    options = Options(args, "lwcm")
    if "-" in options.rest:
        raise Unknown("the layout of wc with standard input among files")
    wanted = [flag for flag in "lwmc" if flag in (options.flags or "lwc")]
    if not options.rest and len(wanted) > 1:
        raise Unknown("the width of wc's columns, which hangs on what its input is")
    found = io.inputs("wc", options.rest, exact=True)
    rows = [([_counted(text, flag) for flag in wanted], name) for name, text in found.texts]
    size = sum(len(text.encode()) for _, text in found.texts)
    if found.code and len(options.rest) > 1:
        raise Unknown("the layout of wc with missing files")
    alone = len(wanted) == 1 and len(rows) == 1
    width = 1 if alone else len(str(size))
    if len(rows) > 1:
        rows.append(
            ([sum(column) for column in zip(*(row for row, _ in rows), strict=True)], "total")
        )
    for counts, name in rows:
        tail = f" {name}" if options.rest else ""
        io.out(" ".join(f"{count:{width}}" for count in counts) + tail + "\n")
    return found.code


def _counted(text: str, flag: str) -> int:
    if flag in "wm" and not text.isascii():
        raise Unknown("words and characters of other scripts")
    return {
        "l": text.count("\n"),
        "w": len(text.split()),
        "c": len(text.encode()),
        "m": len(text),
    }[flag]


_SPECIAL = {"basic": set("\\.[*"), "extended": set("\\.[*^$()|+?{"), "fixed": set()}


def literal_pattern(pattern: str, style: str) -> tuple[str, bool, bool]:
    """The text a pattern stands for, and whether it is anchored at start and end.

    Raises:
        Unknown: it is more than literal text.
    """
    start = style != "fixed" and pattern.startswith("^")
    body = pattern[1:] if start else pattern
    end = style != "fixed" and body.endswith("$") and not body.endswith("\\$")
    body = body[:-1] if end else body
    text, index = "", 0
    while index < len(body):
        char = body[index]
        if char == "\\" and style != "fixed" and body[index + 1 : index + 2] in set(".[*^$\\"):
            text += body[index + 1]
            index += 2
            continue
        if char in _SPECIAL[style] or (style == "basic" and char in "$^"):
            raise Unknown(f"the pattern {pattern!r}")
        text += char
        index += 1
    return text, start, end


def grep(args: list[str], io: Io) -> int:
    """`grep [-EFGcilnqvhHx] PATTERN [FILE...]` for literal patterns."""
    options = Options(args, "EFGcilnqvhHx", "em")
    if "m" in options.values:
        raise Unknown("option -m")
    if "e" not in options.values and not options.rest:
        raise Unknown("grep without a pattern")
    names = options.rest if "e" in options.values else options.rest[1:]
    pattern = options.values.get("e", options.rest[0] if options.rest else "")
    if not pattern and "v" in options.flags:
        raise Unknown("a search that cannot find anything")
    style = "fixed" if "F" in options.flags else "extended" if "E" in options.flags else "basic"
    literal_pattern(pattern, style)
    found = io.inputs("grep", names)
    hit = False
    named = "H" in options.flags or (len(names) > 1 and "h" not in options.flags)
    for name, text in found.texts:
        if "\0" in text or "\ufffd" in text:
            raise Unknown("a binary file")
        bare = [line.removesuffix("\n") for line in lines(text)]
        matches = [
            (n, line)
            for n, line in enumerate(bare, 1)
            if _matches(line, pattern, style, options.flags)
        ]
        hit = hit or bool(matches)
        if "q" not in options.flags:
            _report(matches, options.flags, "(standard input)" if name == "-" else name, named, io)
    return 0 if hit and not found.code else 2 if found.code else 1


def _matches(line: str, pattern: str, style: str, flags: set[str]) -> bool:
    text, start, end = literal_pattern(pattern, style)
    if "\n" in text:
        raise Unknown("several patterns")
    if "i" in flags:
        if not (line.isascii() and text.isascii()):
            raise Unknown("case in other scripts")
        line, text = line.lower(), text.lower()
    if "x" in flags or (start and end):
        found = line == text
    elif start or end:
        found = line.startswith(text) if start else line.endswith(text)
    else:
        found = text in line
    return found != ("v" in flags)


def _report(
    matches: list[tuple[int, str]], flags: set[str], name: str, named: bool, io: Io
) -> None:
    prefix = f"{name}:" if named else ""
    if "l" in flags:
        io.out(f"{name}\n" if matches else "")
    elif "c" in flags:
        io.out(f"{prefix}{len(matches)}\n")
    else:
        for n, line in matches:
            io.out(prefix + (f"{n}:" if "n" in flags else "") + line + "\n")


_SED = re.compile(r"(?:(\d{1,7}|\$)(?:,(\d{1,7}|\$))?)?([pdq])")


def sed(args: list[str], io: Io) -> int:
    """`sed [-n] 'A[,B]p|d|q' [FILE]` with line numbers for addresses."""
    options = Options(args, "n", "e")
    script = options.values.get("e") or (options.rest.pop(0) if options.rest else "")
    match = _SED.fullmatch(script.strip(" "))
    if match is None or (match[2] and match[3] == "q") or len(options.rest) > 1:
        raise Unknown(f"the sed script {script!r}")
    try:
        all = lines(io.read(options.rest[0] if options.rest else "-"))
    except FileError as error:
        if str(error) == "Is a directory":
            raise Unknown("reading a directory") from None
        io.err(f"sed: can't read {io.plain(options.rest[0])}: {error}\n")
        return 2
    first, last = (
        (len(all) if part == "$" else int(part)) if part else default
        for part, default in ((match[1], 1), (match[2] or match[1], len(all)))
    )
    if first < 1 or (match[2] and last < first):
        raise Unknown("an empty range")
    chosen = range(first, last + 1)
    io.out(_edited(all, chosen, match[3], "n" in options.flags, first))
    return 0


def _edited(all: list[str], chosen: range, command: str, quiet: bool, first: int) -> str:
    if command == "q":
        return "" if quiet else "".join(all[:first])
    if command == "d":
        return "" if quiet else "".join(x for n, x in enumerate(all, 1) if n not in chosen)
    picked = [x for n, x in enumerate(all, 1) for _ in range((n in chosen) + (not quiet))]
    if picked and not quiet and not picked[-1].endswith("\n"):
        raise Unknown("a doubled last line without its end")
    return "".join(picked)


def _digest(name: str) -> Program:
    def program(args: list[str], io: Io) -> int:
        options = Options(args)
        found = io.inputs(f"{name}sum", options.rest, exact=True)
        for file, text in found.texts:
            if "\\" in file or "\n" in file:
                raise Unknown("an escaped name")
            io.out(f"{hashlib.new(name, text.encode()).hexdigest()}  {file}\n")
        return found.code

    return program


PROGRAMS: dict[str, Program] = {
    "cat": cat,
    "head": head,
    "tail": tail,
    "wc": wc,
    "grep": grep,
    "egrep": lambda args, io: grep(["-E", *args], io),
    "fgrep": lambda args, io: grep(["-F", *args], io),
    "sed": sed,
    **{f"{name}sum": _digest(name) for name in ("md5", "sha1", "sha224", "sha256", "sha512")},
}
