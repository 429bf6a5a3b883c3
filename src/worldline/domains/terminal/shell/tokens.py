"""The pieces that shell text is made of."""

from typing import Literal

import msgspec

Kind = Literal["word", "op", "blank", "newline", "comment", "heredoc", "open"]


class Lit(msgspec.Struct, frozen=True, tag=True):
    """Text that stands for itself."""

    text: str
    quoted: bool = False


class Var(msgspec.Struct, frozen=True, tag=True):
    """A variable: ``$name`` or ``${name}``."""

    name: str
    quoted: bool = False


class Sub(msgspec.Struct, frozen=True, tag=True):
    """A command substitution, or a process substitution ``<(...)``, by its inner text."""

    text: str
    process: bool = False


class Glob(msgspec.Struct, frozen=True, tag=True):
    """Unquoted characters that match file names."""

    text: str


class Odd(msgspec.Struct, frozen=True, tag=True):
    """An expansion that is not followed: ``${x:-y}``, ``$((1+2))``, ``{a,b}``, ``~name``."""

    text: str


Part = Lit | Var | Sub | Glob | Odd


class Token(msgspec.Struct, frozen=True):
    """One token. `parts` are given for words and for the body of a here-document."""

    kind: Kind
    text: str
    parts: tuple[Part, ...] = ()


class Lexed(msgspec.Struct, frozen=True):
    """The tokens of a text, and what was still open where it ended (``'``, ``"``, `` ` ``, ``$(``,
    ``${``, ``heredoc``), if anything; then the rest is one token of kind ``open``."""

    tokens: tuple[Token, ...]
    open: str | None = None
