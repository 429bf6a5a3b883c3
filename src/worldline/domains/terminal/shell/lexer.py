"""Shell text as tokens that, put together again, are the text.

A word keeps what the shell would make of it: literal pieces, variables, substitutions, globs, and
pieces we do not follow. Nothing is expanded and nothing is run. Linear in the length of the text;
text that ends inside a quote, a substitution or a here-document says so in `Lexed.open`.
"""

import re
from functools import lru_cache

from worldline.domains.terminal.shell.tokens import (
    Glob,
    Kind,
    Lexed,
    Lit,
    Odd,
    Part,
    Sub,
    Token,
    Var,
)

MAX_DEPTH = 12
"""Substitutions inside substitutions that are followed; deeper ones count as not understood."""
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|&>>|&>|<<<|<<-|<<|<&|<>|>>|>&|>\||[;&|()<>]")
_BLANK = re.compile(r"[ \t]+")
_PLAIN = re.compile(r"[^ \t\n;&|()<>'\"\\$`*?\[{]+")
_IN_DOUBLE = re.compile(r'[^"\\$`]+')
_IN_HEREDOC = re.compile(r"[^\\$`]+")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_BRACED = re.compile(r"\{([A-Za-z_]\w*|[0-9?#@*!$-])\}", re.ASCII)
_BRACES = re.compile(r"\{[^{}\s]*\}")
_TILDE = re.compile(r"~[\w.+-]*")
_CLOSER = re.compile(r"[()'\"\\`]|\$\(")
_ANSI = re.compile(r"[^\\']*")


class _Open(Exception):
    """The text ended inside the construct named by its argument."""


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.done = 0
        """Where the last token ends."""
        self.tokens: list[Token] = []
        self.waiting: list[tuple[str, bool, bool]] = []
        """Here-documents whose body has not come: delimiter, tabs stripped, body literal."""
        self.depth = 0

    def run(self) -> Lexed:
        while self.at < len(self.text):
            try:
                self._token()
            except _Open as error:
                self.tokens.append(Token("open", self.text[self.done :]))
                return Lexed(tuple(self.tokens), str(error))
        return Lexed(tuple(self.tokens), "heredoc" if self.waiting else None)

    def _add(self, kind: Kind, start: int, parts: tuple[Part, ...] = ()) -> None:
        self.done = self.at
        self.tokens.append(Token(kind, self.text[start : self.at], parts))

    def _token(self) -> None:
        text, start = self.text, self.at
        char = text[start]
        if char == "\n":
            self.at += 1
            self._add("newline", start)
            for delimiter, strip, literal in self.waiting:
                self._heredoc(delimiter, strip, literal)
            self.waiting = []
        elif blank := _BLANK.match(text, start):
            self.at = blank.end()
            self._add("blank", start)
        elif char == "#":
            end = text.find("\n", start)
            self.at = len(text) if end < 0 else end
            self._add("comment", start)
        elif char in "<>" and text[start + 1 : start + 2] == "(":
            self.at += 2
            self._add("word", start, (Sub(self._substitution(), process=True),))
        elif operator := _OPERATOR.match(text, start):
            self.at = operator.end()
            self._add("op", start)
        else:
            parts = self._word()
            self._add("word", start, parts)
            self._await_heredoc(parts)

    def _await_heredoc(self, parts: tuple[Part, ...]) -> None:
        before = [token for token in self.tokens[-3:-1] if token.kind != "blank"]
        if before and before[-1].kind == "op" and before[-1].text in ("<<", "<<-"):
            delimiter = "".join(
                getattr(part, "text", "$" + getattr(part, "name", "")) for part in parts
            )
            quoted = any(isinstance(part, Lit) and part.quoted for part in parts)
            self.waiting.append((delimiter, before[-1].text == "<<-", quoted))

    def _heredoc(self, delimiter: str, strip: bool, literal: bool) -> None:
        start, lines = self.at, []
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            line = line.lstrip("\t") if strip else line
            if line == delimiter:
                self.at = end
                body = "".join(lines)
                self._add("heredoc", start, (Lit(body, True),) if literal else _expandable(body))
                return
            lines.append(line + "\n")
            self.at = end + 1
        self.at = start
        raise _Open("heredoc")

    def _word(self) -> tuple[Part, ...]:
        parts: list[Part] = []
        text = self.text
        if text[self.at] == "~":
            parts.append(self._tilde())
        while self.at < len(text):
            char = text[self.at]
            if plain := _PLAIN.match(text, self.at):
                self.at = plain.end()
                parts.append(Lit(plain[0]))
            elif char == "\\":
                escaped = text[self.at + 1 : self.at + 2]
                self.at += 2
                if escaped != "\n":
                    parts.append(Lit(escaped or "\\", True))
            elif char == "'":
                parts.append(Lit(self._until("'", "'"), True))
            elif char == '"':
                self.at += 1
                parts += self._double() or [Lit("", True)]
            elif char == "$":
                parts.append(self._dollar(False))
            elif char == "`":
                parts.append(Sub(self._backquoted()))
            elif char in "*?[":
                self.at += 1
                parts.append(Glob(char))
            elif char == "{":
                braces = _BRACES.match(text, self.at)
                several = braces is not None and ("," in braces[0] or ".." in braces[0])
                inner = braces[0] if braces else "{"
                self.at += len(inner)
                parts.append(Odd(inner) if several else Lit(inner))
            else:
                break
        return tuple(parts)

    def _tilde(self) -> Part:
        match = _TILDE.match(self.text, self.at)
        name = match[0] if match else "~"
        self.at += len(name)
        if name == "~" and self.text[self.at : self.at + 1] in ("", "/", " ", "\n", "\t", ";"):
            return Var("HOME", True)
        return Odd(name)

    def _until(self, mark: str, what: str) -> str:
        end = self.text.find(mark, self.at + 1)
        if end < 0:
            raise _Open(what)
        inner = self.text[self.at + 1 : end]
        self.at = end + 1
        return inner

    def _double(self) -> list[Part]:
        """The inside of double quotes; `at` is behind the opening one."""
        parts: list[Part] = []
        text = self.text
        while self.at < len(text):
            if plain := _IN_DOUBLE.match(text, self.at):
                self.at = plain.end()
                parts.append(Lit(plain[0], True))
            elif text[self.at] == '"':
                self.at += 1
                return parts
            elif text[self.at] == "\\":
                parts += self._escape('$`"\\')
            elif text[self.at] == "`":
                parts.append(Sub(self._backquoted()))
            else:
                parts.append(self._dollar(True))
        raise _Open('"')

    def _escape(self, special: str) -> list[Part]:
        escaped = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if escaped == "\n":
            return []
        return [Lit(escaped if escaped and escaped in special else "\\" + escaped, True)]

    def _dollar(self, quoted: bool) -> Part:
        """What begins with a dollar sign at `at`."""
        text, start = self.text, self.at
        after = text[start + 1 : start + 2]
        if name := _NAME.match(text, start + 1):
            self.at = name.end()
            return Var(name[0], quoted)
        if braced := _BRACED.match(text, start + 1):
            self.at = braced.end()
            return Var(braced[1], quoted)
        if after == "(":
            self.at += 2
            inner = self._substitution()
            return Odd(text[start : self.at]) if inner.startswith("(") else Sub(inner)
        if after == "{":
            self._until("}", "${")
            return Odd(text[start : self.at])
        if after == "'" and not quoted:
            return self._ansi()
        if after and after in "0123456789?#@*!$-":
            self.at += 2
            return Var(after, quoted)
        self.at += 1
        return Lit("$", True)

    def _ansi(self) -> Part:
        """``$'...'``: followed where it holds no escapes."""
        start = self.at
        self.at += 2
        while True:
            run = _ANSI.match(self.text, self.at)
            self.at = run.end() if run else self.at
            if self.at >= len(self.text):
                raise _Open("'")
            if self.text[self.at] == "'":
                self.at += 1
                break
            self.at += 2
        raw = self.text[start : self.at]
        return Odd(raw) if "\\" in raw else Lit(raw[2:-1], True)

    def _backquoted(self) -> str:
        start = self.at
        self.at += 1
        while self.at < len(self.text) and self.text[self.at] != "`":
            self.at += 2 if self.text[self.at] == "\\" else 1
        if self.at >= len(self.text):
            self.at = start
            raise _Open("`")
        self.at += 1
        return re.sub(r"\\([`\\$])", r"\1", self.text[start + 1 : self.at - 1])

    def _substitution(self) -> str:
        """The inside of ``$(``, up to its closing parenthesis; `at` is behind the opening one."""
        start, depth, quote = self.at, 1, ""
        while mark := _CLOSER.search(self.text, self.at):
            self.at = mark.end()
            found = mark[0]
            if found == "\\":
                self.at += 1
            elif quote == '"' and found in "'()":
                continue
            elif found == '"':
                quote = "" if quote else '"'
            elif found == "'" or found == "`":
                self.at -= 1
                self._until(found, "$(")
            elif found == "$(" and quote:
                self._substitution_inside()
            elif found in ("(", "$("):
                depth += 1
            elif found == ")":
                depth -= 1
                if depth == 0:
                    return self.text[start : self.at - 1]
        raise _Open("$(")

    def _substitution_inside(self) -> None:
        """Skip a substitution inside double quotes inside a substitution."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _Open("$(")
        self._substitution()
        self.depth -= 1


def _expandable(body: str) -> tuple[Part, ...]:
    """The body of a here-document whose delimiter was not quoted."""
    inner = _Lexer(body)
    parts: list[Part] = []
    try:
        while inner.at < len(body):
            if plain := _IN_HEREDOC.match(body, inner.at):
                inner.at = plain.end()
                parts.append(Lit(plain[0], True))
            elif body[inner.at] == "\\":
                parts += inner._escape("$`\\")
            elif body[inner.at] == "`":
                parts.append(Sub(inner._backquoted()))
            else:
                parts.append(inner._dollar(True))
    except _Open:
        return (Odd(body),)
    return tuple(parts)


@lru_cache(maxsize=64)  # one turn looks at the same command line several times
def lex(text: str) -> Lexed:
    """The tokens of `text`: ``"".join(token.text for token in lex(text).tokens) == text``."""
    return _Lexer(text).run()
