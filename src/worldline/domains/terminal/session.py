"""A ledger at work: what the next deed will show, and what a shown deed teaches.

A `Session` is the mutable working copy of one frozen ledger. `foresee` answers where the outcome is
certain; `observe` takes in what happened. Both follow the same `Machine`; `observe` may let it
assume success, because success is seen.
"""

import re
from collections.abc import Mapping
from typing import ClassVar

import msgspec

from worldline.domains.base import Ledger
from worldline.domains.terminal.dialects import FORMS
from worldline.domains.terminal.dialects.form import Form
from worldline.domains.terminal.harness import Harness, Wrapped
from worldline.domains.terminal.observations import Look, Result
from worldline.domains.terminal.shell.bounds import EVERYTHING, Footprint
from worldline.domains.terminal.shell.files import Files
from worldline.domains.terminal.shell.grammar import NotUnderstood, Script, literal, parse
from worldline.domains.terminal.shell.machine import Machine, Said
from worldline.domains.terminal.shell.program import Traits, Unknown
from worldline.facts import Fact, FactOrigin, fact

_UNSENDABLE = re.compile(r"[\0\ud800-\udfff]")
_KEYS = re.compile(r"[\x01-\x09\x0b-\x1f\x7f]")
MAX_PATHS = 200
"""Paths that one command line may touch one by one; beyond, anything may have changed."""


class Seen(msgspec.Struct, frozen=True):
    """An answer that will be the same again. `lasting`: whatever is touched."""

    result: Result
    origin: FactOrigin
    lasting: bool = False


class Memo(msgspec.Struct, frozen=True, kw_only=True):
    """What a terminal's ledger remembers besides its facts."""

    harness: Harness
    look: Look = Look()
    stale: frozenset[str] = frozenset()
    """Ids of facts that may have changed since."""
    seen: Mapping[str, Seen] = {}
    """Command lines and their answers, nothing touched since that they may rest on."""
    missing: Mapping[str, FactOrigin] = {}
    """Commands that are certainly not there."""
    syntax: Mapping[str, Seen] = {}
    """What the shell says to a line that leaves a quote open, by quote."""
    altered: bool = False
    """Options, aliases or functions of the shell may no longer be the usual ones."""
    busy: bool = False
    """Something may be going on in the background."""
    written: bool = False
    """Some file may have been written in this session."""
    rewritten: int | None = None
    """Last turn that may have changed a file that was there before it; `None`: not followed."""
    unsettled: bool = False
    """The last observation did not come from the shell, or may have upset the harness."""


class Followed(msgspec.Struct, frozen=True):
    """A command line followed to its end."""

    said: Said
    machine: Machine

    @property
    def result(self) -> Result:
        """What it printed, and its exit code."""
        return Result(self.said.text, self.said.code)

    @property
    def used(self) -> dict[str, Fact]:
        """The facts it rests on."""
        return self.machine.files.used

    def changes(self, files: Files) -> bool:
        """Whether it changed any file."""
        mine = self.machine.files
        return mine.changed != files.changed or mine.stale != files.stale


class Session:
    """The working copy. `ledger` makes it a ledger again."""

    forms: ClassVar[Mapping[str, Form]] = FORMS
    """The dialects a ledger may be in; a domain with a shell of its own has others."""

    def __init__(self, ledger: Ledger) -> None:
        memo: Memo = ledger.memo
        self.before = ledger
        self.turn = ledger.turn + 1
        self.form = self.forms[ledger.dialect]
        self.harness = memo.harness
        self.look = memo.look
        self.cwd = ledger.get("cwd", "cwd")
        here = str(self.cwd.value) if self.cwd else None
        self.files = Files(ledger.facts, memo.stale, self.turn, here)
        self.env = {one.key: one for one in ledger.facts.values() if one.kind == "env"}
        self.people = {one.key: one for one in ledger.facts.values() if one.kind == "entity"}
        self.seen = dict(memo.seen)
        self.missing = dict(memo.missing)
        self.syntax = dict(memo.syntax)
        self.altered, self.busy = memo.altered, memo.busy
        self.written = memo.written
        self.rewritten = memo.rewritten
        self.unsettled = memo.unsettled

    def ledger(self) -> Ledger:
        """The ledger after this turn."""
        kept = {
            id: one
            for id, one in self.before.facts.items()
            if one.kind not in ("cwd", "env", "entity")
        }
        kept.update(self.files.changed)
        for one in (self.cwd, *self.env.values(), *self.people.values()):
            if one is not None:
                kept[one.id] = one
        memo = Memo(
            harness=self.harness,
            look=self.look,
            stale=frozenset(self.files.stale),
            seen=self.seen,
            missing=self.missing,
            syntax=self.syntax,
            altered=self.altered,
            busy=self.busy,
            written=self.written,
            rewritten=self.rewritten,
            unsettled=self.unsettled,
        )
        return msgspec.structs.replace(self.before, facts=kept, turn=self.turn, memo=memo)

    # following

    def traits(self, text: str, named: bool) -> Traits:
        """What is known of the machine, for this command line."""
        named = self.harness.settled_name and "\n" not in text and not named
        return Traits(
            bash=self.harness.ours or "bash" in (self.harness.shell_name or ""),
            gnu=self.harness.gnu,
            tty=self.form.tty,
            furnished=self.harness.ours,
            aliases=self.form.tty and not self.harness.ours,
            shell_name=self.harness.shell_name if named else None,
        )

    def follow(
        self, wrapped: Wrapped, *, assume: bool, origin: FactOrigin = "action"
    ) -> Followed | None:
        """Follow a command line on a copy of the files; `None` where its outcome is not certain."""
        text = wrapped.text or ""
        if self.form.tty and "!" in text:
            return None
        machine = Machine(
            self.files.copy(),
            self.cwd,
            self.variables(),
            self.traits(text, wrapped.named),
            missing=frozenset(self.missing),
            assume=assume,
            origin=origin,
        )
        try:
            said = machine.run(parse(text))
        except (Unknown, NotUnderstood):
            return None
        if said.mixed and not self.form.merged:
            return None
        return Followed(said, machine)

    def variables(self) -> dict[str, Fact]:
        """The variables that a command starts with."""
        home = self.people.get("home")
        if home is not None and "HOME" not in self.env:
            return {**self.env, "HOME": home}
        return self.env

    def adopt(self, followed: Followed, origin: FactOrigin) -> None:
        """Make a followed command line's effects those of the session."""
        machine = followed.machine
        if followed.changes(self.files):
            self.note_write()
        self.files = machine.files
        if not machine.missing:
            self.missing = {}
        if machine.moved is not None:
            self.move(machine.moved, origin)
        if machine.set:
            self.forget_answers()
            for name, value in machine.set.items():
                self.assign(name, value, origin)

    def assign(self, name: str, value: str, origin: FactOrigin) -> None:
        """A variable was set; it lasts as long as its shell."""
        self.env.pop(name, None)
        if self.harness.persistent:
            self.env[name] = fact("env", name, value, origin=origin, turn=self.turn)

    def move(self, path: str | None, origin: FactOrigin) -> None:
        """The shell went to `path`, or to somewhere unknown."""
        if self.harness.persistent is False:
            return
        self.forget_answers()
        self.files.forget_here()
        self.files.cwd = None
        known = path is not None and self.harness.persistent
        self.cwd = self.place(path, origin) if known else None
        self.unsettled = not self.harness.ours and self.harness.persistent is None

    def place(self, path: str | None, origin: FactOrigin) -> Fact:
        """A fact of the current directory."""
        return fact("cwd", "cwd", path, origin=origin, turn=self.turn)

    def apply(self, footprint: Footprint, origin: FactOrigin) -> None:
        """Take in what a command that was not followed may have done."""
        if footprint.everything or len(footprint.paths) + len(footprint.links) > MAX_PATHS:
            footprint = footprint + EVERYTHING
            self.files.touch_everything()
            self.missing = {}
        several = len(footprint.paths) + len(footprint.links) <= MAX_PATHS
        for path in footprint.paths if several else ():
            self.files.touch(path)
        for path in reversed(footprint.links if several else ()):
            self.files.link(path)
        if footprint.writes:
            self.note_write()
        if footprint.cwd:
            self.move(None, origin)
        if footprint.variables or footprint.shell:
            self.env = {}
            self.forget_answers()
        if footprint.shell:
            self.altered = self.harness.persistent is not False
            self.missing = {}
        if footprint.nested and self.form.tty:
            self.new_shell()
            self.altered = True
        self.busy = self.busy or footprint.background

    def new_shell(self) -> None:
        """Another shell may read from here on: its variables and home are not the old one's."""
        self.env = {}
        self.missing = {}
        self.people.pop("home", None)
        self.forget_answers()

    def note_write(self) -> None:
        """Some file was written, made or removed."""
        self.written = True
        self.rewrite()
        self.missing = {}
        self.forget_answers()

    def rewrite(self) -> None:
        """A file that was there may hold something else now."""
        self.rewritten = self.turn if self.rewritten is not None else None

    def only_makes(self, followed: Followed) -> bool:
        """Whether it writes only to names that were certainly free: no file has them already."""
        made = followed.machine.files.wrote
        return all(self.files.kind(path, strict=True) == "absent" for path in made)

    def forget_answers(self) -> None:
        """Something was touched: only answers that hang on nothing remain."""
        self.seen = {text: seen for text, seen in self.seen.items() if seen.lasting}


def readable(text: str, tty: bool = False) -> bool:
    """Whether a shell gets a text as it is; on a terminal control characters are keys."""
    return not _UNSENDABLE.search(text) and not (tty and _KEYS.search(text))


def parsed(text: str) -> Script | None:
    """The script that a text is, if it is one."""
    try:
        return parse(text)
    except NotUnderstood:
        return None


def only_command(text: str) -> list[str] | None:
    """The words of a text that is one simple command without expansions or redirections."""
    script = parsed(text)
    if script is None or not script.plain or len(script.pipelines) != 1:
        return None
    pipeline = script.pipelines[0]
    if len(pipeline.commands) != 1 or pipeline.joint == "&" or pipeline.negated:
        return None
    command = pipeline.commands[0]
    words = [literal(word) for word in command.words]
    if command.redirects or command.assigns:
        return None
    plain = [word for word in words if word is not None]
    return plain if len(plain) == len(words) else None
