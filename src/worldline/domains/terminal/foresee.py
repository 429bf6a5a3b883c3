"""The certain outcome of a command line, if it has one.

Three ways lead to certainty: the same question was answered and nothing was touched since; the
shell cannot even read or find the command, and has said how it says so; or the machine follows the
command to its end on what is known.
"""

import re

import msgspec

from worldline.domains.terminal.harness import Wrapped
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.session import Followed, Session, readable
from worldline.domains.terminal.shell.grammar import MAX_TEXT
from worldline.domains.terminal.shell.lexer import lex
from worldline.domains.terminal.shell.machine import MISSING
from worldline.domains.terminal.shell.tables import TABLES
from worldline.domains.terminal.shell.tokens import Lexed, Lit

_PROSE = re.compile(r"[\w ,.:?/%@+=-]*")


class Foreseen(msgspec.Struct, frozen=True):
    """A certain outcome and what it rests on. `hearsay`: only a model vouches for it."""

    result: Result
    rule: str
    because: tuple[str, ...] = ()
    hearsay: bool = False


def foresee(session: Session, text: str) -> Foreseen | None:
    """The outcome of a command line, its effects made; `None` where it is not certain."""
    if session.unsettled or (session.altered and session.harness.persistent is not False):
        return None
    if len(text) > MAX_TEXT or not readable(text, session.form.tty):
        return None
    seen = session.seen.get(text)
    if seen is not None and not (session.busy and not seen.lasting):
        rule = "terminal.syntax" if seen.lasting else "terminal.repeat"
        return Foreseen(seen.result, rule, hearsay=seen.origin == "model")
    wraps = session.harness.wraps(text)
    found = [_unread(session, wrapped) or _followed(session, wrapped) for wrapped in wraps]
    first = found[0]
    if first is None or any(other is None or _result(other) != _result(first) for other in found):
        return None
    if isinstance(first, Foreseen):
        return first
    if len(wraps) == 1:
        session.adopt(first, "action")
    return _explained(session, first)


def _result(found: Foreseen | Followed) -> Result:
    return found.result


def _unread(session: Session, wrapped: Wrapped) -> Foreseen | None:
    """What the shell says to a line of plain words that leaves a quote open."""
    if wrapped.text is None or wrapped.named or "\n" in wrapped.text:
        return None
    lexed = lex(wrapped.text)
    known = session.syntax.get(lexed.open or "")
    if known is None or not plain_words(lexed):
        return None
    return Foreseen(known.result, "terminal.syntax", hearsay=known.origin == "model")


def plain_words(lexed: Lexed) -> bool:
    """Whether only plain words stand before the quote that is left open, so that the shell reads
    on to the end of the text without finding anything else wrong."""
    *before, last = lexed.tokens
    words = [token for token in before if token.kind == "word"]
    if words and words[0].text in TABLES["reserved"]:
        return False
    loose = [
        part.text if isinstance(part, Lit) else "$"
        for token in words
        for part in token.parts
        if not (isinstance(part, Lit) and part.quoted)
    ]
    loose.append(last.text.partition(lexed.open or "'")[0])
    return all(token.kind in ("word", "blank") for token in before) and all(
        _PROSE.fullmatch(text) for text in loose
    )


def _followed(session: Session, wrapped: Wrapped) -> Followed | None:
    """The command line followed, if that leads to a certain end."""
    if wrapped.text is None:
        return None
    followed = session.follow(wrapped, assume=False)
    if followed is None:
        return None
    files = any(one.kind == "file" for one in followed.used.values())
    return None if session.busy and (files or followed.changes(session.files)) else followed


def _explained(session: Session, followed: Followed) -> Foreseen:
    kinds = {one.kind for one in followed.used.values()}
    hearsay = any(one.origin == "model" for one in followed.used.values())
    errors = "".join(text for error, text in followed.said.pieces if error)
    name = session.harness.shell_name
    if name and errors.startswith(name):
        hearsay = hearsay or session.harness.shell_origin == "model"
        hearsay = hearsay or "model" in session.missing.values()
    rule = "literal"
    if MISSING in errors:
        rule = "missing"
    elif followed.machine.moved or (kinds == {"cwd"} and followed.said.text):
        rule = "cwd"
    elif "file" in kinds:
        rule = "readback" if followed.said.text else "effect"
    elif kinds & {"env", "entity"}:
        rule = "env"
    return Foreseen(followed.result, f"terminal.{rule}", tuple(followed.used), hearsay)
