"""Programs that pass on some lines of what they read: they invent none."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from worldline.domains.terminal.rules.asked import Asked, Claim, Words, clusters, pipeline, plain
from worldline.domains.terminal.session import Session
from worldline.domains.terminal.shell.filefacts import join

_SOURCES = ("cat", "sort", "head", "tail", "uniq", "tac", "shuf", "sed", "grep")
_ENDS_LINES = ("grep", "find", "ls", "sort", "uniq", "cut", "awk", "git", "du")
"""Programs whose every line has a line end."""
_SORTING = re.compile(r"-k[\d.,nrgbfdhVM]{1,20}|-t.|-[nrugVfbhd]{1,6}")


def selects(words: Words) -> bool:
    """Whether a command passes on lines of its input unchanged, reading nothing else."""
    found = plain(words)
    if not found:
        return False
    name, args = found[0], found[1:]
    letters = set(clusters(args))
    operands = [word for word in args if not word.startswith("-")]
    if any(word.startswith("--") for word in args):
        return False
    if name in ("head", "tail"):
        return letters <= set("nq0123456789") and all(one.lstrip("+").isdigit() for one in operands)
    if name == "sort":
        return all(map(_SORTING.fullmatch, args))
    if name in ("tac", "shuf"):
        return not args
    if name == "uniq":
        return not letters - set("du") and not operands
    if name == "grep":
        return not letters - set("viEFwx") and len(operands) == 1
    if name == "sed":
        return args[:1] == ["-n"] and len(args) == 2 and args[1].endswith("p") and _numbers(args[1])
    return name == "cat" and not args


def _numbers(script: str) -> bool:
    return script[:-1].replace(",", "").replace("$", "").isdigit()


def invented(session: Session, asked: Asked) -> Iterator[Claim]:
    """Lines that the text they must come from does not hold."""
    source = _source(session, asked)
    if source is None:
        return
    origin, rows, rest, open_ = source
    if open_ and (_taken(plain(rest[0]) or []) if rest else None) in (None, 0):
        return  # what hangs on how many blank lines follow is not known
    if rest and rest[-1] == ("wc", "-l") and all(map(selects, rest[:-1])):
        yield from _counted(asked, origin, rows, len(rest) == 1)
        return
    lined = _lined(rest)
    if lined or not all(map(selects, rest)):
        yield from _as_many(asked, origin, rows, rest) if lined else ()
        return
    held = Counter(_shown(row) for row in rows)
    for row in asked.lines:
        held[_shown(row)] -= bool(row.strip()) or not open_
        if held[_shown(row)] < 0:
            yield Claim("lines", f"{origin} holds no such line (so often): {row[:80]!r}", row)
            return
    first = plain(rest[0]) if rest else None
    if not open_ or (first and first[0] == "head" and (_taken(first) or 0) <= len(rows)):
        yield from _chosen(asked, origin, rows, rest)


def _shown(row: str) -> str:
    return row.expandtabs().rstrip(" \r")


class Source(NamedTuple):
    """Where lines come from."""

    name: str
    rows: list[str]
    rest: tuple[Words, ...]
    """The commands that work on them."""
    open: bool = False
    """A harness may have taken blank lines off their end."""


def _source(session: Session, asked: Asked) -> Source | None:
    """Where the lines come from: a file known in full, or the answer to the same beginning."""
    first = plain(asked.commands[0])
    if first is None:
        return None
    name = _operand(first)
    if name is not None:
        rest = _without(first, name)
        chain = (rest, *asked.commands[1:])
        path = join(str(session.cwd.value) if session.cwd else None, name)
        text = None if path is None else _held(session, path)
        if text is not None:
            rows = text.removesuffix("\n").split("\n") if text else []
            odd = session.form.tty and not text.replace("\t", "").replace("\n", "").isprintable()
            found = session.files.get(path or "")
            open_ = bool(found and found.value.get("open_end") and not found.complete)
            return None if odd else Source(name, rows, chain, open_)
        before = _answered(session, (("cat", name),))
        if before is not None:
            return Source(name, before, chain, _strips(session, "cat"))
    for size in range(len(asked.commands), 0, -1):
        before = _answered(session, asked.commands[:size])
        if before is not None:
            open_ = _strips(session, str(asked.commands[0][0]))
            return Source("the earlier answer", before, asked.commands[size:], open_)
    if first[:2] == ["grep", "-c"] and len(asked.commands) == 1:
        before = _answered(session, (("grep", *first[2:]),))
        if before is not None and not _strips(session, "grep"):
            return Source("the earlier answer", before, (("wc", "-l"),))
    return None


def _held(session: Session, path: str) -> str | None:
    """What a file holds, if somebody else than a model has said so.

    That it may have been changed through another name is no doubt as long as only new names came.
    """
    found, since = session.files.facts.get(f"file:{path}"), session.rewritten
    if found is None or found.origin == "model":
        return None
    still = since is not None and path.startswith("/") and (since == 0 or found.turn > since)
    fresh = session.files.get(path) is not None and found.value.get("open_end")
    if session.files.content(path) is None and not still and not fresh:
        return None
    whole = found.complete or found.value.get("open_end")
    whole = whole and found.value.get("type") == "file"
    content = found.value.get("content") if whole else None
    return content if isinstance(content, str) else None


_NAMES = ("ls", "find", "git", "du")
"""Programs that print no blank lines, so that none can be missing at an end."""


def _strips(session: Session, name: str) -> bool:
    """Whether a harness may have taken blank lines off the end of what a program printed."""
    strips = session.form.id in ("json", "hermes") and not session.harness.keeps_ends
    return strips and name not in _NAMES


def _answered(session: Session, commands: tuple[Words, ...]) -> list[str] | None:
    """The lines that the same pipeline printed before, nothing touched since."""
    for text, seen in session.seen.items():
        good = seen.origin != "model" and seen.result.code in (None, 0) and len(text) < 400
        same = good and text.lstrip().startswith(str(commands[0][0]))
        if same and pipeline(session, text) == commands:
            rows = (seen.result.output or "").rstrip("\n").split("\n")
            blank = rows == [""]
            words = tuple(f"{command[0]}: " for command in commands)
            odd = any(row.startswith(words) or "sh: " in row[:40] for row in rows)
            return None if odd else [] if blank else rows
    return None


def _operand(words: list[str]) -> str | None:
    """The one file that a program which passes on lines reads."""
    name, args = words[0], words[1:]
    if name not in (*_SOURCES, "wc") or any(word.startswith("--") for word in args):
        return None
    operands = [word for word in args if not word.startswith("-")]
    if name == "sed":
        operands = args[1:] if len(args) == 2 and args[0][:1] == "s" else args[2:]
    elif name == "grep":
        operands = operands[1:]
    elif name in ("head", "tail", "sort") and operands:
        operands = operands[-1:] if args[-1] == operands[-1] else []
        used = len([word for word in args if not word.startswith("-")]) - 1
        operands = operands if used == sum(a in ("-n", "-k", "-t") for a in args[:-1]) else []
    return operands[0] if len(operands) == 1 and operands[0] not in ("-", "") else None


def _without(words: list[str], name: str) -> Words:
    """The command as if it read the file from its input."""
    place = len(words) - 1 - words[::-1].index(name)
    return tuple(words[:place] + words[place + 1 :])


def _counted(asked: Asked, origin: str, rows: list[str], exact: bool) -> Iterator[Claim]:
    """A count of lines: no more than there are, and all of them if nothing was left out."""
    if len(asked.lines) != 1 or not (said := asked.lines[0].split()) or not said[0].isdigit():
        return
    sure = exact and asked.commands[0][0] in _ENDS_LINES and origin.startswith("the")
    if (sure and int(said[0]) != len(rows)) or int(said[0]) > len(rows):
        message = f"{origin} has {len(rows)} lines, but {said[0]} are counted"
        yield Claim("lines", message, asked.lines[0])


def _lined(rest: tuple[Words, ...]) -> bool:
    """Whether a single ``sed`` replaces text in each line and passes on all of them."""
    found = plain(rest[0]) if len(rest) == 1 else None
    return bool(found and found[0] == "sed" and len(found) == 2 and found[1][:2] == "s/")


def _as_many(
    asked: Asked, origin: str, rows: list[str], rest: tuple[Words, ...]
) -> Iterator[Claim]:
    script = str(rest[0][1])
    body = script[2:]
    simple = body.count("/") == 2 and "\\" not in body and body.rpartition("/")[2] in ("", "g")
    if simple and asked.whole and len(asked.lines) != len(rows) and rows and rows[-1].strip():
        message = f"{origin} has {len(rows)} lines and sed keeps them, but {len(asked.lines)} are"
        yield Claim("lines", message + " shown", asked.lines[0] if asked.lines else None)


def _chosen(asked: Asked, origin: str, rows: list[str], rest: tuple[Words, ...]) -> Iterator[Claim]:
    """Where only ``head`` and ``tail`` choose, these lines and no others."""
    kept = rows
    for words in rest:
        found = plain(words) or []
        count = _taken(found)
        if count is None:
            return
        kept = kept if count == 0 else kept[:count] if found[0] == "head" else kept[-count:]
    shown = [_shown(row) for row in asked.lines]
    wanted = [_shown(row) for row in kept]
    while wanted and not wanted[-1]:
        wanted.pop()
    if (
        asked.complaints
        or not asked.whole
        or shown == wanted
        or [one for one in shown if one] == wanted
    ):
        return
    odd = next((row for row in asked.lines if _shown(row) not in wanted), None)
    yield Claim("lines", f"of {origin} these lines are not the ones asked for", odd)


def _taken(words: list[str]) -> int | None:
    """How many lines ``head`` or ``tail`` takes; 0: all (``cat``); `None`: something else."""
    if words == ["cat"]:
        return 0
    if not words or words[0] not in ("head", "tail"):
        return None
    text = "".join(words[1:])
    if not text:
        return 10
    digits = text.removeprefix("-n") if text.startswith("-n") else text.removeprefix("-")
    return int(digits) if digits.isdigit() and 0 < int(digits) < 10**6 else None
