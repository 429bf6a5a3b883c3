"""How actions reach a shell, found out from what the session shows.

Recordings come from harnesses that differ: some start a fresh shell for every command, some eat the
double quotes of an action on the way. What is not known is kept as alternatives; an answer is
certain only if all of them give it. A session that begins here has a bash of its own, unchanged
quotes and GNU tools.
"""

import re
from typing import Literal, NamedTuple

import msgspec

from worldline.facts import FactOrigin
from worldline.trajectory import Trajectory

Quoting = Literal["verbatim", "double"]
"""``double``: the action was put between double quotes and split as a POSIX shell splits words."""

OURS = frozenset({"unknown", "simulated", "collected"})
"""Kinds of source whose harness is ours."""

MALFORMED = "Malformed command"
BROKEN = re.compile(
    r"\s{0,4}(OCI runtime exec failed|Error executing query|Command timed out|EXECUTION TIMED OUT)"
)
"""Observations that come from the harness, not from the shell."""
_ELSEWHERE = re.compile(
    r"busybox|alpine|darwin|macos|windows|powershell|freebsd|\bzsh\b|\bfish\b", re.I
)
_NOT_FOUND = re.compile(
    r"(-?[\w./-]*sh)(?:: line (\d+))?: ([^\s:][^:\n]{0,200}): command not found"
)
_SHELL_SAYS = re.compile(r"(-?[\w./-]*sh): line (\d+): ")
_GNU = re.compile(
    r"(?m)^Try '\S+ --help' for more information|^find: '"
    r"|: cannot (?:access|stat|touch|remove|open) '"
)
_ERROR = re.compile(
    r"(?m)^[\w./-]+: .{0,200}(?:No such file|not found|denied|invalid|syntax error)"
)
_SYNTAX = re.compile(r": -c: line \d{1,4}: (?:syntax error|unexpected EOF|`)")


class Wrapped(NamedTuple):
    """A command line as a shell may get it. `text` is `None` where the harness refuses it; `named`:
    the shell calls itself after a piece of the action."""

    text: str | None
    named: bool


class Harness(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the way to the shell."""

    ours: bool
    quoting: tuple[Quoting, ...]
    persistent: bool | None
    gnu: bool
    shell_name: str | None = None
    """What the shell's own messages begin with, as ``/bin/bash: line 1``."""
    shell_origin: FactOrigin = "real"
    settled_name: bool = False
    """The name is the same at each turn (line numbers begin anew)."""
    shows_errors: bool = False
    """Error messages are part of the output."""
    keeps_ends: bool = False
    """Output keeps the line end at its end."""
    cuts: bool = False
    """Long output is cut (`observations.CUT_BYTES`)."""

    def wraps(self, text: str) -> list[Wrapped]:
        """What may have reached the shell, without repeats."""
        found = {Wrapped(text, False): None} if "verbatim" in self.quoting else {}
        if "double" in self.quoting:
            words = split_double(text)
            found[Wrapped(None, False) if words is None else Wrapped(words[0], len(words) > 1)] = (
                None
            )
        return list(found)

    def narrowed(self, only: Quoting) -> "Harness":
        """With one kind of quoting left."""
        return msgspec.structs.replace(self, quoting=(only,))

    def heard(self, output: str, turn: int, origin: FactOrigin) -> "Harness":
        """What an output tells about the shell and its tools."""
        changes = msgspec.structs.asdict(self)
        if _GNU.search(output):
            changes["gnu"] = True
        if changes["gnu"] or _ERROR.search(output):
            changes["shows_errors"] = True
        if output.endswith("\n"):
            changes["keeps_ends"] = True
        first = output.partition("\n")[0]
        match = _NOT_FOUND.fullmatch(first) or _SHELL_SAYS.match(first)
        if match:
            name = match[1] + (f": line {match[2]}" if match[2] else "")
            plain = match[2] is None or (match[2] == "1" and turn > 1)
            changes |= {"shell_name": name, "shell_origin": origin}
            changes["settled_name"] = plain or (self.settled_name and name == self.shell_name)
        return Harness(**changes)


def start(
    trajectory: Trajectory, persistent: bool | None, *, direct: bool, strips: bool = False
) -> Harness:
    """What can be said before the first turn.

    Args:
        persistent: whether the dialect alone says that commands share one shell.
        direct: the dialect hands commands over as data, so that no quotes are lost.
        strips: harnesses of the dialect take the line end off what is printed, so that only an
            output that has one shows that this one does not; of our own recordings it is known.
    """
    ours = trajectory.source.kind in OURS
    system = trajectory.system
    told = f"{system.task_description}\n{system.initial_state or ''}\n{system.verbatim or ''}"
    plain = ours and not _ELSEWHERE.search(told)
    return Harness(
        ours=plain,
        quoting=("verbatim",) if ours or direct else ("verbatim", "double"),
        persistent=True if persistent or ours else None,
        gnu=plain,
        shows_errors=ours,
        keeps_ends=ours and not (strips and trajectory.source.kind == "unknown"),
        cuts=trajectory.source.kind == "collected",
    )


def syntax_only(output: str) -> bool:
    """Whether the shell only said that it cannot read the command line, and so ran nothing."""
    lines = output.splitlines()
    return bool(lines) and all(_SYNTAX.search(line) for line in lines)


def missing_commands(output: str) -> list[str]:
    """Names that a shell said it does not know."""
    return [match[3] for match in map(_NOT_FOUND.fullmatch, output.splitlines()) if match]


def split_double(text: str) -> list[str] | None:
    """The words of ``"text"`` as a POSIX shell splits them (nothing expanded); `None` if a quote or
    an escape is left open. Linear."""
    words: list[str] = []
    word: list[str] | None = None
    quote = ""
    source = iter(f'"{text}"')
    for char in source:
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"':
                after = next(source, None)
                if after is None:
                    return None
                assert word is not None
                word.append(after if after in '"\\' else "\\" + after)
            else:
                assert word is not None
                word.append(char)
        elif char in " \t\r\n":
            if word is not None:
                words.append("".join(word))
            word = None
        else:
            word = [] if word is None else word
            if char in "'\"":
                quote = char
            elif char == "\\":
                after = next(source, None)
                if after is None:
                    return None
                word.append(after)
            else:
                word.append(char)
    if quote:
        return None
    return [*words, "".join(word)] if word is not None else words
