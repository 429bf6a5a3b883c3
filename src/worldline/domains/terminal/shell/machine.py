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
    overlong,
)
from worldline.domains.terminal.shell.redirects import Sink
from worldline.domains.terminal.shell.tables import TABLES
from worldline.domains.terminal.shell.tokens import Glob, Lit, Sub, Var
from worldline.facts import Fact, FactOrigin

PROGRAMS: dict[str, Program] = {
    **reads.PROGRAMS,
    **filters.PROGRAMS,
    **utilities.PROGRAMS,
    **changes.PROGRAMS,
}
MISSING = "command not found"
MAX_STEPS = 400
"""Commands and changes that one command line is followed through."""
_SPECIAL = ("BASH_", "COMP_", "LC_")
"""How names of variables begin that the shell or the locale gives a meaning."""


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
        self.expanded = 0
        """Characters that expansions have made."""
        self.steps = 0
        """Commands, redirections and operands of commands that change files."""

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

    def _step(self, steps: int) -> None:
        """Each change looks at all facts: a long script must not take for ever."""
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise Unknown("a very long script")

    def _pipeline(self, pipeline: Pipeline) -> list[tuple[bool, str]]:
        pieces: list[tuple[bool, str]] = []
        stdin: str | None = None
        single = len(pipeline.commands) == 1
        self.files.looked, self.files.wrote = set(), set()
        before = self.code
        for command in pipeline.commands:
            self.code = before  # they start together: `$?` is that of what came before all
            last = command is pipeline.commands[-1]
            said = self._command(command, stdin, single=single, last=last)
            errors = [piece for piece in said if piece[0]]
            if single:
                if command.redirects and self.files.wrote & self.files.looked:
                    raise Unknown("a file that is read and written")
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

    def _command(
        self, command: Command, stdin: str | None, *, single: bool, last: bool
    ) -> list[tuple[bool, str]]:
        self._step(1 + len(command.redirects))
        absent = self._absent(command)
        if absent is not None:
            io = self.io()
            io.shell_err(f"{absent}: {MISSING}")
            self.code = 127
            return io.pieces
        words = [text for word in command.words for text in self.expand(word)]
        if command.assigns:
            if command.words or command.redirects or not single:
                raise Unknown("an assignment before a command")
            for name, word in command.assigns:
                self.assign(name, "".join(self.expand(word, split=False)))
            if not any(isinstance(part, Sub) for _, word in command.assigns for part in word):
                self.code = 0
            return []
        if not words:
            raise Unknown("redirections without a command")
        if words[0] in changes.PROGRAMS:
            self._step(len(words))
        sink = Sink(self, command.redirects, stdin)
        io = self.io(sink.stdin, shown=last and sink.to[1] in (1, 2))
        self.code = self._program(words, io, single)
        if words[0] in changes.PROGRAMS or self.files.wrote:
            self.missing = frozenset()  # what was not there may have been made
        return sink.finish(io.pieces)

    def _absent(self, command: Command) -> str | None:
        """The name of a command that is certainly not there; its arguments then do not matter."""
        name = literal(command.words[0]) if command.words else None
        if name not in self.missing or command.redirects or command.assigns:
            return None
        simple = all(isinstance(part, Lit | Var | Glob) for word in command.words for part in word)
        return name if simple else None

    def io(self, stdin: str | None = None, *, shown: bool = False) -> Io:
        """The surroundings of one program. `shown`: its output goes where the script's goes."""
        return Io(
            self.files,
            self.cwd,
            self.traits,
            stdin=stdin,
            assume=self.assume,
            origin=self.origin,
            terminal=self.traits.tty and shown and not self.depth,
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
        if self.cwd is not None and io.files.kind(self.cwd) == "absent":
            raise Unknown("a current directory that is gone")
        kind = io.files.kind(path)
        if kind == "absent":
            io.shell_err(f"cd: {io.plain(target)}: No such file or directory")
            return 1
        if kind != "dir" and not (self.assume and kind == "unknown"):
            raise Unknown(f"whether {path!r} is a directory")
        if not self.assume and not io.files.enterable(path, self.cwd):
            raise Unknown(f"whether {path!r} may be entered")
        self.moved = path
        return 0

    def step(self, target: str) -> str:
        """Where ``cd target`` leads: ``..`` goes up in the path as written."""
        base = target if target.startswith("/") else f"{self.cwd or ''}/{target}"
        if base.startswith("//") or overlong(base):
            raise Unknown("a path that is kept as it is, or is too long")
        if not base.startswith("/") or (self.cwd is None and not target.startswith("/")):
            raise Unknown("the current directory")
        self._climb(base)
        path = posixpath.normpath(base)
        if self.files.crosses_link(path):
            raise Unknown("a link")
        return "/" + path.lstrip("/")

    def _climb(self, base: str) -> None:
        """Each name that ``..`` takes back must be a directory that is there."""
        at = "/"
        for part in [part for part in base.split("/") if part not in ("", ".")]:
            if part != "..":
                at = posixpath.join(at, part)
                continue
            kind = self.files.kind(at)
            here = at == self.cwd and kind == "unknown"
            if kind != "dir" and not here and not (self.assume and kind == "unknown"):
                raise Unknown(f"whether {at!r} is a directory")
            at = parent(at)

    def assign(self, name: str, value: str) -> None:
        """Set a variable of the shell."""
        if name in TABLES["deep_variables"] or _special(name):
            raise Unknown(f"a new {name}")
        if len(value) > LIMIT:
            raise Unknown("a very long value")
        self.set[name] = value

    def variable(self, name: str) -> str:
        """The value of a variable."""
        if name in self.set:
            return self.set[name]
        if name == "?" and self.code is not None:
            return str(self.code)
        if name == "PWD" and self.cwd:
            return self.cwd
        if _special(name):
            raise Unknown(f"the variable {name}")
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
            if len(text) > LIMIT:
                raise Unknown("a very long word")
        self.expanded += len(text)
        if self.expanded > LIMIT:
            raise Unknown("very long words")
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
        if not script.pipelines:
            raise Unknown("an empty substitution")
        state = (self.moved, dict(self.set))
        self.depth += 1
        said = self.run(script)
        self.depth -= 1
        self.moved, self.set = state
        if any(error and text for error, text in said.pieces):
            raise Unknown("errors in a substitution")
        return said.text.rstrip("\n")


def _special(name: str) -> bool:
    """Whether a variable is more than what a command put into it."""
    return name in TABLES["special"] or name.startswith(_SPECIAL) or not name.isascii()


def glob_escape(text: str) -> str:
    """Text as a pattern that matches only itself."""
    return re.sub(r"([*?[])", r"[\1]", text)
