"""Redirections: where the streams of a command come from and go to."""

from typing import Protocol

from worldline.domains.terminal.shell import changes
from worldline.domains.terminal.shell.grammar import Redirect, Word
from worldline.domains.terminal.shell.program import Io, Unknown


class Shell(Protocol):
    """What redirections need of the machine."""

    assume: bool

    def io(self, stdin: str | None = None) -> Io:
        """The surroundings of one program."""
        ...

    def expand(self, word: Word, *, split: bool = True) -> list[str]:
        """The fields a word becomes."""
        ...


class Sink:
    """Where a command's streams go: opened in order, written when the command has ended."""

    def __init__(self, machine: Shell, redirects: tuple[Redirect, ...], stdin: str | None) -> None:
        self.machine = machine
        self.stdin = stdin
        self.to: dict[int, tuple[str, str] | int | None] = {1: 1, 2: 2}
        """Descriptor -> 1 or 2 (as given), `None` (nowhere), or (path, text written so far)."""
        for redirect in redirects:
            self._open(redirect)
        if machine.assume and self.to[2] not in (1, 2):
            raise Unknown("success, where errors are not shown")

    def _open(self, redirect: Redirect) -> None:
        machine, op = self.machine, redirect.op
        if op in ("<<", "<<-", "<<<"):
            if op == "<<-":
                raise Unknown("a here-document without its tabs")
            word = redirect.body if op == "<<" else redirect.target
            text = "".join(machine.expand(word or (), split=False))
            self.stdin = text + ("\n" if op == "<<<" else "")
            return
        fields = machine.expand(redirect.target)
        if len(fields) != 1 or redirect.fd not in (None, 0, 1, 2):
            raise Unknown("a redirection")
        target = fields[0]
        if op == "<":
            self.stdin = self._input(target)
        elif op == ">&" and target in ("1", "2"):
            self.to[1 if redirect.fd is None else redirect.fd] = self.to[int(target)]
        elif op in (">", ">>", "&>"):
            where = self._output(target, op == ">>")
            for fd in (1, 2) if op == "&>" else (1 if redirect.fd is None else redirect.fd,):
                self.to[fd] = where
        else:
            raise Unknown(f"the redirection {op}")

    def _input(self, target: str) -> str:
        io = self.machine.io()
        if io.kind(target) != "file":
            raise Unknown("input from what is not there")
        return io.read(target)

    def _output(self, target: str, append: bool) -> tuple[str, str] | None:
        if target == "/dev/null":
            return None
        io = self.machine.io()
        path = io.path(target)
        if path.startswith("/dev/") or target.endswith("/"):
            raise Unknown(f"writing to {target!r}")
        (changes.append if append else changes.put)(path, "", io)
        return (path, "")

    def finish(self, pieces: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
        """Send what the command wrote to where it goes; what stays is printed."""
        shown: list[tuple[bool, str]] = []
        for error, text in pieces:
            where = self.to[2 if error else 1]
            if isinstance(where, tuple):
                if text:
                    changes.append(where[0], text, self.machine.io())
            elif where is not None:
                shown.append((where == 2, text))
        return shown
