"""Programs that turn one text into another: computed on known input, never run.

Where the answer hangs on the locale (order, letters beyond ASCII) it is `Unknown`.
"""

import base64
import binascii
import re
from collections import Counter

from worldline.domains.terminal.shell.program import (
    Io,
    Options,
    Program,
    Unknown,
    agreed_order,
    lines,
    number,
)


def _ranges(text: str) -> list[tuple[int, int]]:
    found = []
    for part in text.split(","):
        low, dash, high = part.partition("-")
        if not low and not high:
            raise Unknown(f"the list {text!r}")
        start = number(low) if low else 1
        end = (number(high) if high else 10**9) if dash else start
        if not 1 <= start <= end:
            raise Unknown(f"the list {text!r}")
        found.append((start, end))
    return found


def cut(args: list[str], io: Io) -> int:
    """`cut -d C -f LIST [FILE]` and `cut -c LIST [FILE]`."""
    options = Options(args, "", "dfcb")
    if set(options.values) not in ({"f"}, {"f", "d"}, {"c"}, {"b"}):
        raise Unknown("the options of cut")
    ranges = _ranges(
        options.values.get("f") or options.values.get("c") or options.values.get("b", "")
    )
    mark = options.values.get("d", "\t")
    if len(mark) != 1 or not mark.isascii():
        raise Unknown("the delimiter")
    found = io.inputs("cut", options.rest)
    for _, text in found.texts:
        for line in lines(text):
            bare = line.removesuffix("\n")
            if not bare.isascii():
                raise Unknown("bytes of other scripts")
            parts = bare.split(mark) if "f" in options.values else list(bare)
            kept = [p for n, p in enumerate(parts, 1) if any(a <= n <= b for a, b in ranges)]
            whole = "f" in options.values and mark not in bare
            io.out((bare if whole else (mark if "f" in options.values else "").join(kept)) + "\n")
    return found.code


_CLASSES = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
    "[:digit:]": "0123456789",
    "[:space:]": "\t\n\v\f\r ",
}


def _set(text: str) -> str:
    """The characters of a `tr` set."""
    if text in _CLASSES:
        return _CLASSES[text]
    if "[" in text or not text.isascii():
        raise Unknown(f"the set {text!r}")
    text = re.sub(
        r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}.get(m[1], "\0"), text
    )
    if "\0" in text or text.endswith("\\"):
        raise Unknown(f"the set {text!r}")
    return re.sub(r"(?s)(.)-(.)", _range, text)


def _range(match: re.Match[str]) -> str:
    first, last = ord(match[1]), ord(match[2])
    if last < first:
        raise Unknown(f"the range {match[0]!r}")
    return "".join(map(chr, range(first, last + 1)))


def tr(args: list[str], io: Io) -> int:
    """`tr SET1 SET2`, `tr -d SET`, `tr -dc SET`."""
    options = Options(args, "dcC")
    text = io.stdin()
    if not text.isascii() or len(options.rest) != (1 if "d" in options.flags else 2):
        raise Unknown("tr")
    classes = [name for name in options.rest if name in _CLASSES]
    if len(options.rest) == 2 and classes and sorted(classes) != ["[:lower:]", "[:upper:]"]:
        raise Unknown("classes that do not go together")
    first = _set(options.rest[0])
    if "d" in options.flags:
        keep = bool(options.flags & {"c", "C"})
        io.out("".join(char for char in text if (char in first) == keep))
        return 0
    second = _set(options.rest[1])
    if options.flags or not second:
        raise Unknown("tr")
    second += second[-1] * (len(first) - len(second))
    table: dict[int, str] = {}
    for old, new in zip(first, second, strict=False):
        table[ord(old)] = new
    io.out(text.translate(table))
    return 0


def sort(args: list[str], io: Io) -> int:
    """`sort [-n] [-r] [-u] [FILE...]`, where the order does not hang on the locale."""
    options = Options(args, "nru")
    found = io.inputs("sort", options.rest)
    if found.code:
        raise Unknown("sort of missing files")
    rows = [line.removesuffix("\n") for _, text in found.texts for line in lines(text)]
    if "n" in options.flags:
        if not all(re.fullmatch(r"-?\d{1,15}", row) for row in rows):
            raise Unknown("numbers with something behind them")
        ordered = sorted(rows, key=int)
        if len({int(row) for row in rows}) != len(set(rows)):
            raise Unknown("ties")
    else:
        distinct = agreed_order(list(set(rows)), io.files)
        times = Counter(rows)
        ordered = [row for row in distinct for _ in range(times[row])]
    if "u" in options.flags:
        ordered = list(dict.fromkeys(ordered))
    if "r" in options.flags:
        ordered.reverse()
    io.out("".join(row + "\n" for row in ordered))
    return 0


def uniq(args: list[str], io: Io) -> int:
    """`uniq [-c] [-d] [-u] [FILE]`."""
    options = Options(args, "cdu")
    found = io.inputs("uniq", options.rest[:1])
    if found.code or len(options.rest) > 1:
        raise Unknown("uniq")
    groups: list[tuple[str, int]] = []
    for line in lines(found.texts[0][1]):
        bare = line.removesuffix("\n")
        if groups and groups[-1][0] == bare:
            groups[-1] = (bare, groups[-1][1] + 1)
        else:
            groups.append((bare, 1))
    for bare, times in groups:
        if ("d" in options.flags and times == 1) or ("u" in options.flags and times > 1):
            continue
        io.out((f"{times:7} " if "c" in options.flags else "") + bare + "\n")
    return 0


def tac(args: list[str], io: Io) -> int:
    """`tac [FILE]`."""
    found = io.inputs("tac", Options(args).rest, exact=True)
    for _, text in found.texts:
        if text and not text.endswith("\n"):
            raise Unknown("a last line without its end")
        io.out("".join(reversed(lines(text))))
    if found.code:
        raise Unknown("tac of missing files")
    return 0


def rev(args: list[str], io: Io) -> int:
    """`rev [FILE]`."""
    found = io.inputs("rev", Options(args).rest)
    if found.code or not io.traits.furnished:
        raise Unknown("rev of missing files, or no rev")
    for _, text in found.texts:
        if not text.isascii():
            raise Unknown("letters in other scripts")
        for line in lines(text):
            bare = line.removesuffix("\n")
            io.out(bare[::-1] + line[len(bare) :])
    return 0


def base64_(args: list[str], io: Io) -> int:
    """`base64 [-d] [-w N] [FILE]`."""
    options = Options(args, "d", "w")
    found = io.inputs("base64", options.rest, exact=True)
    if found.code or len(options.rest) > 1:
        raise Unknown("base64")
    text = found.texts[0][1]
    if "d" in options.flags:
        try:
            io.out(base64.b64decode(text.replace("\n", ""), validate=True).decode())
        except (ValueError, binascii.Error):
            raise Unknown("what the bytes look like") from None
        return 0
    coded = base64.b64encode(text.encode()).decode()
    width = number(options.values.get("w", "76"))
    rows = [coded[i : i + width] for i in range(0, len(coded), width)] if width else [coded]
    io.out("".join(row + "\n" for row in rows) if width else coded)
    return 0


PROGRAMS: dict[str, Program] = {
    "cut": cut,
    "tr": tr,
    "sort": sort,
    "uniq": uniq,
    "tac": tac,
    "rev": rev,
    "base64": base64_,
}
