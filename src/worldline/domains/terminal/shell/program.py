"""What a simulated program sees: its arguments, its input, the files that are known.

A program here is a plain function ``(args, io) -> exit code``. It computes on facts and never runs
anything; where the answer does not follow it raises `Unknown`.
"""

import re
from collections import deque
from collections.abc import Callable

import msgspec

from worldline.domains.terminal.shell.filefacts import FileKind, join, parent
from worldline.domains.terminal.shell.files import Files
from worldline.facts import FactOrigin

LIMIT = 200_000
"""Characters that one command may compute on."""


_PLAIN_NAME = re.compile(r"[\w./+@%-]+", re.ASCII)


def overlong(name: str) -> bool:
    """Whether a path is, or has a part, longer than file systems take."""
    size = [len(part.encode("utf-8", "surrogatepass")) for part in name.split("/")]
    return max(size) > 255 or sum(size) + len(size) > 4_000


class Unknown(Exception):
    """What happens here does not follow from what is known."""


class FileError(Exception):
    """An operation on a file fails for this reason, in the words of the C library."""


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the machine that commands run on."""

    bash: bool = True
    """The shell is bash (so `echo -e` is understood, backslashes are not)."""
    gnu: bool = True
    """The tools are GNU's, and so are their error texts."""
    tty: bool = False
    """Output goes to a terminal."""
    furnished: bool = True
    """Common programs beside the core utilities are installed."""
    aliases: bool = False
    """Common commands may be aliases that ask or decorate, as ``rm -i`` and ``ls -F``."""
    shell_name: str | None = None
    """What error messages of the shell begin with, as ``bash: line 1``, if that is known."""


class Io:
    """One program's surroundings. `pieces` collects (is error, text) in order."""

    def __init__(
        self,
        files: Files,
        cwd: str | None,
        traits: Traits,
        *,
        stdin: str | None,
        assume: bool,
        origin: FactOrigin,
        terminal: bool = False,
    ) -> None:
        self.terminal = terminal
        """What is printed goes to a terminal, not into a pipe, a file or a substitution."""
        self.files = files
        self.cwd = cwd
        self.traits = traits
        self.assume = assume
        """Operations that could fail are taken to succeed (their success is seen afterwards)."""
        self.origin: FactOrigin = origin
        self.pieces: list[tuple[bool, str]] = []
        self._stdin = stdin

    def out(self, text: str) -> None:
        """Write to standard output."""
        self.pieces.append((False, text))

    def err(self, text: str) -> None:
        """Write a GNU tool's message to standard error."""
        if not self.traits.gnu:
            raise Unknown("the wording of errors is not known")
        self.pieces.append((True, text))

    def shell_err(self, text: str) -> None:
        """Write a message of the shell itself to standard error."""
        if self.traits.shell_name is None:
            raise Unknown("the wording of the shell's errors")
        self.pieces.append((True, f"{self.traits.shell_name}: {text}\n"))

    def stdin(self) -> str:
        """All of standard input."""
        if self._stdin is None:
            raise Unknown("input from a terminal")
        return self._stdin

    def path(self, name: str) -> str:
        """The full path of an argument."""
        if overlong(name):
            raise Unknown("a name that is too long")
        path = self._up(name) if ".." in name.split("/") else join(self.cwd, name)
        if path is None or self.files.crosses_link(path):
            raise Unknown(f"where {name!r} leads")
        if self.cwd and not name.startswith("/") and self.files.kind(self.cwd) == "absent":
            raise Unknown("a current directory that is gone")
        return path

    def _up(self, name: str) -> str | None:
        """Where a path with ``..`` leads: only out of directories that are certainly no links."""
        at = "/" if name.startswith("/") else self.cwd
        for part in name.split("/"):
            if at is None or (part == ".." and not self._left(at)):
                return None
            at = parent(at) if part == ".." else join(at, part or ".")
        return at

    def _left(self, folder: str) -> bool:
        """Whether ``..`` leads from a directory to the one above in the path as written."""
        here = folder in ("/", self.cwd)
        return self.files.sure(folder) and (here or self.files.kind(folder) == "dir")

    def kind(self, name: str, *, strict: bool = False) -> FileKind:
        """What an argument names; `Unknown` if that is not known.

        Args:
            strict: a link that leads nowhere counts as being there.
        """
        path = self.path(name)
        kind = self.files.kind(path, strict=strict)
        self.files.looked.add(path)
        if kind == "unknown" or (name.endswith("/") and kind == "file"):
            raise Unknown(f"what {name!r} is")
        return kind

    def read(self, name: str, *, exact: bool = False) -> str:
        """Text of a file.

        Args:
            exact: every byte matters, the end of the last line included.

        Raises:
            FileError: it certainly cannot be read.
            Unknown: its content is not known.
        """
        if name == "-" or name == "/dev/stdin":
            return self.stdin()
        kind = self.kind(name)
        if kind == "absent":
            raise FileError("No such file or directory")
        if kind == "dir":
            raise FileError("Is a directory")
        found = self.files.content(self.path(name))
        if found is None or (exact and not found[1]) or len(found[0]) > LIMIT:
            raise Unknown(f"the content of {name!r}")
        if exact and "\ufffd" in found[0]:
            raise Unknown(f"the bytes of {name!r}")
        return found[0]

    def inputs(self, program: str, names: list[str], *, exact: bool = False) -> "Inputs":
        """The named files (or standard input), errors reported the way most tools do."""
        found = Inputs([], 0)
        total = 0
        for name in names or ["-"]:
            try:
                text = self.read(name, exact=exact)
                total += len(text)
                if total > LIMIT:
                    raise Unknown("too much text")
                found.texts.append((name, text))
            except FileError as error:
                if str(error) == "Is a directory" and program not in ("cat", "grep"):
                    raise Unknown(f"{program} of a directory") from None
                self.err(f"{program}: {self.plain(name)}: {error}\n")
                found.code = 1
        if found.code and found.texts:
            raise Unknown("the order of text and errors")
        return found

    def plain(self, name: str) -> str:
        """A name that messages show as it is, without quoting; else `Unknown`."""
        if not _PLAIN_NAME.fullmatch(name):
            raise Unknown(f"how {name!r} is quoted")
        return name


class Inputs:
    """Texts read, as (name, text), and the exit code of what failed."""

    def __init__(self, texts: list[tuple[str, str]], code: int) -> None:
        self.texts = texts
        self.code = code


Program = Callable[[list[str], Io], int]


class Options:
    """Parsed options: `flags` seen, `values` of those that take one, `rest` the operands."""

    def __init__(self, args: list[str], flags: str = "", valued: str = "") -> None:
        self.flags: set[str] = set()
        self.values: dict[str, str] = {}
        self.rest: list[str] = []
        queue = deque(args)
        while queue:
            arg = queue.popleft()
            if arg == "--":
                self.rest += queue
                break
            if len(arg) < 2 or arg[0] != "-":
                self.rest.append(arg)
            elif arg.startswith("--"):
                raise Unknown(f"option {arg!r}")
            else:
                self._short(arg[1:], flags, valued, queue)

    def _short(self, letters: str, flags: str, valued: str, queue: deque[str]) -> None:
        for index, letter in enumerate(letters):
            if letter in valued:
                rest = letters[index + 1 :]
                if not rest and not queue:
                    raise Unknown(f"option -{letter} without a value")
                if letter in self.values:
                    raise Unknown(f"option -{letter} given twice")
                self.values[letter] = rest or queue.popleft()
                return
            if letter not in flags:
                raise Unknown(f"option -{letter}")
            self.flags.add(letter)


def lines(text: str) -> list[str]:
    """The lines of a text, each with its line end (the last may have none)."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def number(text: str) -> int:
    """A plain decimal number, else `Unknown`."""
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Unknown(f"the number {text!r}")
    return int(text)


PLAIN_LOCALES = ("C", "POSIX", "C.UTF-8", "C.utf8")
"""Locales in which names are sorted by their characters' numbers."""


def agreed_order(names: list[str], files: Files) -> list[str]:
    """Names sorted: as the machine's locale does, if it is known to be plain; else where that and
    the usual locales agree on the order; else `Unknown`."""
    locale = files.facts.get("entity:locale")
    if locale is not None and locale.value in PLAIN_LOCALES:
        files.used[locale.id] = locale
        return sorted(names)

    def loose(name: str) -> tuple[str, ...]:
        return tuple(char.lower() for char in name if char.isalnum())

    strict = sorted(names)
    if not all(name.isascii() for name in names) or strict != sorted(names, key=loose):
        raise Unknown("the order of names")
    if len({loose(name) for name in names}) != len(set(names)):
        raise Unknown("the order of names")
    return strict
