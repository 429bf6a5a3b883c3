"""What programs can print, whatever they work on: each line shows what was asked for."""

import fnmatch
import re
from collections.abc import Callable, Iterator

from worldline.domains.terminal.rules.asked import Asked, Claim, clusters, plain
from worldline.domains.terminal.rules.selection import selects

_LONG = re.compile(
    r"[-dlbcpsDC?][-rwxsStT?]{9}[.+@]? +\S+ +\S+ +\S+ +\S+(?:, +\d+)? +\S.*"  # as `ls -l` prints
)
_LITERAL = re.compile(r"[\w ,:/=@%<>\"'#-]+")
_SUMS = {"md5sum": 32, "sha1sum": 40, "sha224sum": 56, "sha256sum": 64, "sha384sum": 96}
_SUMS |= {"sha512sum": 128, "b2sum": 128}
_TESTS = {"-type", "-name", "-iname", "-maxdepth", "-mindepth", "-size", "-mtime", "-mmin", "-user"}
_TESTS |= {"-newer", "-perm", "-path", "-group", "-links", "-ctime", "-atime", "-cmin", "-amin"}
_ALONE = {"-print", "-empty", "-readable", "-writable", "-executable", "-follow", "-xdev", "-mount"}
_FIELD = re.compile(r"\{ ?print \$[1-9]\d? ?\}")

Fits = Callable[[str], bool]


def shapes(asked: Asked) -> Iterator[Claim]:
    """Lines that the command which printed them cannot print."""
    for place, words in enumerate(asked.commands):
        found = plain(words)
        if found is None or not all(map(selects, asked.after(place))):
            continue
        for fits, said in _demands(found, first=place == 0):
            odd = next((row for row in asked.lines if not fits(row)), None)
            if odd is not None:
                message = f"{found[0]} {said}, but this says {odd[:80]!r}"
                broken = found[0] in _NAMES and _in_two(found, asked.lines, odd)
                yield Claim("shape", message, odd, severity="warning" if broken else "error")


def _in_two(words: list[str], lines: tuple[str, ...], odd: str) -> bool:
    """Whether an odd line may be one of the two that a name with a line end in it makes."""
    if words[0] == "find":
        below = tuple(word for word in words[1:] if word[:1] not in "-(!") or (".",)
        after = lines[lines.index(odd) + 1 :][:1]
        if odd.startswith(below):  # whole, or the beginning of a name that goes on below
            return bool(after) and not after[0].startswith(below)
    if words[0] in ("find", "du", "ls"):
        return odd != lines[0]
    recursive = len([word for word in words[1:] if word[:1] != "-"]) != 2
    return (recursive or bool(set(clusters(words[1:])) & set("rRH"))) and ":" not in odd


_NAMES = ("find", "du", "ls", "grep", "egrep", "fgrep")


def _demands(words: list[str], *, first: bool) -> Iterator[tuple[Fits, str]]:
    """What each line of a command's output must be, and that in words."""
    name, args = words[0], words[1:]
    if name in ("grep", "egrep", "fgrep"):
        yield from _grep(name, args)
    elif name == "find" and first:
        yield from _find(args)
    elif name == "ls" and first:
        yield from _ls(args)
    elif name == "cut":
        yield from _cut(args)
    elif name == "awk" and args and _FIELD.fullmatch(args[0]):
        yield (lambda row: not re.search(r"\s", row)), "prints one field a line"
    elif name == "tr":
        yield from _tr(args)
    elif name == "uniq" and args == ["-c"]:
        yield (lambda row: bool(re.match(r" *\d+ ", row))), "-c counts each line"
    elif name in _SUMS and not any(word.startswith("-") for word in args):
        size = _SUMS[name]
        form = re.compile(rf"\\?[0-9a-f]{{{size}}} [ *].+")
        yield (lambda row: bool(form.fullmatch(row))), f"prints {size} digits and a name"
    elif name == "du" and set(clusters(args)) <= set("shckmab"):
        form = re.compile(r"[\d.,]+[KMGTPE]?\s+\S.*")
        yield (lambda row: bool(form.fullmatch(row))), "prints a size and a name"


def _grep(name: str, args: list[str]) -> Iterator[tuple[Fits, str]]:
    letters = set(clusters(args))
    rest = [word for word in args if not word.startswith("-") or word == "-"]
    longs = any(word.startswith("--") for word in args)
    if not rest or longs or letters & set("fABCLlmqzPe"):
        return
    several = len(rest) > 2 or bool(letters & set("rRH"))
    if "c" in letters:
        form = re.compile(r"(?:.+:)?\d+" if several else r"\d+")
        yield (lambda row: bool(form.fullmatch(row))), "-c prints counts"
        return
    if "n" in letters and not several:
        yield _binary(lambda row: bool(re.match(r"\d+:", row))), "-n prints numbers of lines"
    wanted = _alternatives(rest[0], extended=name == "egrep" or "E" in letters)
    fixed = name == "fgrep" or "F" in letters
    if wanted is None or (fixed and "|" in rest[0]):
        return
    fold = "i" in letters
    wanted = [one.lower() for one in wanted] if fold else wanted

    def holds(row: str) -> bool:
        return any(one in (row.lower() if fold else row) for one in wanted)

    if "v" not in letters:
        yield _binary(holds), f"prints lines with {rest[0]!r}"
    elif not several and not letters & set("nwxob"):
        yield (lambda row: not holds(row)), f"-v leaves out lines with {rest[0]!r}"


def _binary(fits: Fits) -> Fits:
    return lambda row: fits(row) or row.startswith("Binary file ")


def _alternatives(pattern: str, *, extended: bool) -> list[str] | None:
    """The texts that a pattern stands for; `None` where it is more than literal text."""
    found = pattern.split("|" if extended else "\\|")
    return found if all(map(_LITERAL.fullmatch, found)) else None


def _find(args: list[str]) -> Iterator[tuple[Fits, str]]:
    start = next((i for i, word in enumerate(args) if word[:1] in "-(!"), len(args))
    roots, tests = args[:start] or ["."], args[start:]
    pairs: dict[str, str] = {}
    while tests:
        if tests[0] in _ALONE:
            tests = tests[1:]
        elif tests[0] in _TESTS and len(tests) > 1:
            pairs[tests[0]] = tests[1]
            tests = tests[2:]
        else:
            return
    below = tuple(root.rstrip("/") + "/" for root in roots)
    yield (lambda row: row in roots or row.startswith(below)), f"looks below {roots[0]!r}"
    name = pairs.get("-name")
    if name is not None and not set(name) & set("\\["):
        wanted = re.compile(fnmatch.translate(name))
        yield (lambda row: bool(wanted.match(row.rstrip("/").rpartition("/")[2]))), f"-name {name}"
    depth = pairs.get("-maxdepth", "")
    if depth.isdigit() and len(roots) == 1:
        most = below[0].count("/") - 1 + int(depth)
        yield (lambda row: row in roots or row.count("/") <= most), f"-maxdepth {depth}"


def _ls(args: list[str]) -> Iterator[tuple[Fits, str]]:
    letters = set(clusters(args))
    operands = [word for word in args if not word.startswith("-")]
    if any(word.startswith("--") for word in args) or letters - set("lahAtrS1d"):
        return
    if "l" in letters:
        head = re.compile(r"total [\d.,]+[KMGTPE]?|.+:|")
        yield (
            (lambda row: bool(_LONG.fullmatch(row) or head.fullmatch(row))),
            "-l prints modes, owners, sizes and times",
        )
    elif not operands:
        yield (lambda row: "/" not in row), "prints names, and no name has a slash"


def _cut(args: list[str]) -> Iterator[tuple[Fits, str]]:
    text = "\0".join(args)
    match = re.search(r"(?:^|\0)-d\0?([^\0])(?:\0|$)", text)
    field = re.search(r"(?:^|\0)-f\0?\d{1,4}(?:\0|$)", text)
    if "--" not in text and match and field:
        mark = match[1]
        yield (lambda row: mark not in row), f"prints the field between {mark!r}"


def _tr(args: list[str]) -> Iterator[tuple[Fits, str]]:
    cases = {("a-z", "A-Z"): "[a-z]", ("A-Z", "a-z"): "[A-Z]"}
    cases |= {("[:lower:]", "[:upper:]"): "[a-z]", ("[:upper:]", "[:lower:]"): "[A-Z]"}
    gone = cases.get((args[0], args[1])) if len(args) == 2 else None
    if len(args) == 2 and args[0] == "-d" and re.fullmatch(r"[^\\\[\]-]{1,20}", args[1]):
        gone = f"[{re.escape(args[1])}]"
    if gone is not None:
        form = re.compile(gone)
        yield (lambda row: not form.search(row)), f"{args[0]} leaves none of {gone}"
