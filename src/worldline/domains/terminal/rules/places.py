"""What the known files allow: what is there, what is not, how large it is."""

import fnmatch
import posixpath
import re
from collections.abc import Iterator

from worldline.domains.terminal.observations import Complaint, parse_line
from worldline.domains.terminal.rules.asked import Asked, Claim, clusters, plain
from worldline.domains.terminal.rules.selection import selects
from worldline.domains.terminal.session import Session
from worldline.domains.terminal.shell.filefacts import join, volatile
from worldline.domains.terminal.shell.tables import TABLES
from worldline.facts import Fact

_ROW = re.compile(
    r"([-dlbcps])[rwxsStT-]{9}[.+@]? +\d+ +\S+ +\S+ +(\d+) +"
    r"(?:[A-Z][a-z]{2} +\d{1,2} +[\d:]{4,5}|\d{4}-\d\d-\d\d \d\d:\d\d) (.+)"
)
_NEEDS = {"sort", "stat", "python", "python3", "bash", "sh"} | set(TABLES["reads"])
_NEEDS -= {"test", "[", "readlink", "realpath", "grep", "egrep", "fgrep", "zgrep", "tr", "jq"}
_NEEDS -= {"cmp", "diff", "join", "comm", "paste"}
_KINDS = {"-": "file", "d": "dir", "l": "link"}


def places(session: Session, asked: Asked) -> Iterator[Claim]:
    """What is said to be missing though it is there, and the other way round."""
    first = plain(asked.commands[0])
    if first is None:
        return
    yield from _denied(session, asked, first)
    yield from _conjured(session, asked, first)
    if first[0] == "find" and all(map(selects, asked.after(0))):
        yield from _found(session, asked, first)
    if first[0] == "ls" and len(asked.commands) == 1:
        yield from _rows(session, asked, first)


def _path(session: Session, name: str) -> str | None:
    path = join(str(session.cwd.value) if session.cwd else None, name)
    return None if path is None or volatile(path) or session.files.crosses_link(path) else path


def _fact(session: Session, path: str) -> Fact | None:
    """What is at a path, if somebody else than a model has said so."""
    found = session.files.get(path)
    return None if found is None or found.origin == "model" else found


def _kind(session: Session, path: str, *, strict: bool = True) -> str:
    before = dict(session.files.used)
    session.files.used = {}
    kind = session.files.kind(path, strict=strict)
    heard = any(one.origin == "model" for one in session.files.used.values())
    session.files.used = before
    return "unknown" if heard else kind


def _denied(session: Session, asked: Asked, words: list[str]) -> Iterator[Claim]:
    """A program does not find what is certainly there."""
    if words[0] not in (*_NEEDS, "rm", "cd", "grep"):
        return
    for row in asked.complaints:
        found = parse_line(row)
        if not isinstance(found, Complaint) or found.reason != "No such file or directory":
            continue
        about = found.about or ""
        name = next((w for w in words[1:] if about.endswith((f"'{w}'", w)) and w[:1] != "-"), None)
        path = None if name is None or name.endswith("/") else _path(session, name)
        one = None if path is None else _fact(session, path)
        there = one is not None and one.value.get("type") in ("file", "dir")
        if path is not None and there and _kind(session, path) != "absent":
            yield Claim(
                "exists", f"{path} is there, but this says that it is not", row, (f"file:{path}",)
            )


def _conjured(session: Session, asked: Asked, words: list[str]) -> Iterator[Claim]:
    """A program shows something of a file that is certainly not there."""
    name, operands = words[0], [word for word in words[1:] if not word.startswith("-")]
    if name not in _NEEDS or len(operands) != 1 or not asked.lines or len(asked.commands) > 1:
        return
    if name in ("python", "python3", "bash", "sh") and words[1:2] != operands:
        return
    if len(words) > 2 and name not in ("ls", "cat", "stat", "wc"):
        return
    path = _path(session, operands[0])
    looks = name in ("ls", "stat", "file", "du", "tree")  # they see a link that leads nowhere
    if path is not None and _kind(session, path, strict=looks) == "absent":
        said = f"{operands[0]} is not there, but {name} says {asked.lines[0][:60]!r}"
        yield Claim("absent", said, asked.lines[0])


def _found(session: Session, asked: Asked, words: list[str]) -> Iterator[Claim]:
    """Paths that ``find`` prints although they are not there, or leaves out although they are."""
    tests = words[1:]
    kind = (
        {"f": "file", "d": "dir"}.get(tests[tests.index("-type") + 1], "")
        if ("-type" in tests[:-1])
        else ""
    )
    if {"-printf", "-exec", "-ls", "-o", "-or", "!", "-not", "(", "-fprintf"} & set(tests):
        return
    for row in asked.lines:
        path = _path(session, row)
        is_ = "unknown" if path is None else _kind(session, path)
        if is_ == "absent":
            yield Claim("absent", f"{row[:80]} is not there, but find names it", row)
            return
        if kind and is_ in ("file", "dir") and is_ != kind:
            yield Claim("kind", f"{row[:80]} is a {is_}, but -type asks for another", row)
            return
    yield from _left_out(session, asked, tests, kind)


def _left_out(session: Session, asked: Asked, tests: list[str], kind: str) -> Iterator[Claim]:
    """A file below the one root that must have been named is not."""
    root = tests[0] if tests and tests[0][:1] not in "-(!" else "."
    rest = tests[1:] if root != "." or tests[:1] == ["."] else tests
    pairs = dict(zip(rest[::2], rest[1::2], strict=False))
    simple = len(rest) % 2 == 0 and set(pairs) <= {"-type", "-name"} and kind in _TYPED
    simple = simple and (bool(kind) or "-type" not in pairs)
    top = _path(session, root)
    if top is None or not (session.files.sure(top) or top == "."):
        return  # find does not go into a link
    if not simple or len(asked.commands) > 1 or top is None or asked.complaints or not asked.whole:
        return
    shown = set(asked.lines)
    name = pairs.get("-name", "*")
    if set(name) & set("[\\"):
        return
    for one in session.files.facts.values():
        if one.kind != "file" or not one.key.startswith(top.rstrip("/") + "/"):
            continue
        row = root.rstrip("/") + one.key[len(top.rstrip("/")) :]
        fits = fnmatch.fnmatchcase(posixpath.basename(row), name) and row.isprintable()
        if not fits or row in shown or _kind(session, one.key) not in ((kind,) if kind else _SURE):
            continue
        if not _fact(session, one.key) or not all(_reaches(session, top, one.key)):
            continue
        if not kind or _no_link(session, one, kind):
            yield Claim(
                "missing", f"{row} is there and fits, but find does not name it", None, (one.id,)
            )
            return


def _no_link(session: Session, one: Fact, kind: str) -> bool:
    """Whether a name is no link to a file or directory, as far as the session saw it made."""
    mine = one.value.get("own") and not one.value.get("found")
    return bool(mine) or (session.files.regular if kind == "file" else session.files.sure)(one.key)


_SURE = ("file", "dir")
_TYPED = ("", "file", "dir")


def _reaches(session: Session, top: str, path: str) -> Iterator[bool]:
    """Whether each folder between is known to be one that opens, and no link."""
    while (path := posixpath.dirname(path)) not in (top, "/", ""):
        found = _fact(session, path)
        opens = found is not None and found.value.get("type") == "dir"
        yield opens and "mode" not in (found.value if found else ()) and session.files.sure(path)


def _rows(session: Session, asked: Asked, words: list[str]) -> Iterator[Claim]:
    """Rows of a long listing against sizes and kinds that are known."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    letters = set(clusters(words[1:]))
    if len(operands) > 1 or "l" not in letters or letters - set("lahAtrS1d"):
        return
    found = [match for row in asked.lines if (match := _ROW.fullmatch(row))]
    if any(match[3][0] in " '\"$" for match in found):  # names in quotes, the others indented
        return
    folder = operands[0] if operands else "."
    single = bool(operands) and (len(asked.lines) == 1 or "d" in letters)
    for match in found:
        name = match[3] if single else posixpath.join(folder, match[3])
        path = _path(session, name.partition(" -> ")[0])
        yield from _row(session, path, match, sized="h" not in letters) if path else ()


def _row(session: Session, path: str, row: re.Match[str], *, sized: bool) -> Iterator[Claim]:
    kind, shown, ids = _kind(session, path), _KINDS.get(row[1]), (f"file:{path}",)
    if kind == "absent":
        yield Claim("absent", f"{path} is not there, but ls lists it", row[0], ids)
    elif kind in ("file", "dir") and shown in ("file", "dir") and kind != shown:
        yield Claim("kind", f"{path} is a {kind}, but its row says {row[1]!r}", row[0], ids)
    text = session.files.content(path) if sized and shown == "file" else None
    if text is not None and text[1] and _fact(session, path) is not None:
        size = len(text[0].encode("utf-8", "surrogatepass"))
        if size != int(row[2]):
            yield Claim("size", f"{path} has {size} bytes, but its row says {row[2]}", row[0], ids)
