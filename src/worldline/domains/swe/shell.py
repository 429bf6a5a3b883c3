"""Command lines of a coding session: the terminal's ledger, told where a line goes first.

Agents begin most lines with ``cd /repository && ``. What follows is worked out in that directory,
so that its reads and writes have names.
"""

import re

from worldline.domains.swe.parts import foretold, learn, learn_found, merged, slice_of
from worldline.domains.swe.session import Session, led
from worldline.domains.terminal import foresee as terminal
from worldline.domains.terminal.foresee import Foreseen
from worldline.domains.terminal.listing import learn_reads
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.observe import observe as observed
from worldline.domains.terminal.session import only_command
from worldline.domains.terminal.shell.grammar import NotUnderstood, literal, parse
from worldline.facts import FactOrigin

_NOT_THERE = re.compile(r"(?m)^\S{0,40}(?:: line \d{1,4})?: (?:line \d{1,4}: )?cd: ")


def observe(
    session: Session, text: str, result: Result, origin: FactOrigin, head: tuple[str, ...] = ()
) -> None:
    """Take in a command line and its outcome; `head`: first lines of output that was cut."""
    found = led(text)
    if found is None or result.output is None or _NOT_THERE.search(result.output):
        if found is None or head:
            _here(session, text, result, origin)
            _seen_part(session, text if found is None else "", result, origin, head)
        else:
            observed(session, text, result, origin)
        return
    prefix, path = found
    if session.files.kind(path) == "unknown":
        session.files.put(path, {"type": "dir", "entries": None}, origin, complete=False)
    with session.at(prefix, session.placed(path)):
        _here(session, text[len(prefix) :], result, origin)
        _seen_part(session, text[len(prefix) :], result, origin, head)
        end = session.cwd
    if session.harness.persistent is not False:
        session.move(str(end.value) if end else None, origin)


def _here(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    observed(session, text, result, origin)
    output = result.output or ""
    if session.cwd is None and _first_word(text) == "pwd" and output.startswith("/"):
        learn_reads(session, "pwd", Result(output.partition("\n")[0], 0), origin)


def _first_word(text: str) -> str | None:
    """The first command of a line, if it is a single word."""
    try:
        script = parse(text)
    except NotUnderstood:
        return None
    if not script.plain or not script.pipelines or len(script.pipelines[0].commands) != 1:
        return None
    command = script.pipelines[0].commands[0]
    alone = len(command.words) == 1 and not command.redirects and not command.assigns
    return literal(command.words[0]) if alone else None


def _seen_part(
    session: Session, text: str, result: Result, origin: FactOrigin, head: tuple[str, ...]
) -> None:
    """Lines of a file that were shown."""
    if not text or (result.code != 0 and not head):
        return
    wanted = slice_of(text)
    path = session.locate(wanted.path) if wanted is not None else _searched(session, text)
    if path is None:
        return
    before = session.parts.get(path)
    if wanted is None:
        session.keep(path, learn_found(before, result.output or "", session.turn), origin)
    elif result.output is not None:
        session.keep(path, learn(before, wanted, result.output, session.turn), origin)
    elif not wanted.numbered and not any("\ufffd" in line for line in head):
        session.keep(path, merged(before, wanted.first, head, session.turn), origin)


_FLAGS = re.compile(r"-[niEFwv]*n[niEFwv]*|-[niEFwv]+|-[ABC]\d{0,3}")


def _searched(session: Session, text: str) -> str | None:
    """The one file that a `grep -n` looks through, perhaps cut by `head`."""
    words = only_command(re.sub(r" *\| *head(?: -(?:n ?)?\d{1,4})? *\Z", "", text))
    if not words or words[0] != "grep":
        return None
    operands: list[str] = []
    numbered, skip = False, False
    for word in words[1:]:
        if skip:
            skip = False
        elif word.startswith("-") and not operands:
            if not _FLAGS.fullmatch(word):
                return None
            numbered = numbered or "n" in word
            skip = word in ("-A", "-B", "-C")
        elif word in ("-A", "-B", "-C"):
            skip = True
        elif word.startswith("-") and not re.fullmatch(r"-[ABC]\d{1,3}", word):
            return None
        elif not word.startswith("-"):
            operands.append(word)
    return session.locate(operands[1]) if numbered and len(operands) == 2 else None


def foresee(session: Session, text: str) -> Foreseen | None:
    """The outcome of a command line, where it is certain."""
    found = led(text)
    if found is None:
        return _foreseen(session, text)
    prefix, path = found
    if not session.enters(path):
        return None
    with session.at(prefix, session.placed(path)):
        return _foreseen(session, text[len(prefix) :])


def _foreseen(session: Session, text: str) -> Foreseen | None:
    certain = terminal.foresee(session, text)
    if certain is not None or session.busy or session.unsettled:
        return certain
    if session.altered and session.harness.persistent is not False:
        return None
    wanted = slice_of(text)
    path = session.locate(wanted.path) if wanted is not None else None
    part = session.parts.get(path) if path is not None else None
    printed = foretold(part, wanted) if part is not None and wanted is not None else None
    if printed is None:
        return None
    return Foreseen(Result(printed, 0), "swe.part", hearsay=session.hearsay)
