"""Following a command line on what is known, without running anything.

`Machine.run` works a plain script through: words are expanded, programs computed, effects made on a
working copy of the file facts. Where anything does not follow with certainty it raises `Unknown`;
the working copy is then thrown away.
"""

import fnmatch
import posixpath
import re

import msgspec

from worldline.domains.terminal.shell import changes, filters, reads, utilities
from worldline.domains.terminal.shell.filefacts import parent
from worldline.domains.terminal.shell.files import Files
from worldline.domains.terminal.shell.grammar import (
    Command,
    NotUnderstood,
    Pipeline,
    Script,
    Word,
    literal,
    parse,
)
from worldline.domains.terminal.shell.program import (
    LIMIT,
    Io,
    Program,
    Traits,
    Unknown,
    agreed_order,
)
from worldline.domains.terminal.shell.redirects import Sink
from worldline.domains.terminal.shell.tokens import Glob, Lit, Sub, Var
from worldline.facts import Fact, FactOrigin

PROGRAMS: dict[str, Program] = {
    **reads.PROGRAMS,
    **filters.PROGRAMS,
    **utilities.PROGRAMS,
    **changes.PROGRAMS,
}
MISSING = "command not found"


class Said(msgspec.Struct, frozen=True):
    """What a script printed, in order, as (is error, text), and its exit code."""

    pieces: tuple[tuple[bool, str], ...]
    code: int

    @property
    def text(self) -> str:
        """Both streams together."""
        return "".join(text for _, text in self.pieces)

    @property
    def mixed(self) -> bool:
        """Both streams carry text, so that their order is a matter of buffers."""
        return len({error for error, text in self.pieces if text}) > 1


class Machine:
    """One shell with what is known of it; `cwd` and `env` move as the script is followed.

    Args:
        missing: names of commands that are certainly not there.
        assume: operations that may fail are taken to succeed.
    """

    def __init__(
        self,
        files: Files,
        cwd: Fact | None,
        env: dict[str, Fact],
        traits: Traits,
        *,
        missing: frozenset[str] = frozenset(),
        assume: bool = False,
        origin: FactOrigin = "action",
    ) -> None:
        self.files = files
        self.place = cwd
        self.env = env
        self.traits = traits
        self.missing = missing
        self.assume = assume
        self.origin: FactOrigin = origin
        self.moved: str | None = None
        """Where `cd` went."""
        self.set: dict[str, str] = {}
        """Variables set by the script."""
        self.code: int | None = None
        """Exit code of the last command; `None` before the first."""
        self.depth = 0
        self.spent = 0

    @property
    def cwd(self) -> str | None:
        """The current directory. Whoever asks rests on its fact."""
        if self.moved is not None:
            return self.moved
        if self.place is None:
            return None
        self.files.used[self.place.id] = self.place
        return str(self.place.value)

    def run(self, script: Script) -> Said:
        """Follow a script to its end."""
        if not script.plain:
            raise Unknown("a compound command")
        pieces: list[tuple[bool, str]] = []
        joint = ""
        for pipeline in script.pipelines:
            if pipeline.joint == "&":
                raise Unknown("a background job")
            if joint not in ("&&", "||") or (self.code == 0) == (joint == "&&"):
                pieces += self._pipeline(pipeline)
                self._spend(pieces[-1:])
            joint = pipeline.joint
        return Said(tuple(pieces), self.code or 0)

    def _spend(self, pieces: list[tuple[bool, str]]) -> None:
        """A hostile script must not make us print without end."""
        self.spent += sum(len(text) for _, text in pieces)
        if self.spent > LIMIT:
            raise Unknown("too much output")

    def _pipeline(self, pipeline: Pipeline) -> list[tuple[bool, str]]:
        pieces: list[tuple[bool, str]] = []
        stdin: str | None = None
        single = len(pipeline.commands) == 1
        self.files.looked, self.files.wrote = set(), set()
        for command in pipeline.commands:
            said = self._command(command, stdin, single)
            errors = [piece for piece in said if piece[0]]
            if single:
                return self._negated(said, pipeline.negated)
            if errors and pieces:
                raise Unknown("errors of several commands in a pipeline")
            pieces += errors
            stdin = "".join(text for error, text in said if not error)
        wrote = {*self.files.wrote, *map(parent, self.files.wrote)}
        if wrote & self.files.looked:
            raise Unknown("a race between reading and writing")
        return self._negated([*pieces, (False, stdin or "")], pipeline.negated)

    def _negated(self, pieces: list[tuple[bool, str]], negated: bool) -> list[tuple[bool, str]]:
        if negated:
            self.code = int(self.code == 0)
        return pieces

    def _command(self, command: Command, stdin: str | None, single: bool) -> list[tuple[bool, str]]:
        absent = self._absent(command)
        if absent is not None:
            io = self.io()
            io.shell_err(f"{absent}: {MISSING}")
            self.code = 127
            return io.pieces
        words = [text for word in command.words for text in self.expand(word)]
        if command.assigns:
            if words or command.redirects or not single:
                raise Unknown("an assignment before a command")
            for name, word in command.assigns:
                self.assign(name, "".join(self.expand(word, split=False)))
            self.code = 0
            return []
        if not words:
            raise Unknown("redirections without a command")
        sink = Sink(self, command.redirects, stdin)
        if sink.appended & set(words[1:]):
            raise Unknown("a file read while it grows")
        io = self.io(sink.stdin)
        self.code = self._program(words, io, single)
        return sink.finish(io.pieces)

    def _absent(self, command: Command) -> str | None:
        """The name of a command that is certainly not there; its arguments then do not matter."""
        name = literal(command.words[0]) if command.words else None
        if name not in self.missing or command.redirects or command.assigns:
            return None
        simple = all(isinstance(part, Lit | Var | Glob) for word in command.words for part in word)
        return name if simple else None

    def io(self, stdin: str | None = None) -> Io:
        """The surroundings of one program."""
        return Io(
            self.files,
            self.cwd,
            self.traits,
            stdin=stdin,
            assume=self.assume,
            origin=self.origin,
        )

    def _program(self, words: list[str], io: Io, single: bool) -> int:
        name, args = words[0], words[1:]
        if name == "cd":
            return self._cd(args, io, single)
        if name == "export":
            for arg in args:
                key, equals, value = arg.partition("=")
                if not equals or not key.isidentifier() or not single or "~" in value:
                    raise Unknown("export")
                self.assign(key, value)
            return 0
        program = PROGRAMS.get(name)
        if self.traits.aliases and name in ("rm", "cp", "mv", "ls"):
            raise Unknown("what the name is an alias of")
        if program is None:
            raise Unknown(f"the program {name!r}")
        return program(args, io)

    def _cd(self, args: list[str], io: Io, single: bool) -> int:
        target = args[0] if args else self.variable("HOME")
        if len(args) > 1 or not single or target.startswith("-") or not target:
            raise Unknown("cd")
        if not target.startswith(("/", "./", "../")) and "CDPATH" in self.env:
            raise Unknown("CDPATH")
        path = self.step(target)
        kind = io.files.kind(path)
        if kind == "absent":
            io.shell_err(f"cd: {io.plain(target)}: No such file or directory")
            return 1
        if kind != "dir" and not (self.assume and kind == "unknown"):
            raise Unknown(f"whether {path!r} is a directory")
        self.moved = path
        return 0

    def step(self, target: str) -> str:
        """Where ``cd target`` leads: ``..`` goes up in the path as written."""
        base = target if target.startswith("/") else f"{self.cwd or ''}/{target}"
        if not base.startswith("/") or (self.cwd is None and not target.startswith("/")):
            raise Unknown("the current directory")
        path = posixpath.normpath(base)
        if self.files.crosses_link(path):
            raise Unknown("a link")
        return "/" + path.lstrip("/")

    def assign(self, name: str, value: str) -> None:
        """Set a variable of the shell."""
        if name in ("PATH", "IFS", "PWD", "HOME", "LANG", "LC_ALL", "CDPATH", "PS1", "PS2"):
            raise Unknown(f"a new {name}")
        self.set[name] = value

    def variable(self, name: str) -> str:
        """The value of a variable."""
        if name in self.set:
            return self.set[name]
        if name == "?" and self.code is not None:
            return str(self.code)
        if name == "PWD" and self.cwd:
            return self.cwd
        found = self.env.get(name)
        if found is None:
            raise Unknown(f"the variable {name}")
        self.files.used[found.id] = found
        return str(found.value)

    # words

    def expand(self, word: Word, *, split: bool = True) -> list[str]:
        """The fields a word becomes."""
        text, quoted, pattern = "", False, ""
        for part in word:
            if isinstance(part, Lit):
                text, quoted = text + part.text, quoted or part.quoted
                pattern += glob_escape(part.text)
            elif isinstance(part, Var):
                value = self.variable(part.name)
                if split and not part.quoted and re.search(r"[\s*?[\\]", value):
                    raise Unknown("splitting of a variable")
                text, quoted = text + value, quoted or part.quoted
                pattern += glob_escape(value)
            elif isinstance(part, Sub):
                value = self._substitute(part.text)
                if split and re.search(r"[\s*?[\\]", value):
                    raise Unknown("splitting of a substitution")
                text, pattern = text + value, pattern + glob_escape(value)
            elif isinstance(part, Glob):
                text, pattern = text + part.text, pattern + part.text
            else:
                raise Unknown(f"the expansion {part.text!r}")
        if split and any(isinstance(part, Glob) for part in word):
            return self._glob(text, pattern)
        return [text] if text or quoted or not split else []

    def _glob(self, text: str, pattern: str) -> list[str]:
        folder, _, name = pattern.rpartition("/")
        base = text[: text.rfind("/") + 1]
        if "[" in text or name.count("*") > 3 or "*" in folder or "?" in folder:
            raise Unknown(f"the pattern {text!r}")
        path = self.io().path(base or ".")
        self.files.looked.add(path)
        names = self.files.entries(path) if self.files.kind(path) == "dir" else None
        if names is None or name.startswith("."):
            raise Unknown(f"what {text!r} matches")
        matching = [one for one in names if fnmatch.fnmatchcase(one, name)]
        found = agreed_order(matching, self.files)
        return [base + one for one in found] or [text]

    def _substitute(self, text: str) -> str:
        if self.depth >= 3:
            raise Unknown("nested substitutions")
        try:
            script = parse(text)
        except NotUnderstood as error:
            raise Unknown(str(error)) from error
        state = (self.moved, dict(self.set))
        self.depth += 1
        said = self.run(script)
        self.depth -= 1
        self.moved, self.set = state
        if any(error and text for error, text in said.pieces):
            raise Unknown("errors in a substitution")
        return said.text.rstrip("\n")


def glob_escape(text: str) -> str:
    """Text as a pattern that matches only itself."""
    return re.sub(r"([*?[])", r"[\1]", text)
