"""What the output of simple reading commands says about files and the current directory."""

import posixpath
import re
from typing import Any

from worldline.domains.terminal.observations import ALTERED, Result
from worldline.domains.terminal.session import Session, only_command
from worldline.domains.terminal.shell.filefacts import HERE, join, volatile
from worldline.facts import FactOrigin, fact

_ABSENT = re.compile(
    r"(?:cat|ls|head|tail|wc|find|grep|stat|file|du|diff|sed|strings|md5sum|cd|od|sort|tac|cut)"
    r": (?:cannot (?:access|stat|open|read:?) |can't read |cd: )?'?([^':\n]{1,300})'?"
    r"(?: for reading)?: No such file or directory"
)
_LONG = re.compile(
    r"([-dlbcps])[rwxsStT-]{9}[.+@]? +\d+ +\S+ +\S+ +(\d+) +[A-Z][a-z]{2} +\d{1,2} +[\d:]{4,5} (.+)"
)
_LOOKS = ("ls", "find", "stat", "du")
"""Programs that see a link that leads nowhere; others only fail to follow it."""
_TYPES = {"-": "file", "d": "dir", "l": "link"}
LIMIT = 500
"""Entries of one listing that are taken in."""


def learn_reads(session: Session, text: str, result: Result, origin: FactOrigin) -> None:
    """Take in what a command that only read has shown."""
    words, output = only_command(text), result.output or ""
    if not words or len(session.harness.wraps(text)) != 1 or ALTERED.search(output):
        return
    name, operands = words[0], [word for word in words[1:] if not word.startswith("-")]
    options = {word for word in words[1:] if word.startswith("-")}
    match = _ABSENT.fullmatch(output.rstrip())
    if match:
        if match[1] in operands:
            _absent(session, match[1], origin, followed=name not in _LOOKS)
    elif result.code not in (None, 0):
        return
    elif name == "pwd" and not words[1:]:
        _place(session, output.strip(), origin)
    elif name == "whoami" and not words[1:] and re.fullmatch(r"[\w-]{1,64}\s*", output):
        user = fact("entity", "user", output.strip(), origin=origin, turn=session.turn)
        session.people["user"] = user
    elif name == "cat" and len(operands) == 1 and not options and _faithful(session, output):
        _content(session, operands[0], output, origin)
    elif name == "cat" and len(operands) == 1 and not options and _stripped(session, output):
        _content(session, operands[0], output, origin, open_end=True)
    elif name == "ls" and len(operands) <= 1 and not _wrong(output):
        _listing(session, operands[0] if operands else ".", options, output, origin)


_CUT = re.compile(r"truncated|omitted|elided|\[\.\.\.|\.\.\.\s*\Z", re.IGNORECASE)


def _faithful(session: Session, output: str) -> bool:
    """Whether the text is the file's text: a screen shows tabs as blanks and wraps, and a harness
    may strip or cut what it passes on."""
    if session.form.tty or not session.harness.keeps_ends or "\ufffd" in output:
        return False
    return session.harness.ours or (len(output) < 10_000 and not _CUT.search(output))


def _stripped(session: Session, output: str) -> bool:
    """Whether the text is the file's text but for line ends at its end."""
    strips = session.form.id in ("json", "hermes") and session.harness.ours
    return strips and bool(output.strip()) and "\ufffd" not in output


def _path(session: Session, name: str) -> str | None:
    path = join(str(session.cwd.value) if session.cwd else None, name)
    if path is None or volatile(path) or session.files.crosses_link(path):
        return None
    return path


def _wrong(output: str) -> bool:
    return output.startswith(("ls: ", "cat: ", "bash: ", "/bin/bash: "))


def _absent(session: Session, name: str, origin: FactOrigin, *, followed: bool) -> None:
    path = _path(session, name.rstrip("/") or "/")
    if path is not None:
        value = {"type": "absent", "followed": True} if followed else {"type": "absent"}
        session.files.put(path, value, origin)


def _place(session: Session, path: str, origin: FactOrigin) -> None:
    if not re.fullmatch(r"/[^\n\0]{0,1000}", path):
        return
    if session.cwd is None:
        session.files.settle_here(path)
        session.cwd = session.place(path, origin)
    elif session.cwd.value != path:
        session.files.touch_everything()
        session.rewrite()
        session.forget_answers()
        session.cwd = session.place(path, origin)


def _content(
    session: Session, name: str, output: str, origin: FactOrigin, *, open_end: bool = False
) -> None:
    path = _path(session, name)
    if path is None or _wrong(output) or len(output) > 100_000:
        return
    value: dict[str, Any] = {"type": "file", "content": output}
    if open_end:
        value["open_end"] = True
    if session.files.regular(path):
        value["plain"] = True
    before = session.files.content(path)
    if before is not None and before[0].rstrip() == output.rstrip():
        return
    session.files.put(path, value, origin, complete=not open_end)


def _listing(
    session: Session, name: str, options: set[str], output: str, origin: FactOrigin
) -> None:
    """Names in a directory; whole but for hidden ones."""
    path = _path(session, name)
    letters = "".join(option[1:] for option in options)
    if path is None or not set(letters) <= set("1aAl") or any(o[:2] == "--" for o in options):
        return
    rows = output.rstrip("\n").split("\n") if output.strip() else []
    if "l" in letters:
        found = [match for row in rows if (match := _LONG.fullmatch(row))]
        if len(found) < len([row for row in rows if not row.startswith("total ")]):
            return
        names = [match[3].split(" -> ")[0] if match[1] == "l" else match[3] for match in found]
        kinds = [_TYPES.get(match[1], "other") for match in found]
        sizes = [int(match[2]) for match in found]
    elif session.form.tty and "1" not in letters:
        return
    else:
        names, kinds, sizes = rows, [None] * len(rows), [None] * len(rows)
    marked = any(
        "/" in one or one.startswith((" ", "'", '"')) or one.endswith(("*", "@", "=", "|"))
        for one in names
    )
    if names == [name] or marked or len(names) > LIMIT:
        return
    dots = bool(set(letters) & {"a", "A"})
    keep = [one for one in names if one not in (".", "..")]
    plain = session.files.sure(path)
    value = {"type": "dir", "entries": keep, "dots": dots, "plain": plain}
    session.files.put(path, value, origin)
    for one, kind, size in zip(names, kinds, sizes, strict=True):
        if kind is not None and one not in (".", ".."):
            _typed(session, path, one, kind, size, origin)


def _typed(
    session: Session, folder: str, name: str, kind: str, size: int | None, origin: FactOrigin
) -> None:
    """The type of a listed entry, where nothing better is known."""
    path = f"./{name}" if folder == HERE else posixpath.join(folder, name)
    if session.files.kind(path) == "unknown":
        value = {"type": kind, "content": None, "size": size, "plain": True}
        session.files.put(path, value, origin, complete=False)
