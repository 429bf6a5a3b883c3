"""Corruptions and benign variants of the os domain: rows of a table, and what terminals say."""

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random

from worldline.verify.corrupt.base import Corruption, Variant
from worldline.verify.corrupt.common import (
    TALK,
    TRUNCATED,
    Change,
    line_pairs,
    lines_changed,
    other_number,
    other_word,
    places,
    replaced,
)
from worldline.verify.measure import Moment

_TABS = 6
_SIZE = re.compile(r"\(-?\d+, -?\d+\)$")
_WORD = re.compile(r"[A-Za-z]{3,}")
_NUMBER = re.compile(r"\d+")
_PROMPT = re.compile(r"(?m)(?<![^\n\t])([\w.-]{1,80})@([\w.-]{1,80}):([^\s$#]{0,200})([$#])")
_TYPED = re.compile(_PROMPT.pattern + r" ([^\n\t]{3,})")
_TERMINAL = re.compile(r"(?m)^terminal\t[^\t]*\t")
_KINDS = ("label", "push-button", "link", "static", "section", "image")
_ZERO_WIDTH = "\u200b"


def _rows(lines: Sequence[str]) -> list[int]:
    """The lines that are whole rows, the names of the columns apart."""
    return [i for i, line in enumerate(lines) if _whole(line)]


def _whole(line: str) -> bool:
    return line.count("\t") == _TABS and not line.startswith("\t") and bool(_SIZE.search(line))


def _changed(moment: Moment, rng: Random, heaviness: float, change: Change) -> str | None:
    """Some rows made other ones."""
    return lines_changed(moment.truth, _rows(moment.truth.split("\n")), rng, heaviness, change)


def _kind(change: Change) -> Callable[[Moment, Random, float], str | None]:
    return lambda moment, rng, heaviness: _changed(moment, rng, heaviness, change)


def _other_name(line: str, rng: Random) -> str | None:
    """Words of name and text are others of the same length, the same in both."""
    kind, name, text, *rest = line.split("\t")
    if not _WORD.search(name + text):
        return None
    known: dict[str, str] = {}

    def other(word: re.Match[str]) -> str:
        return known.setdefault(word[0], other_word(word[0], rng))

    return "\t".join([kind, _WORD.sub(other, name), _WORD.sub(other, text), *rest])


def _other_place(line: str, rng: Random) -> str | None:
    *told, at, size = line.split("\t")
    numbers = list(_NUMBER.finditer(at))
    one = rng.choice(numbers)
    at = at[: one.start()] + other_number(one[0], rng) + at[one.end() :]
    return "\t".join([*told, at, size])


def _other_kind(line: str, rng: Random) -> str | None:
    kind, _, rest = line.partition("\t")
    return "\t".join([rng.choice([one for one in _KINDS if one != kind]), rest])


def _column_lost(line: str, rng: Random) -> str | None:
    return line.replace("\t\t\t", "\t\t", 1)


def _signs_lost(line: str, rng: Random) -> str | None:
    return line.replace(_ZERO_WIDTH, "") if _ZERO_WIDTH in line else None


def node_missing(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Rows are gone, half at most."""
    lines = moment.truth.split("\n")
    able = _rows(lines)
    if len(able) < 3:
        return None
    gone = {able[i] for i in places(rng, len(able), heaviness / 2)}
    return "\n".join(line for i, line in enumerate(lines) if i not in gone)


def node_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Rows come a second time under another name, in the same place."""
    lines = moment.truth.split("\n")
    able = [i for i in _rows(lines) if _other_name(lines[i], rng)]
    if not able:
        return None
    for i in reversed(places(rng, len(able), heaviness / 2)):
        lines.insert(able[i] + 1, _other_name(lines[able[i]], rng) or "")
    return "\n".join(lines)


def _matches(
    pattern: re.Pattern[str], change: Callable[[re.Match[str], Random], str]
) -> Callable[[Moment, Random, float], str | None]:
    """Some places of the text that fit a pattern made others, from the last one on."""

    def make(moment: Moment, rng: Random, heaviness: float) -> str | None:
        found = list(pattern.finditer(moment.truth))
        return replaced(moment.truth, found, rng, heaviness, lambda one: change(one, rng))

    return make


def _other_cwd(found: re.Match[str], rng: Random) -> str:
    place = found[3].rstrip("/")
    return f"{found[1]}@{found[2]}:{place}/{rng.choice(('src', 'data', 'old'))}{found[4]}"


def _other_user(found: re.Match[str], rng: Random) -> str:
    return f"{other_word(found[1], rng)}@{found[2]}:{found[3]}{found[4]}"


def _other_echo(found: re.Match[str], rng: Random) -> str:
    typed = _WORD.sub(lambda word: other_word(word[0], rng), found[5])
    return found[0][: -len(found[5])] + (typed if typed != found[5] else f"{typed}s")


def output_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Words that a terminal printed are others."""
    lines = list(_printed(moment.truth))
    if not lines:
        return None
    text = moment.truth
    for i in reversed(places(rng, len(lines), heaviness)):
        start, end = lines[i]
        said = _WORD.sub(lambda word: other_word(word[0], rng), text[start:end])
        text = text[:start] + said + text[end:]
    return text


def _printed(text: str) -> Iterator[tuple[int, int]]:
    """Where lines of terminals stand that are no prompts."""
    for terminal in _TERMINAL.finditer(text):
        at = terminal.end()
        for line in text[at:].split("\n"):
            if "\t\t\t(" in line or line.startswith("terminal\t"):
                break
            if _WORD.search(line) and not _PROMPT.match(line):
                yield at, at + len(line)
            at += len(line) + 1


def stale_state(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Rows that the action changed are as they were before."""
    if moment.before is None:
        return None
    old, new = moment.before.split("\n"), moment.truth.split("\n")
    pairs = line_pairs(old, new)
    whole = set(_rows(new))
    known = set(old)
    pairs = [(a, c) for a, c in pairs if c in whole and new[c] not in known and _whole(old[a])]
    if not pairs:
        return None
    for i in places(rng, len(pairs), heaviness):
        was, now = pairs[i]
        new[now] = old[was]
    return "\n".join(new)


def header_lost(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The line of column names is gone, or names other columns."""
    header, newline, rest = moment.truth.partition("\n")
    if not newline or header.count("\t") != _TABS:
        return None
    return rest if heaviness else header.replace("\t", " | ") + newline + rest


def _anew(pattern: str, values: Sequence[str]) -> Callable[[Moment, Random], str | None]:
    """Runtime metadata that a terminal shows is another."""
    find = re.compile(pattern)

    def make(moment: Moment, rng: Random) -> str | None:
        start = _TERMINAL.search(moment.truth)
        if start is None:
            return None
        head, rest = moment.truth[: start.end()], moment.truth[start.end() :]
        text, end, more = rest.partition("\t\t\t(")
        return head + find.sub(lambda _: rng.choice(values), text) + end + more

    return make


def prompt_blank(moment: Moment, rng: Random) -> str | None:
    """The blank behind an empty prompt is not there."""
    return re.sub(r"(@[\w.-]{1,80}:[^\s$#]{0,200}[$#]) (?=\n)", r"\1", moment.truth)


_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("node_missing", "quality", node_missing),
    Corruption("node_invented", "quality", node_invented),
    TRUNCATED,
    Corruption("name_replaced", "factuality", _kind(_other_name)),
    Corruption("place_changed", "factuality", _kind(_other_place)),
    Corruption("kind_changed", "factuality", _kind(_other_kind)),
    Corruption("signs_lost", "factuality", _kind(_signs_lost)),
    Corruption("output_changed", "factuality", output_changed),
    Corruption("wrong_cwd", "consistency", _matches(_PROMPT, _other_cwd)),
    Corruption("wrong_user", "consistency", _matches(_PROMPT, _other_user)),
    Corruption("echo_changed", "consistency", _matches(_TYPED, _other_echo)),
    Corruption("stale_state", "consistency", stale_state),
    Corruption("column_lost", "format", _kind(_column_lost)),
    Corruption("header_lost", "format", header_lost),
    *TALK,
)
VARIANTS: tuple[Variant, ...] = (
    Variant("line_end", lambda moment, rng: moment.truth + "\n"),
    Variant("prompt_blank", prompt_blank),
    Variant(
        "new_date", _anew(rf"{_MONTH}  ?\d{{1,2}} \d\d:\d\d\b", ("Jun 12 09:41", "Feb  3 17:05"))
    ),
    Variant("new_stamp", _anew(r"\[\d+:\d+:\d{4}/\d{6}\.\d+", ("[812:830:0614/101502.118204",))),
    Variant("new_time_left", _anew(r"\b\d:\d\d:\d\d\b", ("0:00:02", "0:00:11"))),
    Variant("new_speed", _anew(r"\b\d+(?:\.\d+)? [kM]B/s", ("3.1 MB/s", "640 kB/s"))),
)
