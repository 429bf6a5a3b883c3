"""How much a program prints, what its numbers add up to, in which order its lines stand."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from worldline.domains.terminal.rules.asked import Asked, Claim, Words, clusters, plain
from worldline.domains.terminal.rules.selection import selects
from worldline.domains.terminal.session import Session

_COUNT = re.compile(r"-n?(\d{1,6})")
_PRINTED = re.compile(r"(\d{1,7})(?:,(\d{1,7}))?p")
_NUMBER = re.compile(r"[ \t]*(-?\d{1,15}(?:\.\d{1,15})?)?")
_NUMBERED = re.compile(r" *(\d+)\s")


_SPEAK = {"pwd", "date", "whoami", "wc", "df", "ps", "stat", "uname", "id", "hostname", "uptime"}


def mute(session: Session, asked: Asked) -> Iterator[Claim]:
    """A program that either prints something or complains did neither."""
    words = plain(asked.commands[0])
    if asked.lines or asked.complaints or not asked.whole or len(asked.commands) > 1 or not words:
        return
    speaks = words[0] in _SPEAK and len(words) == 1
    speaks = speaks or words in (["git", "status"], ["git", "log"], ["git", "log", "--oneline"])
    if speaks and session.harness.shows_errors and not session.form.tty:
        yield Claim("mute", f"{' '.join(words)} prints something or fails, and here is nothing")


def counts(session: Session, asked: Asked) -> Iterator[Claim]:
    """More lines than were asked for, sums that do not add up, lines out of order."""
    for place, words in enumerate(asked.commands):
        found, rest = plain(words), asked.after(place)
        if not all(map(selects, rest)):
            continue
        if words and words[0] == "wc":
            yield from _wc(words, asked.lines, whole=asked.whole and not rest)
        if found is None:
            continue
        limit = most(found)
        if limit is not None and len(asked.lines) > limit:
            said = f"{found[0]} prints at most {limit} lines, but here are {len(asked.lines)}"
            yield Claim("count", said, asked.lines[limit])
        if all(map(_keeps_order, rest)):
            yield from _order(session, found, asked.lines, cut=all(map(_cuts, rest)))


def most(words: list[str]) -> int | None:
    """The most lines that a command can print; `None`: no bound."""
    name, args = words[0], words[1:]
    if name in ("head", "tail"):
        args = ["".join(args[:2]), *args[2:]] if args[:1] == ["-n"] else args
        match = _COUNT.fullmatch(args[0]) if args else None
        rest = args[1:] if match else args
        if len(rest) > 1 or any(one.startswith(("-", "+")) for one in rest):
            return None
        return int(match[1]) if match else 10
    if name == "sed" and args[:1] == ["-n"] and 2 <= len(args) <= 3:
        match = _PRINTED.fullmatch(args[1])
        return max(int(match[2] or match[1]) - int(match[1]) + 1, 1) if match else None
    if name == "wc" and len(args) <= 2 and len([one for one in args if one[:1] != "-"]) <= 1:
        return 1
    if name == "grep" and len(args) in (2, 3) and args[0] == "-c":
        return 1
    return None


def _wc(words: Words, lines: tuple[str, ...], *, whole: bool) -> Iterator[Claim]:
    odd = next((row for row in lines if not re.match(r" *\d+(?: |$)", row)), None)
    if odd is not None:
        said = f"wc prints counts, but this says {odd[:80]!r}"
        yield Claim("shape", said, odd, severity="error" if odd == lines[0] else "warning")
        return
    letters = set(clusters([word for word in words[1:] if word]))
    if not whole or len(lines) < 3 or "L" in letters or not lines[-1].endswith(" total"):
        return
    columns = len(letters) or 3
    table = [row.split(None, columns)[:columns] for row in lines]
    if not all(len(row) == columns and all(one.isdigit() for one in row) for row in table):
        return
    for column in zip(*table, strict=True):
        *parts, total = map(int, column)
        if sum(parts) != total:
            said = f"the counts add up to {sum(parts)}, but the total says {total}"
            yield Claim("total", said, lines[-1])
            return


def _order(
    session: Session, words: list[str], lines: tuple[str, ...], *, cut: bool
) -> Iterator[Claim]:
    name, letters = words[0], set(clusters(words[1:]))
    long = any(word.startswith(("--", "+")) for word in words)
    if name == "sort" and not long and letters <= set("nru"):
        yield from _sorted(session, letters, lines)
    twice = next((one for one, other in pairwise(lines) if one == other), None)
    once = (name == "uniq" and len(words) == 1) or (name == "sort" and "u" in letters)
    if once and cut and twice is not None and not session.form.tty:
        yield Claim("order", f"{name} leaves no line twice, but {twice[:60]!r} is", twice)
    repeated = next((row for row, n in Counter(lines).items() if n > 1 and row), None)
    whole = repeated is not None and repeated[:1] in "./"  # else perhaps a piece of a name
    if name == "find" and repeated is not None and whole and _one_root(words):
        yield Claim("order", f"find names each path once, but {repeated[:60]!r} twice", repeated)
    if name == "cat" and words[1:2] == ["-n"] and cut:
        numbers = [int(match[1]) for row in lines if (match := _NUMBERED.match(row))]
        if len(numbers) == len(lines) and any(b - a != 1 for a, b in pairwise(numbers)):
            yield Claim("order", "cat -n numbers line after line", lines[0])


def _one_root(words: list[str]) -> bool:
    start = next((i for i, word in enumerate(words) if word[:1] in "-(!"), len(words))
    odd = {"-exec", "-printf", "-o", "-or", "-ls", "-execdir", ",", "-fprint", "-ok", "("}
    return start <= 2 and not odd & set(words)


def _sorted(session: Session, letters: set[str], lines: tuple[str, ...]) -> Iterator[Claim]:
    if "n" in letters:
        keys = [float((match[1] if (match := _NUMBER.match(row)) else None) or 0) for row in lines]
    else:
        locale = session.people.get("locale")
        if locale is None or not str(locale.value).startswith("C") or session.form.tty:
            return
        keys = [row.encode("utf-8", "surrogatepass") for row in lines]
    down = "r" in letters
    for number, (one, other) in enumerate(pairwise(keys), 1):
        wrong = one < other if down else one > other  # type: ignore[operator]
        if wrong:
            said = f"sort puts {lines[number][:60]!r} before the line above it"
            yield Claim("order", said, lines[number])
            return


def _keeps_order(words: Words) -> bool:
    return words[0] not in ("sort", "tac", "shuf")


def _cuts(words: Words) -> bool:
    """Whether a command passes on a run of lines without gaps."""
    return words[0] in ("head", "tail", "cat")
