"""The think and answer tags in a reply's text: which pair up, and what lies between them.

Opening and closing answer tags pair by nesting. A walk from left to right then passes over whole
blocks, whose content is the observation's, and keeps thoughts and answer apart. `worldline.extract`
has the rules; this is the machinery, linear in the length of the text.
"""

import re
from typing import NamedTuple

import msgspec

from worldline.domains.common import ANSWER_TAG

_TAG = re.compile(rf"<\s*+(/?)\s*+(thinking|think|{ANSWER_TAG})\s*+>", re.IGNORECASE | re.ASCII)
_BLANKS = re.compile(r"\s*+")


class Tag(NamedTuple):
    """One tag: whether it opens, whether it is a think tag, and its bounds in the text."""

    opens: bool
    thinks: bool
    start: int
    end: int


class Outline(msgspec.Struct, kw_only=True):
    """What a walk over a text's tags found. Numbers of tags are indices into `tags`."""

    text: str
    tags: list[Tag]
    partners: list[int | None]
    """For each answer tag the one it pairs with by nesting; think tags have none."""
    answer: int = 0
    """Where the answer begins: after the last thoughts."""
    lead: int = 0
    """Its first character that is not blank."""
    thoughts: list[tuple[int, int]] = []
    """Bounds of the thoughts that ended."""
    thinking: int | None = None
    """The opening think tag that nothing closes."""
    block: tuple[int, int] | None = None
    """Tags of the answer's last complete block."""
    block_leads: bool = False
    """Whether a complete block opens the answer."""
    opener: int | None = None
    """A later opening tag that has no partner."""
    opener_leads: bool = False
    stray: int | None = None
    """A later closing tag that has no partner in the answer."""

    def start_answer(self, at: int) -> None:
        """The answer begins (anew) at this position."""
        self.answer, self.lead = at, blanks_end(self.text, at)
        self.opener = self.stray = None

    def blank_until(self, tag: int, at: int) -> bool:
        """Whether only blanks stand between the end of a tag and a later position."""
        return blanks_end(self.text, self.tags[tag].end) >= at


def outline(text: str) -> Outline:
    """Walk the tags from left to right, over whole blocks, whose content is not looked at."""
    tags = [Tag(not m[1], m[2][0] in "tT", m.start(), m.end()) for m in _TAG.finditer(text)]
    found = Outline(text=text, tags=tags, partners=_partners(tags))
    found.start_answer(0)
    i = -1
    while (i := i + 1) < len(tags):
        tag, partner = tags[i], found.partners[i]
        if found.thinking is not None:
            if tag.thinks and not tag.opens:
                found.thoughts.append((tags[found.thinking].end, tag.start))
                found.thinking = None
                found.start_answer(tag.end)
        elif tag.thinks and tag.opens:
            found.thinking = i
        elif tag.thinks:  # nothing opened these thoughts: all before were thoughts, drafts included
            found.thoughts = [(0, tag.start)]
            found.block, found.block_leads = None, False
            found.start_answer(tag.end)
        elif not tag.opens:
            found.stray = i
        elif partner is not None:
            found.block, found.opener, found.stray = (i, partner), None, None
            found.block_leads |= tag.start == found.lead
            i = partner
        elif tag.start == found.lead and _stutters(found, i):
            found.lead = tags[i + 1].start
        else:
            found.opener = i
            found.opener_leads = tag.start == found.lead
            if found.opener_leads:
                break
    return found


def _partners(tags: list[Tag]) -> list[int | None]:
    partners: list[int | None] = [None] * len(tags)
    open_tags: list[int] = []
    for i, tag in enumerate(tags):
        if tag.thinks:
            continue
        if tag.opens:
            open_tags.append(i)
        elif open_tags:
            first = open_tags.pop()
            partners[first], partners[i] = i, first
    return partners


def _stutters(found: Outline, i: int) -> bool:
    """Whether another opening tag follows this one with only blanks in between."""
    following = found.tags[i + 1] if i + 1 < len(found.tags) else None
    return (
        following is not None
        and following.opens
        and not following.thinks
        and found.blank_until(i, following.start)
    )


def blanks_end(text: str, at: int) -> int:
    """Where the blanks that begin at a position end."""
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def without_think_tags(text: str) -> str:
    """The text without its think tags."""
    return _TAG.sub(lambda tag: "" if tag[2][0] in "tT" else tag[0], text)
