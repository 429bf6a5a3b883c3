"""Command lines of a coding session: the terminal's ledger, told where a line goes first.

Agents begin most lines with ``cd /repository && ``. What follows is worked out in that directory,
so that its reads and writes have names.
"""

import re

import msgspec

from worldline.domains.swe.dialects.form import Tools
from worldline.domains.swe.inplace import on_content, on_part, script_of
from worldline.domains.swe.parts import Slice, foretold, learn, learn_found, merged, slice_of
from worldline.domains.swe.session import Session, led
from worldline.domains.terminal import foresee as terminal
from worldline.domains.terminal.foresee import Foreseen
from worldline.domains.terminal.listing import learn_reads
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.observe import observe as observed
from worldline.domains.terminal.session import Seen, only_command
from worldline.domains.terminal.shell.bounds import Footprint
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
        session.part_ways()
        return
    prefix, path = found
    if session.files.kind(path) == "unknown":
        session.files.put(path, {"type": "dir", "entries": None}, origin, complete=False)
    with session.at(prefix, session.placed(path)):
        _here(session, text[len(prefix) :], result, origin)
        _seen_part(session, text[len(prefix) :], result, origin, head)
        end = session.cwd
    session.part_ways()
    if session.harness.persistent is not False:
        session.move(str(end.value) if end else None, origin)


def _here(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    if _in_place(session, text, result, origin) or _not_started(session, text, result, origin):
        return
    observed(session, text, result, origin)
    output = result.output or ""
    if session.cwd is None and _first_word(text) == "pwd" and output.startswith("/"):
        learn_reads(session, "pwd", Result(output.partition("\n")[0], 0), origin)


def _in_place(session: Session, text: str, result: Result, origin: FactOrigin) -> bool:
    """Take in a file that was edited in place: only that file has changed."""
    script = script_of(text)
    path = session.locate(script.path) if script is not None else None
    if script is None or path is None or (result.output, result.code) != ("", 0):
        return False
    session.unsettled = False
    part, before = session.parts.get(path), session.files.content(path)
    content = on_content(script, before[0]) if before is not None and before[1] else None
    changed = on_part(script, part) if part is not None else None
    session.apply(Footprint(paths=(path,), repeatable=False), origin)
    session.parts.pop(path, None)
    session.keep(path, changed, origin)
    session.files.write(path, content, "action")
    written = session.files.get(path)
    if written is not None:
        value = {**written.value, "in_place": True}
        session.files.put(path, value, written.origin, written.complete)
    return True


_NO_MODULE = re.compile(r"\S{0,200}python[\d.]{0,8}: No module named (\w{1,100})\n?")


def _not_started(session: Session, text: str, result: Result, origin: FactOrigin) -> bool:
    """Python did not find the module that it was to run, and so ran nothing."""
    match = _NO_MODULE.fullmatch(result.output or "")
    words = only_command(text) if match else None
    if match is None or not words or words[1:3] != ["-m", match[1]]:
        return False
    if not re.fullmatch(r"python[\d.]*", words[0]):
        return False
    session.unsettled = False
    session.seen[text] = Seen(result, origin)
    return True


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
    path = session.locate(wanted.path) if wanted is not None else searched(session, text)
    if path is None:
        return
    before = session.parts.get(path)
    if wanted is not None and result.output and _trims(session):
        wanted, result = _untrimmed(wanted, result.output)
    if wanted is None:
        session.keep(path, learn_found(before, result.output or "", session.turn), origin)
    elif result.output is not None:
        session.keep(path, learn(before, wanted, result.output, session.turn), origin)
    elif not wanted.numbered and not any("\ufffd" in line for line in head):
        session.keep(path, merged(before, wanted.first, head, session.turn), origin)


def _trims(session: Session) -> bool:
    """Whether the shell's output lacks the blanks at its end, and nothing else."""
    if session.form.id == "hermes" and not session.harness.keeps_ends:
        return True
    return isinstance(session.form, Tools) and session.form.trims and session.harness.ours


def _untrimmed(wanted: Slice, output: str) -> tuple[Slice, Result]:
    """The lines before the last one, where a harness of ours took the blanks off its end."""
    rows = output.split("\n")[:-1]
    last = wanted.first + len(rows) - 1
    return msgspec.structs.replace(wanted, last=last), Result(
        "".join(f"{row}\n" for row in rows), 0
    )


def searched(session: Session, text: str) -> str | None:
    """The one file that a `grep -n` looks through, perhaps from `cat`, perhaps cut by `head`."""
    if len(text) > 2_000:
        return None
    source = re.match(r"cat ([\w./+-]{1,400}) \| (?=grep )", text)
    line = text[source.end() :] if source else text
    words = only_command(re.sub(r" \| head(?: -(?:n ?)?\d{1,4})?\Z", "", line))
    if not words or words[0] != "grep":
        return None
    operands = [*_operands(words[1:]), *([source[1]] if source else [])]
    numbered = any(re.fullmatch(r"-[niEFwv]*n[niEFwv]*", word) for word in words[1:])
    return session.locate(operands[1]) if numbered and len(operands) == 2 else None


_HARMLESS = re.compile(r"-[niEFwv]+|-[ABC]\d{1,3}")


def _operands(words: list[str]) -> list[str]:
    """Pattern and files of a `grep`; none where an option changes what is printed."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in ("-A", "-B", "-C"):
            next(rest, None)
        elif not word.startswith("-"):
            found.append(word)
        elif not _HARMLESS.fullmatch(word):
            return []
    return found


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
    if _edits_in_place(session, text):
        return Foreseen(Result("", 0), "swe.effect")
    wanted = slice_of(text)
    path = session.locate(wanted.path) if wanted is not None else None
    part = session.parts.get(path) if path is not None else None
    printed = foretold(part, wanted) if part is not None and wanted is not None else None
    if printed is None:
        return None
    return Foreseen(Result(printed, 0), "swe.part", hearsay=session.hearsay)


def _edits_in_place(session: Session, text: str) -> bool:
    """Whether a plain ``sed -i`` certainly works: it has worked on this file, unchanged since, or
    the session made the file (and so may write in its directory)."""
    script = script_of(text)
    path = session.locate(script.path) if script is not None else None
    found = session.files.get(path) if path is not None else None
    if found is None or found.origin == "model":
        return False
    made = session.harness.gnu and found.value.get("made") and found.value["type"] == "file"
    return bool(found.value.get("in_place") or made)
