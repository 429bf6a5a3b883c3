"""What a command line may touch, and whether asking it again would answer the same.

Everything is judged by name from a table; a program that is not in it may touch everything. The
answer of a `repeatable` command depends on nothing but files and the state of the shell, so it is
the same again as long as nothing was touched in between.
"""

import re
from collections.abc import Callable

import msgspec

from worldline.domains.terminal.shell.bounds import (
    ANYTHING,
    EVERYTHING,
    FILE,
    LOST,
    ONCE,
    PURE,
    SETTLING,
    SHELL,
    VARIABLES,
    Arg,
    Footprint,
    GlobArg,
)
from worldline.domains.terminal.shell.filefacts import join, volatile
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
from worldline.domains.terminal.shell.operands import awk, changed, optional, reads, sed
from worldline.domains.terminal.shell.tables import TABLES
from worldline.domains.terminal.shell.tokens import Glob, Lit, Odd, Sub, Var

DEPTH = 5
"""Substitutions, ``sh -c`` texts and wrappers that are followed into each other."""


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
    return bool(args) and args[0] in ("find", "ls") and reads(args, cwd).repeatable


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
    if _home(word):
        return FILE
    return None


def _home(word: Word) -> bool:
    """Whether a word is a path below the home: ``~``, ``~/x``, ``$HOME/x``."""
    first, rest = word[0], word[1:]
    below = not rest or (isinstance(rest[0], Lit) and rest[0].text.startswith("/"))
    plain = all(isinstance(part, Lit) for part in rest)
    return isinstance(first, Var) and first.name == "HOME" and below and plain


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
    if depth < 0:
        return ANYTHING
    if args[0] is None:
        return EVERYTHING
    name, rest = re.sub(r"^(/usr)?/bin/", "", args[0]), args[1:]
    args = [name, *rest]
    if name in ("cd", "pushd", "popd"):
        return Footprint(cwd=True, repeatable=False)
    if name in ("bash", "sh") and rest and rest[0] and re.fullmatch(r"[\w./\0][\w./\0-]*", rest[0]):
        return EVERYTHING  # a script; this shell waits for it
    if name in ("bash", "sh") and rest[:1] == ["-n"] and len(rest) == 2:
        return reads(["cat", rest[1]], cwd)
    if name in TABLES["nested"] and "-c" not in rest:
        return msgspec.structs.replace(EVERYTHING, nested=True)
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
        return optional(name, rest, cwd)
    if name in TABLES["reads"]:
        return reads(args, cwd)
    if name in _JUDGED:
        return _JUDGED[name](args, cwd)
    if name in _FOLLOWED:
        return _FOLLOWED[name](args, cwd, depth, safe_input)
    return EVERYTHING


def _wrapped(rest: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """``command -v x``, ``timeout 5 x``, ``nice x``: the program inside, not asked twice."""
    if rest[:1] == ["-v"]:
        return PURE
    while rest and rest[0] is not None and re.fullmatch(r"-\S*|\d+(\.\d+)?[smhd]?", rest[0]):
        rest = rest[1:]
    return ONCE + _of_program(rest, cwd, depth - 1, safe_input) if rest else ONCE


_FIND_WRITES = ("-delete", "-fprint", "-fprint0", "-fprintf", "-fls")
_FIND_ACTS = (*_FIND_WRITES, "-exec", "-execdir", "-ok", "-okdir")


def _find(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """`find`: its actions decide what it may touch; its tests of age make it a matter of time."""
    words = [arg for arg in args if arg is not None]
    if len(words) < len(args):
        return EVERYTHING
    total = reads(words, cwd)
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
            if any(arg in _FIND_ACTS for arg in inner):
                return EVERYTHING  # a find inside a find: not followed, or the work multiplies
            total += _of_program(_named(inner), cwd, depth - 1, safe_input) if inner else PURE
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
    rest, total = list(args[1:]), PURE
    while rest and rest[0] is not None and rest[0].startswith("-"):
        option = rest.pop(0) or ""
        if option.startswith("-P"):
            total = ONCE
        if option in ("-I", "-n", "-L", "-d", "-a", "-E", "-s", "-P") and rest:
            rest.pop(0)
    total += _of_program([*(rest or ["echo"]), FILE], cwd, depth - 1, safe_input)
    return total if safe_input or not rest or rest[0] == "echo" else total + ONCE


def _shell_text(args: list[Arg], cwd: str | None, depth: int, safe_input: bool) -> Footprint:
    """``sh -c TEXT``: a shell of its own, so only files can be touched."""
    if len(args) < 3 or args[1] != "-c" or args[2] is None or depth <= 0:
        return EVERYTHING
    inner = of_text(args[2], cwd, depth - 1)
    return msgspec.structs.replace(inner, cwd=False, variables=False, shell=False)


_FOLLOWED: dict[str, Callable[[list[Arg], str | None, int, bool], Footprint]] = {
    "find": _find,
    "xargs": _xargs,
    "sh": _shell_text,
    "bash": _shell_text,
}
_JUDGED: dict[str, Callable[[list[Arg], str | None], Footprint]] = {
    "awk": awk,
    "mawk": awk,
    "gawk": awk,
    "sed": sed,
    **dict.fromkeys(TABLES["operands"], changed),
}
