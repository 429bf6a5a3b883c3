"""Corruptions of the terminal domain; its benign variants are in `terminal_variants`."""

import re
from collections.abc import Callable
from random import Random

from worldline.domains.terminal.dialects.terminus2 import PROMPT, TITLES
from worldline.verify.corrupt.base import Corruption
from worldline.verify.corrupt.common import (
    NUMBER,
    TALK,
    WORD,
    other_number,
    other_word,
    places,
    share,
)
from worldline.verify.corrupt.terminal_text import Rows, fields, prompts, rows_of, steady
from worldline.verify.corrupt.terminal_variants import VARIANTS
from worldline.verify.measure import Moment

__all__ = ["CORRUPTIONS", "VARIANTS"]

_NAME = re.compile(r"\b[A-Za-z][\w-]{2,40}\.[a-z]{1,4}\b")
_REASONS = (
    "No such file or directory",
    "Permission denied",
    "Is a directory",
    "File exists",
    "Directory not empty",
    "command not found",
)
_HEAD = re.compile(r"\[File: ")
Change = Callable[[str, Random], str | None]


def _spots(
    moment: Moment, rng: Random, heaviness: float, pattern: re.Pattern[str], change: Change
) -> str | None:
    """Pieces of printed rows replaced."""
    rows = rows_of(moment)
    if rows is None:
        return None
    spots = [
        (place, match)
        for place in rows.printed
        if steady(moment, rows.all[place])
        for match in pattern.finditer(rows.all[place])
        if len(match[0].strip()) and not _HEAD.match(rows.all[place])
    ]
    spots = spots[:400]
    if not spots:
        return None
    new: dict[int, str | None] = {}
    for i in reversed(places(rng, len(spots), heaviness)):
        place, match = spots[i]
        row = new.get(place) or rows.all[place]
        text = change(match[0], rng)
        if text is not None:
            new[place] = row[: match.start()] + text + row[match.end() :]
    return rows.changed(new)


def numbers_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Numbers that a program printed are other ones of as many digits."""
    return _spots(moment, rng, heaviness, NUMBER, other_number)


def content_replaced(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Words that a program printed are other ones of the same length."""
    return _spots(moment, rng, heaviness, WORD, other_word)


def names_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Files that are named have other names of the same kind."""

    def other(name: str, rng: Random) -> str:
        stem, _, end = name.rpartition(".")
        return f"{other_word(stem, rng)}.{end}"

    return _spots(moment, rng, heaviness, _NAME, other)


def private_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """What nothing before this turn has shown is replaced by what sounds alike."""

    def other(word: str, rng: Random) -> str | None:
        known = not moment.seen.unseen(word, moment.turn, (moment.action,))
        return None if known else other_word(word, rng)

    return _spots(moment, rng, max(heaviness, 0.5), WORD, other)


def _reasons_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A failure has another reason."""

    def other(reason: str, rng: Random) -> str:
        return rng.choice([one for one in _REASONS if one != reason])

    return _spots(moment, rng, heaviness, re.compile("|".join(_REASONS)), other)


def line_dropped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Printed lines are missing; half of them at most."""
    rows = rows_of(moment)
    if rows is None or len(rows.printed) < 3:
        return None
    gone = places(rng, len(rows.printed), heaviness / 2)
    return rows.changed({rows.printed[i]: None for i in gone})


def truncated(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The output stops early; what stands around it does not."""
    rows = rows_of(moment)
    if rows is None or len(rows.printed) < 4:
        return None
    kept = max(1, int(len(rows.printed) * (0.9 - 0.6 * heaviness)))
    return rows.changed(dict.fromkeys(rows.printed[kept:]))


def line_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Lines like the others, which nobody printed."""
    rows = rows_of(moment)
    if rows is None or not rows.printed:
        return None
    new: dict[int, str | None] = {}
    for i in places(rng, len(rows.printed), heaviness):
        row = rows.all[rows.printed[i]]
        like = WORD.sub(lambda match: other_word(match[0], rng), row)
        like = like if like != row else f"{row} {other_word('more', rng)}"
        new[rows.printed[i]] = f"{row}\n{like}"
    return rows.changed(new)


def line_repeated(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Lines are printed twice."""
    rows = rows_of(moment)
    if rows is None or not rows.printed:
        return None
    some = [rows.printed[i] for i in places(rng, len(rows.printed), heaviness)]
    return rows.changed({place: f"{rows.all[place]}\n{rows.all[place]}" for place in some})


def stale_line(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Lines that are new say again what an earlier turn said."""
    rows = rows_of(moment)
    if rows is None or len(rows.printed) < 2:
        return None
    old = _earlier(moment, rows)
    fresh = [
        place
        for place in rows.printed
        if not moment.seen.line(rows.all[place], moment.turn) and steady(moment, rows.all[place])
    ]
    fresh = fresh[: min(len(old), len(rows.printed) - 1)]
    if not fresh:
        return None
    some = [fresh[i] for i in places(rng, len(fresh), heaviness)]
    return rows.changed(dict(zip(some, rng.sample(old, len(old)), strict=False)))


def _earlier(moment: Moment, rows: Rows) -> list[str]:
    """Lines that earlier answers of this session held, and this one does not."""
    memo, facts = moment.ledger.memo, moment.ledger.facts.values()
    texts = [seen.result.output or "" for seen in memo.seen.values()]
    texts += [str(one.value.get("content") or "") for one in facts if one.kind == "file"]
    lines = {line for text in texts for line in text.split("\n")}
    shown = {row.strip() for row in rows.all}
    return sorted(
        line
        for line in lines
        if line.strip() not in shown
        and moment.seen.line(line, moment.turn)
        and steady(moment, line)
        and not PROMPT.match(line)
    )


def wrong_cwd(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The prompts name another directory; without prompts, ``pwd`` and views do."""
    return _prompted(moment, rng, heaviness, "path") or _elsewhere(moment, rng)


def wrong_shell(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The prompts are another user's."""
    return _prompted(moment, rng, heaviness, "user")


def _prompted(moment: Moment, rng: Random, heaviness: float, what: str) -> str | None:
    found = prompts(moment)
    if not found:
        return None
    rows = moment.truth.split("\n")
    last_first = list(reversed(found))
    for place in last_first[: share(len(found), heaviness)]:
        match = PROMPT.match(rows[place])
        if match is None:
            continue
        start, end = match.span("path")
        if what == "user":
            start, end = match.start(), rows[place].index("@")
        old = rows[place][start:end]
        new = "operator" if what == "user" else f"{old.rstrip('/')}/{other_word('backup', rng)}"
        rows[place] = rows[place][:start] + new + rows[place][end:]
    return "\n".join(rows)


def _elsewhere(moment: Moment, rng: Random) -> str | None:
    match = re.match(r"\[File: (\S+)/\S+ \(\d+ lines", moment.truth)
    if match is not None:
        return (
            f"{moment.truth[: match.end(1)]}/{other_word('backup', rng)}"
            + (moment.truth[match.end(1) :])
        )
    if moment.action.strip() == "pwd" and moment.truth.startswith("/"):
        return f"{moment.truth.rstrip()}/{other_word('backup', rng)}\n"
    return None


def echo_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """What was typed is echoed otherwise."""
    rows = moment.truth.split("\n")
    typed = [place for place in prompts(moment) if WORD.search(_typed(rows[place]))]
    if not typed:
        return None
    for i in places(rng, len(typed), heaviness):
        place = typed[i]
        start = len(rows[place]) - len(_typed(rows[place]))
        match = rng.choice(list(WORD.finditer(rows[place], start)))
        word = other_word(match[0], rng)
        rows[place] = rows[place][: match.start()] + word + rows[place][match.end() :]
    return "\n".join(rows)


def _typed(row: str) -> str:
    match = PROMPT.match(row)
    return row[match.end() :] if match is not None else ""


def success_flipped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The exit code says the opposite; where there is none, a failure has another reason."""
    found = fields(moment)
    if found is None:
        return _reasons_changed(moment, rng, heaviness)
    value, back = found
    code, success = value.get("exit_code"), value.get("success")
    if isinstance(code, int):
        return back({**value, "exit_code": 0 if code else rng.choice((1, 2, 127))})
    return back({**value, "success": not success}) if isinstance(success, bool) else None


def frame_broken(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The form of the dialect is another: no title, JSON left open, a view without its head."""
    truth = moment.truth
    first, _, rest = truth.partition("\n")
    if moment.ledger.dialect == "terminus2" and first in TITLES:
        return rest.lstrip("\n")
    if truth.startswith("[File: "):
        return truth.replace("[File: ", "File ", 1)
    found = fields(moment)
    if found is None:
        return None
    value, back = found
    if heaviness > 0.5:
        truth = back({f"{name}_text": inner for name, inner in value.items()})
    return truth.rstrip().removesuffix("}")


def tags_leaked(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Thoughts in tags stand before the answer."""
    thought = "<think>It ran before, so it prints the same again.</think>\n"
    return thought * share(2, heaviness) + moment.truth


CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("line_dropped", "quality", line_dropped),
    Corruption("line_invented", "quality", line_invented),
    Corruption("line_repeated", "quality", line_repeated),
    Corruption("truncated", "quality", truncated),
    Corruption("numbers_changed", "factuality", numbers_changed),
    Corruption("content_replaced", "factuality", content_replaced),
    Corruption("names_changed", "factuality", names_changed),
    Corruption("private_invented", "factuality", private_invented),
    Corruption("success_flipped", "factuality", success_flipped),
    Corruption("stale_line", "consistency", stale_line),
    Corruption("wrong_cwd", "consistency", wrong_cwd),
    Corruption("wrong_shell", "consistency", wrong_shell),
    Corruption("echo_changed", "consistency", echo_changed),
    Corruption("frame_broken", "format", frame_broken),
    *TALK,
    Corruption("tags_leaked", "realism", tags_leaked),
)
