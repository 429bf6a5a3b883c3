"""The shell's grammar, as far as a ledger needs it.

`parse` reads a command line into pipelines of simple commands. Compound commands (loops, tests,
groups, functions) are not followed: the script then says ``plain=False`` and only lists the simple
commands inside, which is enough to bound what the script may touch.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import msgspec

from worldline.domains.terminal.shell.lexer import lex
from worldline.domains.terminal.shell.tokens import Lit, Odd, Part, Sub, Token

Word = tuple[Part, ...]
Joint = Literal["", "&&", "||", ";", "&"]

_SEPARATORS = {"&&", "||", ";", "&", "|", "|&"}
_WRITES = {">", ">>", ">|", "&>", "&>>", "<>"}
_REDIRECTS = _WRITES | {"<", "<<", "<<-", "<<<", ">&", "<&"}
_SKIPPED = {"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!"}
_REFUSED = {"case", "esac", "select", "function", "coproc", "[[", "in"}
MAX_TEXT = 60_000
"""Characters of a command line that are followed."""


class Redirect(msgspec.Struct, frozen=True):
    """One redirection. `fd` is the one it changes; `body` the text of a here-document."""

    op: str
    fd: int | None
    target: Word
    body: Word | None = None


class Command(msgspec.Struct, frozen=True):
    """A simple command: assignments before it, its words, its redirections."""

    assigns: tuple[tuple[str, Word], ...] = ()
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()


class Pipeline(msgspec.Struct, frozen=True):
    """Commands joined by pipes, and how the next pipeline is joined to it."""

    commands: tuple[Command, ...]
    joint: Joint = ""
    negated: bool = False


class Script(msgspec.Struct, frozen=True):
    """A parsed command line."""

    pipelines: tuple[Pipeline, ...]
    plain: bool = True
    """False: there were compound commands; the pipelines are bounds, not a program."""

    def commands(self) -> Iterator[Command]:
        """Every simple command in it, substitutions not entered."""
        for pipeline in self.pipelines:
            yield from pipeline.commands


class NotUnderstood(ValueError):
    """The text is outside what we follow; `open` names an unterminated construct, if any."""

    def __init__(self, why: str, open: str | None = None) -> None:
        super().__init__(why)
        self.open = open


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.plain = True
        self.pipelines: list[Pipeline] = []
        self.bodies = iter([token.parts for token in tokens if token.kind == "heredoc"])

    def run(self) -> Script:
        while self.at < len(self.tokens):
            self._pipeline()
        return Script(tuple(self.pipelines), self.plain)

    def _peek(self) -> Token | None:
        while self.at < len(self.tokens) and self.tokens[self.at].kind in (
            "blank",
            "comment",
            "heredoc",
        ):
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _pipeline(self) -> None:
        commands: list[Command] = []
        negated = False
        while (token := self._peek()) is not None:
            if token.kind == "word" and token.text == "!" and not commands:
                self.at += 1
                negated = True
                continue
            commands.append(self._command())
            token = self._peek()
            if token is None or token.text not in ("|", "|&"):
                break
            if token.text == "|&":
                raise NotUnderstood("a pipe of both streams")
            self.at += 1
            self._newlines()
            if self._peek() is None:
                raise NotUnderstood("a pipe to nothing")
        end = self._peek()
        joint = self._joint()
        commands = [command for command in commands if command != Command()] or commands
        if len(commands) > 1 and Command() in commands:
            raise NotUnderstood("an empty command in a pipeline")
        if commands and commands != [Command()]:
            self.pipelines.append(Pipeline(tuple(commands), joint, negated))
        elif self.plain and (negated or (end is not None and end.kind != "newline")):
            raise NotUnderstood("nothing where a command should be")
        if joint in ("&&", "||") and self._peek() is None:
            raise NotUnderstood(f"{joint} with nothing behind it")

    def _newlines(self) -> None:
        while (token := self._peek()) is not None and token.kind == "newline":
            self.at += 1

    def _joint(self) -> Joint:
        token = self._peek()
        if token is None:
            return ""
        if token.kind == "newline":
            self.at += 1
            return ";"
        if token.text in ("(", ")"):
            self.plain = False
            self.at += 1
            return ";"
        for joint in ("&&", "||", ";", "&"):
            if token.text == joint:
                self.at += 1
                if joint in ("&&", "||"):
                    self._newlines()
                return joint
        raise NotUnderstood(f"{token.text!r} where a command ends")

    def _command(self) -> Command:
        assigns: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while (token := self._peek()) is not None:
            if token.text == "(" and words:
                raise NotUnderstood("a function")
            if token.kind == "newline" or (token.kind == "op" and token.text not in _REDIRECTS):
                break
            self.at += 1
            if token.kind == "word" and not token.parts:
                continue  # nothing but a line continued on the next
            if token.kind == "op":
                redirects.append(self._redirect(token.text, None))
            elif token.text.isascii() and token.text.isdigit() and self._adjacent_redirect():
                self.at += 1
                redirects.append(self._redirect(self.tokens[self.at - 1].text, int(token.text[:4])))
            elif not words and (assign := _assignment(token)):
                assigns.append(assign)
            elif not words and self._reserved(token.text):
                if token.text == "for":
                    self._skip_header()
            else:
                words.append(_word(token))
        return Command(tuple(assigns), tuple(words), tuple(redirects))

    def _adjacent_redirect(self) -> bool:
        after = self.tokens[self.at] if self.at < len(self.tokens) else None
        return after is not None and after.kind == "op" and after.text in _REDIRECTS

    def _redirect(self, op: str, fd: int | None) -> Redirect:
        token = self._peek()
        if token is None or token.kind != "word":
            raise NotUnderstood("a redirection to nothing")
        self.at += 1
        body = next(self.bodies, None) if op in ("<<", "<<-") else None
        return Redirect(op, fd, _word(token), body)

    def _reserved(self, text: str) -> bool:
        if text in _REFUSED:
            raise NotUnderstood(f"the compound command {text!r}")
        if text in _SKIPPED or text == "for":
            self.plain = False
            return True
        return False

    def _skip_header(self) -> None:
        """``for NAME in WORDS``: the words are no command (their substitutions are kept as one)."""
        while (token := self._peek()) is not None and token.kind == "word":
            self.at += 1
            if any(isinstance(part, Sub) for part in token.parts):
                raise NotUnderstood("a loop over a substitution")


def _assignment(token: Token) -> tuple[str, Word] | None:
    first = token.parts[0] if token.parts else None
    if not isinstance(first, Lit) or first.quoted:
        return None
    name, equals, rest = first.text.partition("=")
    if not equals or not name.isidentifier() or not name.isascii():
        return None
    parts = (Lit(rest), *token.parts[1:]) if rest else token.parts[1:]
    loose = "".join(part.text for part in parts if isinstance(part, Lit) and not part.quoted)
    return (name, (Odd(token.text),)) if loose.startswith("~") or ":~" in loose else (name, parts)


def _word(token: Token) -> Word:
    if token.text == "[":
        return (Lit("["),)
    return token.parts


def parse(text: str) -> Script:
    """The script that `text` is.

    Raises:
        NotUnderstood: it is no script, or outside what we follow.
    """
    found = _parsed(text)
    if isinstance(found, NotUnderstood):
        raise NotUnderstood(str(found), found.open)
    return found


@lru_cache(maxsize=64)
def _parsed(text: str) -> Script | NotUnderstood:
    """The script or the reason why there is none; one step looks at the same text several times."""
    if len(text) > MAX_TEXT:
        return NotUnderstood("too long")
    lexed = lex(text)
    if lexed.open:
        return NotUnderstood(f"{lexed.open} is not closed", lexed.open)
    try:
        return _Parser(list(lexed.tokens)).run()
    except NotUnderstood as error:
        return error


def literal(word: Word) -> str | None:
    """The text of a word without expansions, else `None`."""
    texts = [part.text for part in word if isinstance(part, Lit)]
    return "".join(texts) if len(texts) == len(word) else None


def substitutions(command: Command) -> Iterator[str]:
    """Inner texts of the substitutions in a command."""
    words = [*command.words, *(word for _, word in command.assigns)]
    for redirect in command.redirects:
        words += [redirect.target, redirect.body or ()]
    for word in words:
        for part in word:
            if isinstance(part, Sub):
                yield part.text
