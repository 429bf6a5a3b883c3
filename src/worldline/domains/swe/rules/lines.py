"""Lines of files that the session knows: what shows them again must show the same."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from worldline.domains.swe.actions import Read
from worldline.domains.swe.dialects.form import Tools
from worldline.domains.swe.inplace import script_of
from worldline.domains.swe.parts import slice_of
from worldline.domains.swe.rules.base import broken, spot
from worldline.domains.swe.session import Session
from worldline.domains.swe.shell import searched
from worldline.domains.terminal.actions import Call
from worldline.domains.terminal.dialects.aci import View, parse_views
from worldline.domains.terminal.rules.asked import complains
from worldline.domains.terminal.session import only_command
from worldline.domains.terminal.shell.filefacts import join
from worldline.prediction import Violation

WIDE = 400
"""Characters of a line that every harness shows whole."""
_FOUND = re.compile(r"([1-9]\d{0,6})([:-])")
_PLACED = re.compile(r"(?m)^([\w./+-]{1,400}):([1-9]\d{0,6}):(.{0,2000})$")
_LINE = re.compile(r"(?m)^Line ([1-9]\d{0,6}):(.{0,2000})$")
_IN = re.compile(r'for ".{1,400}" in (/[^\n]{1,400}):$', re.MULTILINE)
_NAMES_LINES = re.compile(r"grep -(?!\w*[oclLvZz])\w*n\w* [^|;&\n]{1,2000}\Z")
_LISTS = re.compile(r"-[1laAFhprtRS]{1,6}")


class Held(NamedTuple):
    """Lines of a file that are certainly there."""

    lines: Mapping[int, str]
    total: int | None
    because: tuple[str, ...] = ()


def held(session: Session, path: str | None) -> Held | None:
    """What is certain of a file; nothing that only a model said."""
    if path is None or session.unsettled:
        return None
    fact = session.files.get(path)
    content = session.files.content(path)
    if fact is not None and content is not None and fact.origin != "model":
        rows = content[0].removesuffix("\n").split("\n")
        whole = content[1] and not fact.value.get("open_end")
        total = len(rows) if whole else session.past.lengths.get(path)
        return Held(dict(enumerate(rows, 1)), total, (fact.id,))
    part = session.parts.get(path)
    if part is None or not part.fresh or session.hearsay:
        return None
    total = part.total or session.past.lengths.get(path)
    return Held({n: part.lines[n] for n in part.fresh}, total)


Shown = Iterator[tuple[str | None, int, str]]
"""Path, number and text of each line that an answer shows."""


def of_command(session: Session, text: str, output: str, observation: str) -> Iterator[Violation]:
    """Lines that a command shows with their numbers, or as the part of a file it was asked for."""
    if not session.busy:
        yield from _contradicted(session, _by_command(session, text, output), observation)


def _by_command(session: Session, text: str, output: str) -> Shown:
    rows = output.split("\n")
    path = searched(session, text)
    wanted = slice_of(text)
    if path is not None:
        for row in rows:
            match = _FOUND.match(row)
            if match is not None:
                yield path, int(match[1]), row[match.end() :]
    elif wanted is not None:
        rows = rows[:-1] if rows[-1] == "" else rows
        place = session.locate(wanted.path)
        if any(complains(row, ("cat: ", "sed: ", "head: ", "tail: ")) for row in rows):
            return
        for number, row in enumerate(rows, wanted.first):
            start = f"{number:6}\t" if wanted.numbered else ""
            if row.startswith(start):
                yield place, number, row[len(start) :]
    elif _NAMES_LINES.match(text):
        for match in _PLACED.finditer(output):
            yield session.locate(match[1]), int(match[2]), match[3]


def of_call(session: Session, deed: Call, observation: str) -> Iterator[Violation]:
    """Lines that a tool shows with their numbers."""
    if isinstance(session.form, Tools):
        yield from _unchanged(session, session.form, deed, observation)
        shown = _by_tool(session, session.form, deed, observation)
    else:
        shown = _by_editor(deed, observation)
    yield from _contradicted(session, shown, observation)


def _by_tool(session: Session, form: Tools, deed: Call, observation: str) -> Shown:
    doing = form.operation(deed)
    if isinstance(doing, Read):
        seen = form.shown(doing, observation)
        path = session.locate(doing.path)
        for number, line in enumerate(seen.lines, seen.first) if seen is not None else ():
            yield path, number, line
    elif deed.name in ("Grep", "grep", "search_files"):
        for match in _PLACED.finditer(observation):
            yield session.locate(match[1]), int(match[2]), match[3]


def _by_editor(deed: Call, observation: str) -> Shown:
    if deed.name == "search_file":
        where = _IN.search(observation)
        for match in _LINE.finditer(observation) if where is not None else ():
            yield where[1] if where else None, int(match[1]), match[2]
    elif deed.name in ("open", "goto", "scroll_up", "scroll_down"):
        for part in parse_views(observation).parts:
            for line in part.lines if isinstance(part, View) else ():
                if isinstance(part, View):
                    yield part.path, line.number, getattr(line, "text", "")


def _contradicted(session: Session, shown: Shown, observation: str) -> Iterator[Violation]:
    """The first line that is another one than the session knows, or behind the file's end."""
    known: dict[str | None, Held | None] = {}
    for path, number, text in shown:
        if path not in known:
            known[path] = held(session, path)
        file = known[path]
        if file is None:
            continue
        line = file.lines.get(number)
        if line is None and file.total is not None and number > file.total and text:
            said = f"line {number} of {path}, which has {file.total}"
        elif line is not None and len(line) < WIDE and not _same(line, text):
            said = f"line {number} of {path} is {line.strip()[:80]!r}"
        else:
            continue
        yield broken("lines", said, file.because, span=spot(observation, text.strip()))
        return


def _same(one: str, other: str) -> bool:
    return one.expandtabs().rstrip() == other.expandtabs().rstrip()


def _unchanged(session: Session, form: Tools, deed: Call, observation: str) -> Iterator[Violation]:
    """A file is shown as it was before the edit that was made last."""
    doing = form.operation(deed)
    if not isinstance(doing, Read) or not doing.whole:
        return
    before = session.past.before.get(session.locate(doing.path) or "")
    seen = form.shown(doing, observation) if before is not None else None
    if before is None or seen is None or not seen.whole:
        return
    if "\n".join(seen.lines).rstrip() == before.rstrip():
        yield broken("stale", f"{doing.path} as it was before it was edited")


def of_listing(session: Session, text: str, output: str, observation: str) -> Iterator[Violation]:
    """A listing of a directory names what is certainly in it."""
    words = only_command(text) or [""]
    options = [word for word in words[1:] if word.startswith("-")]
    names = [word for word in words[1:] if not word.startswith("-")]
    plain = words[0] == "ls" and len(names) < 2 and all(map(_LISTS.fullmatch, options))
    if not plain or session.unsettled or session.busy or complains(output, ("ls: ",)):
        return
    cwd = str(session.cwd.value) if session.cwd else None
    folder = join(cwd, names[0]) if names else cwd
    if folder is None or session.files.crosses_link(folder):
        return
    start = f"file:{folder.rstrip('/')}/"
    for id in (*session.files.facts, *session.files.changed):
        name = id[len(start) :] if id.startswith(start) else ""
        odd = not name.isprintable() or set(name) & set("'\"\\ ")  # ls may quote these
        if not name or odd or "/" in name or name.startswith(".") or name in output:
            continue
        fact = session.files.get(f"{folder.rstrip('/')}/{name}")
        if (
            fact is not None
            and fact.origin != "model"
            and fact.value.get("type") in ("file", "dir")
        ):
            yield broken("listing", f"{name} is in {folder}, but is not listed", (fact.id,))
            return


def of_script(text: str, output: str, observation: str) -> Iterator[Violation]:
    """`sed -i` prints nothing unless it fails."""
    odd = next((row for row in output.split("\n") if row and not complains(row, ("sed: ",))), None)
    if odd is not None and script_of(text) is not None:
        said = f"sed -i prints nothing unless it fails, but this says {odd[:80]!r}"
        yield broken("silent", said, span=spot(observation, odd))


def of_failure(text: str, code: int | None, output: str, observation: str) -> Iterator[Violation]:
    """What failed to read a file says why."""
    rows = output.split("\n")
    silent = not any(complains(row, ("cat: ", "sed: ", "head: ", "tail: ")) for row in rows)
    if code in (1, 2, 127) and silent and output.strip() and slice_of(text) is not None:
        said = f"the lines were read and nothing complains, yet the exit code is {code}"
        yield broken("exit", said, span=spot(observation, str(code)))
