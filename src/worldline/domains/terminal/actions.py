"""What is done in a terminal: command lines in tokens, and the deeds an action consists of.

The dialects read their text into these; the ledger works on deeds, whatever the dialect.
"""

from typing import Any

import msgspec

from worldline.domains.terminal.shell.lexer import lex
from worldline.domains.terminal.shell.tokens import Kind


class Piece(msgspec.Struct, frozen=True):
    """One token of a command line, as written."""

    kind: Kind
    text: str


def pieces(text: str) -> tuple[Piece, ...]:
    """A command line in tokens."""
    return tuple(Piece(token.kind, token.text) for token in lex(text).tokens)


def joined(found: tuple[Piece, ...]) -> str:
    """The command line again."""
    return "".join(piece.text for piece in found)


class Run(msgspec.Struct, frozen=True, tag="run"):
    """A command line given to a shell."""

    text: str


class Call(msgspec.Struct, frozen=True, tag="call"):
    """A tool of the harness other than its shell, or a command of its editor."""

    name: str
    arguments: dict[str, Any]


class Other(msgspec.Struct, frozen=True, tag="other"):
    """Something not followed (control keys, input to a running program): anything may happen."""


Deed = Run | Call | Other
