"""Corruptions and benign variants of the swe domain.

What is said is broken inside the frame of the dialect, so that only `frame_broken` breaks a frame.
"""

import re
from collections.abc import Callable
from random import Random

from worldline.verify.corrupt import common
from worldline.verify.corrupt.base import Corruption, Variant
from worldline.verify.corrupt.common import TALK, places, replaced
from worldline.verify.corrupt.swe_frame import NAMED, inside
from worldline.verify.measure import Moment

_READ = re.compile(r'"name": "(?:Read|read|read_file)"|\A(?:open|goto|scroll_\w{2,4})\b')
_NUMBERED = re.compile(r"(?m)^ {0,9}(\d{1,9})(?:\t|→|: ?|\|)")
_NUMBER = re.compile(r"(?<![\w.:/-])\d{1,9}(?![\w.:/-])")
_WORD = re.compile(r"[A-Za-z]{3,}")
_INDENT = re.compile(r"(?m)(?:^|(?<=\d[\t:→|])|(?<=\d: )) {4}(?=[A-Za-z_@#\"'])")
_CODE = re.compile(
    r"\A<returncode>(-?\d{1,9})</|\AExit code (\d{1,3})(?:\n|\Z)|\"exit_code\": (-?\d{1,9})"
    r"|(?:\n\n)?Command exited with code (\d{1,3})\s{0,4}\Z"
)
_FRAME = re.compile(
    r"</?(?:returncode|output|path|type|content|tool_use_error)>|\"[a-z_]{2,20}\": |\[File: "
)
_TESTS = re.compile(r"\b\d{1,6}(?= (?:passed|failed|errors?|skipped|tests?|items?|subtests)\b)")
_ERROR = re.compile(r"\b[A-Z][A-Za-z]{2,30}(?:Error|Exception)\b")
_ERRORS = ("KeyError", "TypeError", "ValueError", "IndexError", "AttributeError", "OSError")
_TELLING = 12
"""Characters of a line that is telling."""


def _read(moment: Moment) -> bool:
    """Whether the lines have numbers because a file is shown."""
    edits = moment.ledger.dialect == "aci" and moment.action.startswith(("edit", "create"))
    return edits or _READ.search(moment.action) is not None


def numbers_changed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Numbers are other ones of as many digits; those of a read's lines stay."""
    read = _NUMBERED.finditer(moment.truth) if _read(moment) else ()
    fixed = {one.start(1) for one in read}
    found = [one for one in _NUMBER.finditer(moment.truth) if one.start() not in fixed]
    return replaced(
        moment.truth, found, rng, heaviness, lambda old: common.other_number(old[0], rng)
    )


def indented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Code stands further in than it does."""
    found = list(_INDENT.finditer(moment.truth))
    return replaced(moment.truth, found, rng, heaviness, lambda old: old[0] + "    ")


def tests_miscounted(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A summary of tests counts others than there were."""
    found = list(_TESTS.finditer(moment.truth))
    return replaced(
        moment.truth, found, rng, heaviness, lambda old: str(int(old[0]) + rng.randint(1, 4))
    )


def error_renamed(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Another exception than the one that was raised."""
    found = list(_ERROR.finditer(moment.truth))
    return replaced(
        moment.truth,
        found,
        rng,
        heaviness,
        lambda old: rng.choice([one for one in _ERRORS if one != old[0]]),
    )


def line_invented(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Lines that are not there follow: as the others, but for their words."""
    lines = moment.truth.rstrip("\n").split("\n")
    full = [line for line in lines if len(_WORD.findall(line)) >= 2]
    if not full:
        return None
    last = _NUMBERED.match(lines[-1]) if _read(moment) else None
    for count in range(1, 2 + round(heaviness * len(full))):
        words = _NUMBERED.sub("", rng.choice(full)) if last else rng.choice(full)
        words = _WORD.sub(lambda one: common.other_word(one[0], rng), words)
        head = last[0].replace(last[1], str(int(last[1]) + count)) if last else ""
        lines.append(head + words)
    return "\n".join(lines)


def stale_lines(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """Lines are others that the session showed before, no longer what is there."""
    kept = [line for part in moment.ledger.memo.parts.values() for line in part.lines.values()]
    old = [line for line in kept if _old(moment, line) and line not in moment.truth]
    lines = moment.truth.split("\n")
    heads = [_NUMBERED.match(line) if _read(moment) else None for line in lines]
    bare = [line[head.end() if head else 0 :] for line, head in zip(lines, heads, strict=True)]
    fresh = [
        i
        for i, line in enumerate(bare)
        if len(line.strip()) >= _TELLING and not moment.seen.line(line, moment.turn)
    ]
    if len(fresh) < 2 or not old:
        return None
    for i in places(rng, len(fresh), heaviness):
        head = heads[fresh[i]]
        lines[fresh[i]] = (head[0] if head else "") + rng.choice(old)
    return "\n".join(lines)


def _old(moment: Moment, line: str) -> bool:
    return len(line.strip()) >= _TELLING and moment.seen.line(line, moment.turn)


def renumbered(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A read begins with another number than the one it was asked to begin with."""
    found = list(_NUMBERED.finditer(moment.truth))
    if not _read(moment) or len(found) < 2:
        return None
    text, by = moment.truth, 1 + round(heaviness * 40)
    for one in reversed(found):
        text = text[: one.start(1)] + str(int(one[1]) + by) + text[one.end(1) :]
    return text


def other_path(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """The answer names another file or directory than the one that was asked about."""
    text, found = moment.truth, list(NAMED.finditer(moment.truth))
    if moment.action.strip() == "pwd" or '"command": "pwd"' in moment.action:
        found = [*re.finditer(r"(?m)^(/[^\n]{1,400})$", text)]
    if not found:
        return None
    for i in reversed(places(rng, len(found), heaviness)):
        span = next(found[i].span(n) for n in range(1, 7) if found[i][n] is not None)
        words = list(_WORD.finditer(text, *span))
        if not words:
            return None
        word = rng.choice(words)
        text = text[: word.start()] + common.other_word(word[0], rng) + text[word.end() :]
    return text


def success_flipped(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """What failed has succeeded, or the other way round."""
    text, dialect = moment.truth, moment.ledger.dialect
    found = _CODE.search(text)
    if found is not None:
        place = next(n for n in range(1, 5) if found[n] is not None)
        if place in (2, 4):
            return text[: found.start()] + text[found.end() :]
        code = "0" if found[place] != "0" else rng.choice(("1", "2", "127"))
        return text[: found.start(place)] + code + text[found.end(place) :]
    if dialect == "claude-code" and '"name": "Bash"' in moment.action and text[:1] != "<":
        return f"Exit code 1\n{text}"
    if dialect == "pi" and '"name": "bash"' in moment.action and text != "(no output)":
        return f"{text}\n\nCommand exited with code 1"
    return None


def frame_broken(moment: Moment, rng: Random, heaviness: float) -> str | None:
    """A tag, the name of a field or the head of a view is missing, or all of them."""
    text = moment.truth
    if not text.startswith(("<", '{"', "[File: ")):
        return None
    found = [*_FRAME.finditer(text)]
    ends = [one for one in found if one.start() < 120 or one.end() > len(text.rstrip()) - 60]
    return replaced(text, ends, rng, heaviness, lambda old: "")


CORRUPTIONS: tuple[Corruption, ...] = (
    Corruption("line_dropped", "quality", inside(common.line_dropped)),
    Corruption("truncated", "quality", inside(common.truncated)),
    Corruption("line_invented", "quality", inside(line_invented)),
    Corruption("numbers_changed", "factuality", inside(numbers_changed)),
    Corruption("content_replaced", "factuality", inside(common.content_replaced)),
    Corruption("indented", "factuality", inside(indented)),
    Corruption("tests_miscounted", "factuality", inside(tests_miscounted)),
    Corruption("error_renamed", "factuality", inside(error_renamed)),
    Corruption("success_flipped", "factuality", success_flipped),
    Corruption("stale_lines", "consistency", inside(stale_lines)),
    Corruption("renumbered", "consistency", inside(renumbered)),
    Corruption("other_path", "consistency", other_path),
    Corruption("frame_broken", "format", frame_broken),
    *TALK,
)


# benign


def _other(pattern: str, new: Callable[[re.Match[str], Random], str]) -> Callable[..., str | None]:
    """A variant in which each match is another one of its kind."""
    compiled = re.compile(pattern)

    def made(moment: Moment, rng: Random) -> str | None:
        if compiled.search(moment.truth) is None:
            return None
        return compiled.sub(lambda one: new(one, rng), moment.truth)

    return made


def _hex(text: str, rng: Random) -> str:
    return "".join(rng.choice("0123456789abcdef") for _ in text)


def _digits(text: str, rng: Random) -> str:
    return re.sub(r"\d", lambda _: str(rng.randint(1, 9)), text)


VARIANTS: tuple[Variant, ...] = (
    Variant(
        "duration", _other(r"\b\d{1,4}\.\d{1,3}(?=s\b)", lambda one, rng: _digits(one[0], rng))
    ),
    Variant("address", _other(r"(?<=0x)[0-9a-f]{8,16}\b", lambda one, rng: _hex(one[0], rng))),
    Variant(
        "commit", _other(r"(?<=\[main )[0-9a-f]{7}(?=\] )", lambda one, rng: _hex(one[0], rng))
    ),
    Variant(
        "blobs",
        _other(
            r"(?<=\bindex )([0-9a-f]{7,12})\.\.([0-9a-f]{7,12})",
            lambda one, rng: f"{_hex(one[1], rng)}..{_hex(one[2], rng)}",
        ),
    ),
    Variant(
        "clock",
        _other(
            r"\b\d\d:\d\d:\d\d\b",
            lambda one, rng: f"{rng.randint(10, 23)}:{rng.randint(10, 59)}:07",
        ),
    ),
    Variant("temporary", _other(r"(?<=/tmp/tmp)\w{8}\b", lambda one, rng: _hex(one[0], rng))),
    Variant(
        "listed",
        _other(
            r"\b[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d(?!:)",
            lambda one, rng: f"May {rng.randint(10, 28)} 1{rng.randint(0, 9)}:07",
        ),
    ),
    Variant("blank_ends", lambda moment, rng: moment.truth.rstrip() + "\n\n"),
)
