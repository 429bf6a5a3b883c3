"""Programs that print what they are told, look at the state of the shell, or list a directory."""

import posixpath
import re

from worldline.domains.terminal.shell.program import (
    Io,
    Options,
    Program,
    Unknown,
    agreed_order,
    number,
)

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


def unescape(text: str) -> str:
    """Backslash escapes as `echo -e` and `printf` read them; numeric ones are not followed."""

    def one(match: re.Match[str]) -> str:
        if match[1] not in _ESCAPES:
            raise Unknown(f"the escape {match[0]!r}")
        return _ESCAPES[match[1]]

    if (len(text) - len(text.rstrip("\\"))) % 2:
        raise Unknown("a backslash at the end")
    return re.sub(r"(?s)\\(.)", one, text)


def echo(args: list[str], io: Io) -> int:
    """`echo [-n] [-e] [-E] WORDS` of bash."""
    newline, escapes, rest = "\n", False, list(args)
    while rest and re.fullmatch(r"-[neE]+", rest[0]):
        flag = rest.pop(0)
        newline = "" if "n" in flag else newline
        escapes = {"e": True, "E": False}.get(re.sub("n", "", flag)[-1:], escapes)
    text = " ".join(rest)
    if not io.traits.bash and (rest != args or "\\" in text):
        raise Unknown("echo of another shell")
    io.out((unescape(text) if escapes else text) + newline)
    return 0


_FIELD = re.compile(r"%(-?0?\d{0,3})([sd%])|(%)")


def printf(args: list[str], io: Io) -> int:
    """`printf FORMAT ARGS` with ``%s``, ``%d`` and widths."""
    if not args or args[0].startswith("-"):
        raise Unknown("printf options")
    template, rest = args[0], list(args[1:])
    fields = [match for match in _FIELD.finditer(template) if match[2] != "%"]
    odd = any(match[3] or (match[2] == "%" and match[1]) for match in _FIELD.finditer(template))
    if odd or len(rest) > 1000:
        raise Unknown(f"the format {template!r}")
    if rest and not fields:
        raise Unknown("arguments that the format does not use")
    rounds = max(1, -(-len(rest) // len(fields))) if fields else 1
    values = iter(rest)

    def fill(match: re.Match[str]) -> str:
        width, kind = match[1], match[2]
        if kind == "%":
            return "%"
        value = next(values, "" if kind == "s" else "0")
        if kind == "s":
            if width.lstrip("-").startswith("0") or (width and not value.isascii()):
                raise Unknown("the width of a text")
            return f"%{width}s" % value
        if not re.fullmatch(r"-?(0|[1-9]\d{0,15})", value):
            raise Unknown(f"the number {value!r}")
        return f"%{width}d" % int(value)

    text = "".join(_FIELD.sub(fill, unescape(template)) for _ in range(rounds))
    io.out(text)
    return 0


def pwd(args: list[str], io: Io) -> int:
    """`pwd [-L]`."""
    Options(args, "L")
    if io.cwd is None:
        raise Unknown("the current directory")
    io.out(io.cwd + "\n")
    return 0


def test(args: list[str], io: Io) -> int:
    """`test EXPRESSION` of one or two operands."""
    args = list(args)
    negated = False
    while len(args) > 1 and args[0] == "!":
        negated, args = not negated, args[1:]
    return int(_holds(args, io) == negated)


def bracket(args: list[str], io: Io) -> int:
    """`[ EXPRESSION ]`."""
    if not args or args[-1] != "]":
        raise Unknown("[ without ]")
    return test(args[:-1], io)


def _holds(args: list[str], io: Io) -> bool:
    if len(args) <= 1:
        return bool(args and args[0])
    if len(args) == 2:
        return _unary(args[0], args[1], io)
    if len(args) == 3:
        left, operator, right = args
        if operator in ("=", "==", "!="):
            return (left == right) == (operator != "!=")
        if operator in ("-eq", "-ne", "-lt", "-le", "-gt", "-ge"):
            order = number(left) - number(right)
            return {
                "-eq": order == 0,
                "-ne": order != 0,
                "-lt": order < 0,
                "-le": order <= 0,
                "-gt": order > 0,
                "-ge": order >= 0,
            }[operator]
    raise Unknown("the test")


def _unary(operator: str, operand: str, io: Io) -> bool:
    if operator in ("-n", "-z"):
        return bool(operand) == (operator == "-n")
    if operator not in ("-e", "-f", "-d", "-s"):
        raise Unknown(f"the test {operator}")
    kind = io.kind(operand)
    if operator == "-s" and kind == "file":
        return bool(io.read(operand, exact=True))
    if operator == "-s" and kind == "dir":
        raise Unknown("the size of a directory")
    return (
        kind != "absent" if operator == "-e" else kind == {"-f": "file", "-d": "dir"}.get(operator)
    )


def basename(args: list[str], io: Io) -> int:
    """`basename PATH [SUFFIX]`."""
    if not 1 <= len(args) <= 2 or not args[0] or any(arg.startswith("-") for arg in args):
        raise Unknown("basename")
    name = posixpath.basename(args[0].rstrip("/")) or "/"
    suffix = args[1] if len(args) == 2 else ""
    io.out((name.removesuffix(suffix) if name != suffix else name) + "\n")
    return 0


def dirname(args: list[str], io: Io) -> int:
    """`dirname PATH`."""
    if len(args) != 1 or "//" in args[0] or args[0].startswith("-"):
        raise Unknown("dirname")
    bare = args[0].rstrip("/")
    head, slash, _ = bare.rpartition("/")
    io.out((head or ("/" if slash or args[0].startswith("/") else ".")) + "\n")
    return 0


def seq(args: list[str], io: Io) -> int:
    """`seq [FIRST] LAST`."""
    if not 1 <= len(args) <= 2:
        raise Unknown("seq")
    numbers = [number(arg) for arg in args]
    if any(str(n) != arg for n, arg in zip(numbers, args, strict=True)) or numbers[-1] > 10_000:
        raise Unknown("seq")
    first = numbers[0] if len(numbers) == 2 else 1
    io.out("".join(f"{n}\n" for n in range(first, numbers[-1] + 1)))
    return 0


def ls(args: list[str], io: Io) -> int:
    """`ls [-1aA] [PATH]`."""
    options = Options(args, "1aA")
    if len(options.rest) > 1:
        raise Unknown("ls of several paths")
    name = options.rest[0] if options.rest else "."
    kind = io.kind(name, strict=True)
    if kind == "absent":
        io.err(f"ls: cannot access '{io.plain(name)}': No such file or directory\n")
        return 2
    if kind != "dir":
        io.out(io.plain(name) + "\n")
        return 0
    _listing(_names(io, name, options.flags), "1" in options.flags, io)
    return 0


def _names(io: Io, name: str, flags: set[str]) -> list[str]:
    path = io.path(name)
    names = io.files.entries(path)
    if names is None:
        raise Unknown("the listing")
    if flags & {"a", "A"}:
        found = io.files.get(path)
        if found is None or found.value.get("dots") is False or "a" in flags:
            raise Unknown("hidden names")
        names = list(found.value["entries"])
    return agreed_order(names, io.files)


def _listing(names: list[str], column: bool, io: Io) -> None:
    if not io.terminal or column:
        io.out("".join((io.plain(name) if io.terminal else name) + "\n" for name in names))
    elif names:
        row = "  ".join(io.plain(name) for name in names)
        if len(row) + 2 > 78:
            raise Unknown("the columns")
        io.out(row + "\n")


def whoami(args: list[str], io: Io) -> int:
    """`whoami`."""
    user = io.files.facts.get("entity:user")
    if args or user is None:
        raise Unknown("the user")
    io.files.used[user.id] = user
    io.out(f"{user.value}\n")
    return 0


PROGRAMS: dict[str, Program] = {
    "echo": echo,
    "printf": printf,
    "pwd": pwd,
    "test": test,
    "[": bracket,
    "true": lambda args, io: 0,
    "false": lambda args, io: 1,
    ":": lambda args, io: 0,
    "basename": basename,
    "dirname": dirname,
    "seq": seq,
    "ls": ls,
    "whoami": whoami,
}
