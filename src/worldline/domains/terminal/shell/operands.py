"""Footprints of programs that hang on their options and operands alone."""

import re
from collections.abc import Sequence

from worldline.domains.terminal.shell.bounds import (
    EVERYTHING,
    ONCE,
    PURE,
    SETTLING,
    Arg,
    Footprint,
    GlobArg,
    options_hidden,
)
from worldline.domains.terminal.shell.filefacts import join, volatile
from worldline.domains.terminal.shell.tables import TABLES

_RECURSES = {"ls": "R", "diff": "r", **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), "rR")}


def reads(args: Sequence[Arg], cwd: str | None) -> Footprint:
    """A program that reads the files it is given: repeatable unless one changes by itself."""
    name, rest = args[0], args[1:]
    if None in rest:
        return ONCE
    short = "".join(arg[1:] for arg in rest if arg and re.fullmatch(r"-[A-Za-z0-9]+", arg))
    operands = [arg for arg in rest if arg and not arg.startswith("-")]
    if name == "ls" and "u" in short:
        return ONCE
    tree = name in ("find", "tree") or bool(set(short) & set(_RECURSES.get(str(name), "")))
    if name == "find":
        operands = _find_roots(rest)
    elif tree and len(operands) < (2 if str(name).endswith("grep") else 1):
        operands.append(".")
    if not all(_lasting(operand, cwd, tree) for operand in operands):
        return ONCE
    return SETTLING if name == "ls" and set(short) & {"l", "s"} else PURE


def _lasting(operand: str, cwd: str | None, tree: bool) -> bool:
    """Whether what an operand names (if it names a file) does not change by itself."""
    glob = re.search(r"[*?[]", operand) if isinstance(operand, GlobArg) else None
    if glob and "/" not in operand[: glob.start()]:
        return True
    if glob:
        operand, tree = operand[: glob.start()].rpartition("/")[0] or "/", True
    path = join(cwd, operand)
    if path is None:
        return "/" not in operand and operand != ".."
    return not volatile(path, tree=tree)


def _find_roots(rest: Sequence[Arg]) -> list[str]:
    roots = []
    for arg in rest:
        if arg is None or arg.startswith(("-", "(", "!")):
            break
        roots.append(arg)
    return roots or ["."]


def awk(args: list[Arg], cwd: str | None) -> Footprint:
    """`awk`: its program may write, run others or ask the time; the rest are files."""
    rest = args[1:]
    while rest and rest[0] is not None and rest[0].startswith("-") and rest[0] not in ("-f", "-i"):
        rest = rest[2:] if rest[0] in ("-F", "-v") else rest[1:]
    if not rest or rest[0] is None or rest[0] in ("-f", "-i"):
        return EVERYTHING
    program = rest[0]
    if re.search(r"system|getline|printf?\b[^;}\n]*[>|]", program):
        return EVERYTHING
    timed = ONCE if re.search(r"rand|time", program) else PURE
    return timed + reads(["awk", *(a for a in rest[1:] if a is None or "=" not in a)], cwd)


_SED_SAFE = re.compile(
    r"\s*(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)?(?:,(?:\d+|\$|/(?:[^/\\\n]|\\.)*/))?!?"
    r"(?:[pdqDPNnGgHhx=]|:[a-z]|\$!|[bt][a-z]?"
    r"|s(?P<m>[/|,#;:!@])(?:(?!(?P=m))[^\\\n]|\\.)*(?P=m)(?:(?!(?P=m))[^\\\n]|\\.)*(?P=m)[gpiI0-9]*)"
    r"(?:\s*[;\n]\s*|\s*$))+"
)


_SED_TEXT = re.compile(r"(?:\d+|\$)?[aic]\\?[ \w][^\n\\]*")
"""A line put in, added or changed; all that follows is text."""


def sed(args: list[Arg], cwd: str | None) -> Footprint:
    """`sed`: edits in place or not, and its script may write files."""
    rest, scripts, ends = list(args[1:]), [], []
    if options_hidden(rest):
        return EVERYTHING
    if rest and re.fullmatch(r"-i[.\w]*", rest[0] or "") and rest[0] not in ("-in", "-iE"):
        ends = ["", *filter(None, [(rest.pop(0) or "")[2:]])]
    if any(re.match(r"-\w*i|--in-place", arg or "") for arg in rest):
        return EVERYTHING
    operands: list[Arg] = []
    while rest:
        arg = rest.pop(0) or ""
        if arg == "-e" and rest:
            scripts.append(rest.pop(0) or "")
        elif not arg.startswith("-"):
            operands.append(arg)
    if not scripts and operands:
        scripts.append(operands.pop(0) or "")
    shapes = (_SED_SAFE, _SED_TEXT) if ends else (_SED_SAFE,)
    if not all(len(one) < 500 and any(s.fullmatch(one) for s in shapes) for one in scripts):
        return EVERYTHING
    if ends:
        globs = any(isinstance(one, GlobArg) for one in operands)
        names = [None if globs else f"{one}{end}" for one in operands for end in ends]
        return changed(["sed", *names], cwd)
    return reads(["sed", *operands], cwd)


def optional(name: str, rest: list[Arg], cwd: str | None) -> Footprint:
    """A program that only reads with certain options."""
    known = [arg for arg in rest if arg is not None]
    if options_hidden(rest) and name != "stat":
        return EVERYTHING
    plain = reads([name, *rest], cwd)
    short = "".join(arg[1:] for arg in known if re.fullmatch(r"-[A-Za-z]+", arg))
    if name == "env":
        return PURE if not rest else EVERYTHING
    if name == "sort":
        if "o" in short or any("output" in arg for arg in known):
            return EVERYTHING
        return ONCE if "R" in short or any("random" in arg for arg in known) else plain
    if name == "stat":
        chosen = any(arg == "-c" or arg.startswith("--format=") for arg in known)
        form = "".join(known) if chosen and "f" not in short else "%x"
        return ONCE if re.search(r"%[xXbB]", form) else plain
    if name == "tar":
        letters = short or (known[0] if known else "")
        return plain if "t" in letters and not set(letters) & set("xcrAu") else EVERYTHING
    if name == "unzip":
        return plain if set(short) & set("lpvZ") else EVERYTHING
    if name in ("gunzip", "gzip"):
        return plain if "c" in short or "l" in short else EVERYTHING
    if name == "curl":
        writes = set(short) & set("oOJTKDcd") or any(a.startswith(("--", "-X")) for a in known)
        return EVERYTHING if writes else ONCE
    if known[:1] and known[0] in TABLES["git"]:
        return EVERYTHING if any(arg.startswith("--output") for arg in known) else PURE
    bare = known[:1] and known[0] in TABLES["git_bare"] and known[1:] in ([], ["-v"], ["-a"])
    return PURE if bare else EVERYTHING


def changed(args: list[Arg], cwd: str | None) -> Footprint:
    """A program that changes exactly the paths it is given."""
    paths: list[str] = []
    for arg in args[1:]:
        if arg is not None and arg.startswith("-"):
            continue
        glob = re.search(r"[*?[]", arg or "") if isinstance(arg, GlobArg) else None
        name = (arg or "")[: glob.start()].rpartition("/")[0] if glob else arg
        path = join(cwd, name) if name else None
        if path is None or "\0" in path:
            return EVERYTHING
        paths.append(path)
    links = _links(args, paths) if args[0] == "ln" else []
    return Footprint(paths=tuple(paths), links=tuple(links), repeatable=False)


def _links(args: list[Arg], paths: list[str]) -> list[str]:
    """What is no plain file any more after `ln`: the new names, also inside a directory, and of a
    hard link the old ones too."""
    symbolic = any(arg and re.match(r"-\w*s", arg) for arg in args[1:])
    inside = [f"{paths[-1].rstrip('/')}/{path.rpartition('/')[2]}" for path in paths[:-1]]
    inside += [f"./{path.rpartition('/')[2]}" for path in paths[:1] if len(paths) == 1]
    return [*(paths[-1:] if symbolic else paths), *inside]
