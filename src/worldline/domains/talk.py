"""Words about the answer: what a model says around an observation, and no environment does.

The same words may honestly stand in a file or a page; whoever asks says what the text may repeat.
Patterns are anchored at the start of a line and bounded, so a long text costs linear time.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_HEAD = r"[\s>*#_\"'`(-]{0,8}"
_THOUGHTS = re.compile(
    r"\s{0,8}<think(?:ing)?>(?:(?!</think).){0,20000}</think(?:ing)?>[ \t]{0,4}", re.DOTALL
)


class Talk(NamedTuple):
    """Words about the answer."""

    kind: str
    """``reasoning``, ``answer``, ``praise`` or ``apology``."""
    span: tuple[int, int]
    """``[start, end)`` in characters of the text."""


def talk(text: str) -> Talk | None:
    """What a text begins with, if these are words about the answer."""
    found = _pattern().match(text)
    return None if found is None else Talk(str(found.lastgroup), found.span())


def talks(text: str) -> list[Talk]:
    """Every line that begins with words about the answer."""
    places, at = [], 0
    for line in text.split("\n"):
        found = talk(line)
        if found is not None:
            places.append(Talk(found.kind, (at + found.span[0], at + found.span[1])))
        at += len(line) + 1
    return places


class Aside(NamedTuple):
    """An observation without the talk at its ends."""

    observation: str
    said: tuple[str, ...]
    """What was set aside, a line or a block of thoughts each."""


def set_aside(text: str, *, blanks: bool = True) -> Aside:
    """Cut whole lines of talk, and thoughts in tags, off both ends of an observation.

    Args:
        blanks: whether blank lines between talk and observation go too; they stay where the
            environment's own answer may begin with them.
    """
    said: list[str] = []
    thoughts = _THOUGHTS.match(text)
    if thoughts is not None:
        said.append(thoughts[0].strip())
        text = text[thoughts.end() :].removeprefix("\n")
        text = text.removeprefix("\n") if blanks else text
    lines = text.split("\n")
    first, more = _talk_at(lines, blanks and bool(said), blanks)
    said += more
    last, more = _talk_at(lines[first:][::-1], blanks and bool(said), blanks)
    said += more
    left = lines[first : len(lines) - last]
    return Aside("\n".join(left), tuple(line for line in said if line.strip()))


def _talk_at(lines: list[str], after_talk: bool, blanks: bool) -> tuple[int, list[str]]:
    """How many lines at the start go, and these."""
    gone = seen = 0
    for seen, line in enumerate(lines, 1):
        if talk(line):
            gone, after_talk = seen, True
        elif line.strip() or not after_talk:
            break
        elif blanks:
            gone = seen
    return gone, lines[:gone]


@cache
def _pattern() -> re.Pattern[str]:
    found = tomllib.loads(files("worldline.domains").joinpath("talk.toml").read_text("utf-8"))
    kinds: list[str] = []
    for kind, phrases in found["phrases"].items():
        pattern = "|".join(phrases)
        for name, words in found["words"].items():
            pattern = pattern.replace(f"{{{name}}}", words)
        kinds.append(f"(?P<{kind}>{_HEAD}(?:{pattern}))")
    return re.compile("|".join(kinds), re.IGNORECASE)
