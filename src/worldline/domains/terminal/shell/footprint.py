"""What a command line may touch, and whether asking it again would answer the same.

Everything is judged by name from a table; a program that is not in it may touch everything. The
answer of a `repeatable` command depends on nothing but files and the state of the shell, so it is
the same again as long as nothing was touched in between.
"""

import fnmatch
import re
from collections.abc import Sequence

import msgspec

from worldline.domains.terminal.shell.files import join, volatile
from worldline.domains.terminal.shell.grammar import (
    Command,
    NotUnderstood,
    Pipeline,
    Script,
    Word,
    literal,
    parse,
    substitutions,
)
from worldline.domains.terminal.shell.lexer import Glob, Lit, Odd, Sub, Var
from worldline.domains.terminal.shell.tables import TABLES

DEPTH = 5
"""Substitutions and ``sh -c`` texts that are followed into each other."""

Arg = str | None
"""An argument, or `None` where its text is not known."""


class GlobArg(str):
    """An argument that matches file names, by its pattern."""

    __slots__ = ()

    def may_be(self, word: str) -> bool:
        """Whether a file of that name would turn into this word of the command."""
        return fnmatch.fnmatchcase(word, self)


class Footprint(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds on what may happen.

    `paths` may be written (and what is below them), `links` become other names of something;
    `everything`: anything may change. `settling`: the answer holds blocks on disk, which are only
    the same again where nothing was written lately. `cwd`, `variables`
    and `shell`: the current directory, the shell's variables, or how it reads commands (options,
    aliases, functions) may change. `background`: something may go on after it has returned.
    """

    paths: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    everything: bool = False
    settling: bool = False
    cwd: bool = False
    variables: bool = False
    shell: bool = False
    background: bool = False
    repeatable: bool = True

    def __add__(self, other: "Footprint") -> "Footprint":
        return Footprint(
            paths=self.paths + other.paths,
            links=self.links + other.links,
            settling=self.settling or other.settling,
            everything=self.everything or other.everything,
            cwd=self.cwd or other.cwd,
            variables=self.variables or other.variables,
            shell=self.shell or other.shell,
            background=self.background or other.background,
            repeatable=self.repeatable and other.repeatable,
        )

    @property
    def writes(self) -> bool:
        """Whether any file may change."""
        return self.everything or bool(self.paths or self.links)


PURE = Footprint()
ONCE = Footprint(repeatable=False)
EVERYTHING = Footprint(everything=True, repeatable=False)
SHELL = Footprint(shell=True, repeatable=False)
VARIABLES = Footprint(variables=True, repeatable=False)
SETTLING = Footprint(settling=True)
ANYTHING = Footprint(everything=True, cwd=True, variables=True, shell=True, repeatable=False)
"""What text may do that is not understood at all."""

_RECURSES = {"ls": "R", "diff": "r", **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), "rR")}
LOST = "/\0"
"""A current directory that the script itself may have left for another."""
FILE = "./\0"
"""Stands for names of files that are not known one by one (``{}`` of find, input of xargs)."""


def of_text(text: str, cwd: str | None, depth: int = DEPTH) -> Footprint:
    """The footprint of a command line."""
    try:
        return of_script(parse(text), cwd, depth)
    except NotUnderstood:
        return ANYTHING


def of_script(script: Script, cwd: str | None, depth: int = DEPTH) -> Footprint:
    """The footprint of a script run in `cwd` (`None`: not known)."""
    total = PURE
    for pipeline in script.pipelines:
        total += _of_pipeline(pipeline, cwd, depth)
        cwd = LOST if total.cwd else cwd
    return total


def _of_pipeline(pipeline: Pipeline, cwd: str | None, depth: int) -> Footprint:
    total = PURE
    for place, command in enumerate(pipeline.commands):
        total += of_command(command, cwd, depth, safe_input=place > 0 and _rooted(pipeline, cwd))
    if len(pipeline.commands) > 1:
        total = msgspec.structs.replace(total, cwd=False, variables=False, shell=False)
    if pipeline.joint == "&":
        return total + Footprint(background=total.writes, repeatable=False)
    return total


def _rooted(pipeline: Pipeline, cwd: str | None) -> bool:
    """Whether the names that flow through a pipeline come from a tree that does not change."""
    args = arguments(pipeline.commands[0])
    return bool(args) and args[0] in ("find", "ls") and _reads(args, cwd).repeatable


def arguments(command: Command) -> list[Arg]:
    """The words of a command as far as their text is known."""
    return [_argument(word) for word in command.words]


def _argument(word: Word) -> Arg:
    text = literal(word)
    if text is not None:
        return text
    if all(isinstance(part, Lit | Glob) for part in word):
        return GlobArg("".join(part.text for part in word if isinstance(part, Lit | Glob)))
    if len(word) == 1 and isinstance(word[0], Sub) and word[0].process:
        return FILE
    return None


def _options_hidden(args: Sequence[Arg]) -> bool:
    """Whether an argument that is not known may turn out to be an option."""
    return any(
        arg is None or (isinstance(arg, GlobArg) and arg.startswith(("*", "?", "[")))
        for arg in args
    )


def of_command(command: Command, cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """The footprint of one simple command.

    Args:
        safe_input: names that arrive on standard input are not of files that change by themselves.
    """
    total = PURE
    if _fleeting(command):
        total += ONCE
    for inner in substitutions(command):
        total += of_text(inner, cwd, depth - 1) if depth > 0 else EVERYTHING
    for redirect in command.redirects:
        total += _of_redirect(redirect.op, literal(redirect.target), cwd)
    if command.assigns:
        deep = any(name in TABLES["deep_variables"] for name, _ in command.assigns)
        total += SHELL if deep else ONCE if command.words else VARIABLES
    args = arguments(command)
    return total + _of_program(args, cwd, depth, safe_input) if args else total


def _fleeting(command: Command) -> bool:
    """Whether a word holds a variable that changes by itself, or an expansion not followed."""
    return any(
        isinstance(part, Odd) or (isinstance(part, Var) and part.name in TABLES["fleeting"])
        for word in command.words
        for part in word
    )


def _of_redirect(op: str, target: Arg, cwd: str | None) -> Footprint:
    if op in ("<<", "<<-", "<<<", "<&") or (op == ">&" and target is not None and target in "012-"):
        return PURE
    if target in ("/dev/null", "/dev/stdout", "/dev/stderr"):
        return PURE
    path = join(cwd, target) if target else None
    if op == "<":
        return PURE if path and not volatile(path) else ONCE
    if path is None or "\0" in path:
        return EVERYTHING
    return Footprint(paths=(path,), repeatable=False)


def _of_program(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    if args[0] is None:
        return EVERYTHING
    name, rest = re.sub(r"^(/usr)?/bin/", "", args[0]), args[1:]
    args = [name, *rest]
    if name in ("cd", "pushd", "popd"):
        return Footprint(cwd=True, repeatable=False)
    if name in TABLES["typed"]:
        return ANYTHING
    if name in TABLES["shell"]:
        return SHELL
    if name in TABLES["variables"]:
        deep = any(str(arg).partition("=")[0] in TABLES["deep_variables"] for arg in rest)
        return SHELL if deep or None in rest else VARIABLES
    if name in TABLES["wrappers"]:
        return _wrapped(rest, cwd, depth, safe_input)
    if name in TABLES["moment"]:
        sets = name in TABLES["moment_setters"] and rest
        return EVERYTHING if sets or (name == "date" and "-s" in rest) else ONCE
    if name in TABLES["plain"]:
        return PURE
    if name in ("env", "unzip", "tar", "curl", "gunzip", "gzip", "stat", "sort", "git", "column"):
        return _special(name, rest, cwd)
    if name in TABLES["reads"]:
        return _reads(args, cwd)
    if name in _FOLLOWED:
        return _FOLLOWED[name](args, cwd, depth, safe_input)
    return EVERYTHING


def _wrapped(rest: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """``command -v x``, ``timeout 5 x``, ``nice x``: the program inside, not asked twice."""
    if rest[:1] == ["-v"]:
        return PURE
    while rest and rest[0] is not None and re.fullmatch(r"-\S*|\d+(\.\d+)?[smhd]?", rest[0]):
        rest = rest[1:]
    return ONCE + _of_program(rest, cwd, depth, safe_input) if rest else ONCE


def _reads(args: Sequence[Arg], cwd: str | None) -> Footprint:
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


_FIND_WRITES = ("-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
_FIND_ACTS = (*_FIND_WRITES, "-exec", "-execdir", "-ok", "-okdir")


def _find(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """`find`: its actions decide what it may touch; its tests of age make it a matter of time."""
    words = [arg for arg in args if arg is not None]
    if len(words) < len(args):
        return EVERYTHING
    total = _reads(words, cwd)
    for index, word in enumerate(words):
        if word in _FIND_WRITES or (
            isinstance(word, GlobArg) and any(word.may_be(action) for action in _FIND_ACTS)
        ):
            return EVERYTHING
        if re.fullmatch(r"-([acm](time|min)|(a|c|m)?newer\w*|used)", word):
            total += ONCE
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            inner: list[Arg] = []
            for arg in words[index + 1 :]:
                if arg in (";", "+"):
                    break
                inner.append(None if "{}" in arg and inner else arg)
            total += _of_program(_named(inner), cwd, depth, safe_input) if inner else PURE
        shape = words[index + 1] if word == "-printf" and index + 1 < len(words) else ""
        if word == "-ls" or re.search(r"%[bk]", shape):
            total += SETTLING
        if re.search(r"%-?\d*[aA]", shape):
            total += ONCE
    return total


def _named(args: list[Arg]) -> list[Arg]:
    """Arguments in which the unknown ones are names of files (and so no options)."""
    return [args[0], *(FILE if arg is None else arg for arg in args[1:])]


def _xargs(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    rest = list(args[1:])
    while rest and rest[0] is not None and rest[0].startswith("-"):
        option = rest.pop(0) or ""
        if option.startswith("-P"):
            return ONCE + _xargs(["xargs", *rest], cwd, depth, safe_input)
        if option in ("-I", "-n", "-L", "-d", "-a", "-E", "-s") and rest:
            rest.pop(0)
    inner = _of_program([*(rest or ["echo"]), FILE], cwd, depth, safe_input)
    return inner if safe_input or not rest or rest[0] == "echo" else inner + ONCE


def _shell_text(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """``sh -c TEXT``: a shell of its own, so only files can be touched."""
    if len(args) < 3 or args[1] != "-c" or args[2] is None or depth <= 0:
        return EVERYTHING
    inner = of_text(args[2], cwd, depth - 1)
    return msgspec.structs.replace(inner, cwd=False, variables=False, shell=False)


def _awk(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
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
    return timed + _reads(["awk", *(a for a in rest[1:] if a is None or "=" not in a)], cwd)


_SED_SAFE = re.compile(
    r"\s*(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)?(?:,(?:\d+|\$|/(?:[^/\\\n]|\\.)*/))?!?"
    r"(?:[pdqDPNnGgHhx=]|:[a-z]|\$!|[bt][a-z]?"
    r"|s(?P<m>[/|,#;:!@])(?:(?!(?P=m))[^\\\n]|\\.)*(?P=m)(?:(?!(?P=m))[^\\\n]|\\.)*(?P=m)[gpiI0-9]*)"
    r"(?:\s*[;\n]\s*|\s*$))+"
)


def _sed(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """`sed`: edits in place or not, and its script may write files."""
    rest, scripts = list(args[1:]), []
    if _options_hidden(rest) or any(re.match(r"-\w*i|--in-place", arg or "") for arg in rest):
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
    if not all(len(script) < 500 and _SED_SAFE.fullmatch(script) for script in scripts):
        return EVERYTHING
    return _reads(["sed", *operands], cwd)


def _special(name: str, rest: list[Arg], cwd: str | None) -> Footprint:
    """Programs that only read with certain options."""
    known = [arg for arg in rest if arg is not None]
    if _options_hidden(rest) and name != "stat":
        return EVERYTHING
    reads = _reads([name, *rest], cwd)
    short = "".join(arg[1:] for arg in known if re.fullmatch(r"-[A-Za-z]+", arg))
    if name == "env":
        return PURE if not rest else EVERYTHING
    if name == "sort":
        if "o" in short or any("output" in arg for arg in known):
            return EVERYTHING
        return ONCE if "R" in short or any("random" in arg for arg in known) else reads
    if name == "stat":
        chosen = any(arg == "-c" or arg.startswith("--format=") for arg in known)
        form = "".join(known) if chosen and "f" not in short else "%x"
        return ONCE if re.search(r"%[xXbB]", form) else reads
    if name == "tar":
        letters = short or (known[0] if known else "")
        return reads if "t" in letters and not set(letters) & set("xcrAu") else EVERYTHING
    if name == "unzip":
        return reads if set(short) & set("lpvZ") else EVERYTHING
    if name in ("gunzip", "gzip"):
        return reads if "c" in short or "l" in short else EVERYTHING
    if name == "curl":
        writes = set(short) & set("oOJTKDcd") or any(a.startswith(("--", "-X")) for a in known)
        return EVERYTHING if writes else ONCE
    if known[:1] and known[0] in TABLES["git"]:
        return EVERYTHING if any(arg.startswith("--output") for arg in known) else PURE
    bare = known[:1] and known[0] in TABLES["git_bare"] and known[1:] in ([], ["-v"], ["-a"])
    return PURE if bare else EVERYTHING


def _operands(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """Programs that change exactly the paths they are given."""
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


_FOLLOWED = {
    "find": _find,
    "xargs": _xargs,
    "sh": _shell_text,
    "bash": _shell_text,
    "awk": _awk,
    "mawk": _awk,
    "gawk": _awk,
    "sed": _sed,
    **dict.fromkeys(TABLES["operands"], _operands),
}
