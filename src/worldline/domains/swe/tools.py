"""Tools that read and change files: what they show, and when the next answer follows from it."""

import re

from worldline.domains.swe.actions import Anything, Edit, Inspect, Read, Write
from worldline.domains.swe.dialects.form import Tools
from worldline.domains.swe.inplace import swapped
from worldline.domains.swe.parts import Part, merged
from worldline.domains.swe.past import Past, edited
from worldline.domains.swe.session import Session
from worldline.domains.terminal.actions import Call
from worldline.domains.terminal.foresee import Foreseen
from worldline.domains.terminal.observations import Result
from worldline.domains.terminal.shell.bounds import EVERYTHING, Footprint
from worldline.facts import Fact, FactOrigin

LINES = 1_000
"""Lines that a read of a part surely shows."""
LIMIT = 40_000
"""Characters of a file that every harness shows whole."""
_ODD = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff\ufffd\ud800-\udfff]")


def observe(
    session: Session, form: Tools, deed: Call, observation: str, origin: FactOrigin
) -> None:
    """Take in a call of a tool that is not the shell."""
    session.unsettled = False
    doing = form.operation(deed)
    if isinstance(doing, Inspect):
        return
    path = None if isinstance(doing, Anything) else _place(session, doing.path)
    if isinstance(doing, Read):
        if path is not None:
            _read(session, form, path, doing, observation, origin)
    elif path is None or isinstance(doing, Anything):
        session.apply(EVERYTHING, origin)
        session.past = Past()
    else:
        _change(session, form, path, doing, observation, origin)


def _place(session: Session, name: str) -> str | None:
    """The full path that a tool was given, if it is certain."""
    return session.locate(name) if name.startswith("/") or session.cwd is not None else None


def _read(
    session: Session, form: Tools, path: str, read: Read, observation: str, origin: FactOrigin
) -> None:
    shown = form.shown(read, observation)
    if shown is None:
        return
    session.edited.discard(path)
    if not shown.whole:
        known = session.parts.get(path)
        session.keep(path, merged(known, shown.first, shown.lines, session.turn), origin)
        return
    content = "\n".join(shown.lines) + ("" if shown.ends is False else "\n")
    before = session.files.content(path)
    if before is not None and before[0].rstrip() == content.rstrip():
        _mark(session, path)
        return
    value = {"type": "file", "content": content, "ragged": True, "tool": True}
    if shown.ends is None:
        value["open_end"] = True
    if session.files.regular(path):
        value["plain"] = True
    session.files.put(path, value, origin)


def _mark(session: Session, path: str) -> None:
    """The tools know this file as it is."""
    found = session.files.get(path)
    if found is not None:
        session.files.put(path, {**found.value, "tool": True}, found.origin, found.complete)


def _change(
    session: Session,
    form: Tools,
    path: str,
    doing: Write | Edit,
    observation: str,
    origin: FactOrigin,
) -> None:
    done = form.confirmed(doing, observation)
    if done is False:
        return
    found, before = session.files.get(path), session.files.content(path)
    part = session.parts.get(path)
    session.apply(Footprint(paths=(path,), repeatable=False), origin)
    session.parts.pop(path, None)
    session.past = edited(session.past, path, None, ())
    if not done:
        return
    if before is None and part is not None and isinstance(doing, Edit):
        session.keep(path, _swapped(form, part, doing), origin)
    session.answers[path] = observation
    session.edited.add(path)
    if isinstance(doing, Edit) and origin != "model":
        session.past = edited(session.past, path, before[0] if before else None, doing.swaps)
    if isinstance(doing, Write):
        session.files.write(path, doing.content, "action")
        _mark(session, path)
        return
    content = form.replaced(doing, before[0]) if before is not None else None
    if content is None or found is None:
        return
    session.files.write(path, content, found.origin if found.origin == "model" else "action")
    written = session.files.get(path)
    if written is not None:
        marks = {name: True for name in ("ragged", "open_end") if found.value.get(name)}
        session.files.put(path, {**written.value, **marks, "tool": True}, written.origin)


def _swapped(form: Tools, part: Part, edit: Edit) -> Part | None:
    """The known lines after an edit that was made: its one old text stood nowhere else."""
    if len(edit.swaps) != 1 or edit.all or not form.exact:
        return None
    old, new = edit.swaps[0]
    if not old or form.replaced(edit, old) is None or part.ends is False:
        return None
    return swapped(part, old, new)


def foresee(session: Session, form: Tools, deed: Call) -> Foreseen | None:
    """The answer of a tool, where it follows from what is known of the file."""
    doing = form.operation(deed)
    if session.unsettled or session.busy or not isinstance(doing, Read | Edit):
        return None
    path = _place(session, doing.path)
    part = session.parts.get(path) if path is not None else None
    if path is not None and part is not None and isinstance(doing, Read) and not doing.whole:
        return _part(session, form, path, doing, part)
    found = session.files.get(path) if path is not None else None
    content = session.files.content(path) if path is not None else None
    if path is None or found is None or content is None or not found.value.get("tool"):
        return None
    text = content[0]
    if len(text) > LIMIT or _ODD.search(text) or found.value.get("open_end"):
        return None
    if isinstance(doing, Read):
        return _reread(session, form, path, doing, found, text)
    return _edit(session, form, path, doing, found, text)


def _reread(
    session: Session, form: Tools, path: str, read: Read, found: Fact, content: str
) -> Foreseen | None:
    """A whole read. A harness may refuse to show again what has not changed since."""
    if not read.whole or (path not in session.edited and not session.harness.ours):
        return None
    return _foreseen(form.show(read, content), "swe.readback", found)


def _part(session: Session, form: Tools, path: str, read: Read, part: Part) -> Foreseen | None:
    """A read of lines that are all known, as far as the file goes."""
    again = path in session.edited or session.harness.ours
    first, count = read.first or 1, read.count
    if not again or count is None or not 0 < count <= LINES:
        return None
    numbers = range(first, first + count)
    if not part.fresh.issuperset(numbers):
        return None
    rows = [part.lines[number] for number in numbers]
    if any(_ODD.search(row) for row in rows):
        return None
    text = form.show_lines(first, rows)
    return None if text is None else Foreseen(Result(text), "swe.part", hearsay=session.hearsay)


def _edit(
    session: Session, form: Tools, path: str, edit: Edit, found: Fact, content: str
) -> Foreseen | None:
    refused = form.refuse(edit, content)
    if refused is not None:
        return _foreseen(refused, "swe.refused", found)
    before = session.answers.get(path)
    changes = form.replaced(edit, content)
    if before is None or changes in (None, content) or not session.files.own(path):
        return None
    return _foreseen(form.confirm(edit, before), "swe.edited", found)


def _foreseen(text: str | None, rule: str, found: Fact) -> Foreseen | None:
    if text is None:
        return None
    return Foreseen(Result(text), rule, (found.id,), hearsay=found.origin == "model")
