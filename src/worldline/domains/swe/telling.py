"""Which facts a model is told before it predicts, and in what words."""

from collections.abc import Iterator

from worldline.domains.base import ActionError, Ledger
from worldline.domains.swe.actions import Edit, Read, Write
from worldline.domains.swe.dialects.form import Tools
from worldline.domains.swe.parts import Part, slice_of, told
from worldline.domains.swe.session import Session, led
from worldline.domains.terminal import telling
from worldline.domains.terminal.actions import Call, Run
from worldline.domains.terminal.shell.filefacts import join
from worldline.facts import Fact, fact

text = telling.text
WIDEST = 400
"""Lines of a file that were shown in part and are told at most."""


def chosen(ledger: Ledger, action: str, budget: int) -> list[Fact]:
    """The facts that bear on an action, most telling first, in `budget` characters.

    A file that was only shown in part is told by its known lines with their numbers, around those
    that the action asks for. What may have changed since says so.
    """
    session = Session(ledger)
    try:
        deeds = session.form.deeds(action)
    except ActionError:
        return []
    named: list[Fact] = []
    for deed in deeds:
        if isinstance(deed, Run):
            named += _of_line(session, deed.text)
        elif isinstance(deed, Call):
            named += _of_call(session, deed)
    place = [session.cwd] if session.cwd is not None else []
    return telling.fitted([*place, *named, *telling.relevant(session, action)], budget)


def _of_call(session: Session, deed: Call) -> Iterator[Fact]:
    if not isinstance(session.form, Tools):
        return
    doing = session.form.operation(deed)
    if isinstance(doing, Read | Write | Edit):
        path = session.locate(doing.path)
        first = doing.first if isinstance(doing, Read) else None
        count = doing.count if isinstance(doing, Read) else None
        last = None if first is None or count is None else first + count - 1
        yield from _file(session, path, first, last)


def _of_line(session: Session, line: str) -> Iterator[Fact]:
    """Files of a command line by the directory that it goes to first."""
    found = led(line)
    prefix, place = found if found is not None else ("", None)
    line = line[len(prefix) :]
    cwd = place or (str(session.cwd.value) if session.cwd else None)
    wanted = slice_of(line)
    if wanted is not None:
        yield from _file(session, join(cwd, wanted.path), wanted.first, wanted.last)
    for word in telling.mentioned(line):
        path = join(cwd, word)
        if path is not None and (wanted is None or word != wanted.path):
            yield from _file(session, path, None, None)


def _file(
    session: Session, path: str | None, first: int | None, last: int | None
) -> Iterator[Fact]:
    if path is None:
        return
    found = session.files.facts.get(f"file:{path}")
    if found is not None and isinstance(found.value.get("content"), str):
        yield telling.doubted(session, found)
    elif path in session.parts:
        yield _part(path, session.parts[path], first, last, hearsay=session.hearsay)
    elif found is not None:
        yield telling.doubted(session, found)


def _part(path: str, part: Part, first: int | None, last: int | None, *, hearsay: bool) -> Fact:
    rows = told(part, first, last)[:WIDEST] or told(part, None, None)[:WIDEST]
    value: dict[str, object] = {"type": "file", "content": "\n".join(rows), "numbered": True}
    if len(part.fresh) < len(part.lines):
        value["stale"] = True
    origin = "model" if hearsay else "real"
    return fact("file", path, value, origin=origin, turn=part.turn, complete=False)
