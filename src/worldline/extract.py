"""The observation inside a reply's text: the one parser for thoughts and tags.

A reply is thoughts, then the observation, which is tagged or bare::

    <think>ls of an empty folder prints nothing but ...</think>

    <predicted_observation>
    total 0
    </predicted_observation>

Models break every part of this, and an observation may itself hold such tags (a `cat` of a prompt
file). Tags match in any case and with blanks inside; opening and closing tags pair up by nesting.

* **Thoughts** end at the last closing think tag that is not inside an observation block. So an
  opening tag may be missing (the chat template sent it), doubled or nested. Thoughts that never
  end are no answer, unless the reply ends in a complete block: then only the closing tag was lost.
* **The last complete outermost block wins.** Whatever stands inside it, pairs of our own tags and
  think tags included, is the observation's. Drafts inside thoughts never count.
* A tag that has no partner is literal text where the block's bounds are clear without it: an
  answer that begins with an opening and ends with a closing tag is one block with a stray tag
  inside. Two opening (or closing) tags with only blanks between them are a stutter.
* A **bare** answer is everything after the thoughts. Where tags were not asked for, a block counts
  only if it opens the answer: anywhere else it is text that the environment printed.

One newline after the opening tag and one before the closing tag belong to the tags, up to two after
thoughts separate them from a bare answer, and the benchmark's heading is no part of an observation.
A chat template's end marks (`<|im_end|>`, `</s>`) are taken off a reply's very end. Nothing else is
cleaned. Every step is linear in the length of the text.
"""

import re
from typing import Literal

import msgspec

from worldline.tags import Outline, Tag, outline, without_think_tags

HEADING = "**Environment Observation:**"
"""What each truth of the benchmark starts with, on a line of its own."""

How = Literal[
    "tagged",
    "untagged",
    "unclosed_tag",
    "unopened_tag",
    "unclosed_think",
    "cut_in_reasoning",
    "cut_in_block",
    "cut_in_text",
    "no_answer_after_reasoning",
    "empty",
]
"""How an observation was found (the first five), or where it should have been."""

_SEPARATOR = re.compile(r"(?:\r?\n){0,2}+")
_END_MARKS = (
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<end_of_turn>",
    "<eos>",
    "</s>",
)


class Extract(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply's text holds. `observation` is `None` when it has no (whole) answer."""

    how: How
    observation: str | None = None
    reasoning: str | None = None
    end_mark: bool = False
    """Whether a chat template's end mark was taken off a bare or unclosed answer."""


def extract(text: str, *, tags_expected: bool = True, cut: bool = False) -> Extract:
    """Split a reply's text into thoughts and observation.

    Args:
        text: the reply's content as received.
        tags_expected: whether the prompt asked for tags.
        cut: the model was stopped by a length limit; then only a complete block is an answer.
    """
    end = _without_end_marks(text)
    found = outline(text[:end])
    how, start, stop = _locate(found, tags_expected, cut)
    thoughts = _reasoning(found, how, start)
    if start is None or stop is None:
        return Extract(how=how, reasoning=thoughts)
    inner, end_mark = found.text[start:stop], end < len(text) and stop == end
    if how == "untagged":
        bare = separated(inner) if found.thoughts else inner
        return _bare(bare, thoughts, tags_expected, cut, end_mark)
    inner = _unwrapped(inner, head=how != "unopened_tag", tail=how != "unclosed_tag")
    if how == "unclosed_tag" and not inner.strip():
        return Extract(how=how, reasoning=thoughts)
    return Extract(how=how, observation=inner, reasoning=thoughts, end_mark=end_mark)


def separated(text: str) -> str:
    """A bare answer without the (at most two) newlines that part it from the thoughts before."""
    match = _SEPARATOR.match(text)
    return text[match.end() :] if match else text


def _bare(text: str, thoughts: str | None, expected: bool, cut: bool, end_mark: bool) -> Extract:
    if cut:
        return Extract(how="cut_in_text", reasoning=thoughts)
    if not text or ((expected or thoughts) and not text.strip()):
        how: How = "no_answer_after_reasoning" if thoughts else "empty"
        return Extract(how=how, reasoning=thoughts)
    return Extract(
        how="untagged", observation=_headless(text), reasoning=thoughts, end_mark=end_mark
    )


_Place = tuple[How, int | None, int | None]


def _locate(found: Outline, expected: bool, cut: bool) -> _Place:
    """How the answer is given, and the bounds of its text; `None` where there is no answer."""
    tags, last = found.tags, len(found.tags) - 1
    closes = last >= 0 and not (tags[last].opens or tags[last].thinks)
    closed = closes and not cut and found.blank_until(last, len(found.text))
    opener = None if found.opener is None else tags[found.opener]
    partner = found.partners[last] if closed else None
    if opener and found.opener_leads:
        if closed:
            return "tagged", opener.end, tags[last].start
        return _unclosed(found, opener, cut)
    if expected or found.block_leads:
        if found.block and not (cut and opener):
            first, second = found.block
            return "tagged", tags[first].end, tags[_stretched(found, second, closed)].start
        if opener and found.thinking is None:
            return _unclosed(found, opener, cut)
    if found.thinking is not None:
        if partner is not None and partner > found.thinking:
            return "unclosed_think", tags[partner].end, tags[last].start
        return "cut_in_reasoning" if cut else "no_answer_after_reasoning", None, None
    if expected and closed and found.stray == last:
        if partner is not None:  # its opening tag stands before what looked like the thoughts' end
            return "unclosed_think", tags[partner].end, tags[last].start
        return "unopened_tag", found.answer, tags[last].start
    return "untagged", found.answer, len(found.text)


def _unclosed(found: Outline, opener: Tag, cut: bool) -> _Place:
    return ("cut_in_block", None, None) if cut else ("unclosed_tag", opener.end, len(found.text))


def _stretched(found: Outline, second: int, closed: bool) -> int:
    """The tag that ends the last block.

    That is a later one than its own when only closing tags follow, the last of them ends the reply
    and there is text in between: then that text and the tags in it are the observation's.
    """
    tags, rest = found.tags, range(second + 1, len(found.tags))
    if not closed or any(tags[i].opens or tags[i].thinks for i in rest):
        return second
    parted = any(not found.blank_until(i - 1, tags[i].start) for i in rest)
    return len(tags) - 1 if parted else second


def _reasoning(found: Outline, how: How, start: int | None) -> str | None:
    text, spans = found.text, list(found.thoughts)
    if how == "unclosed_think" and start is not None:
        spans = [(0, text.rindex("<", 0, start))]  # up to the block's opening tag
    elif found.thinking is not None:
        spans.append((found.tags[found.thinking].end, len(text)))
    parts = [without_think_tags(text[first:last]).strip() for first, last in spans]
    return "\n".join(part for part in parts if part) or None


def _unwrapped(text: str, *, head: bool, tail: bool) -> str:
    """A block's text without the newline that belongs to each of its tags."""
    if head:
        text = text.removeprefix("\r\n") if text.startswith("\r") else text.removeprefix("\n")
    if tail:
        text = text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")
    return _headless(text)


def _headless(text: str) -> str:
    """The text without the benchmark's heading, which is a line of its own."""
    return "" if text == HEADING else text.removeprefix(f"{HEADING}\n")


def _without_end_marks(text: str) -> int:
    """Where the text ends once a chat template's end marks are off its end.

    ``</s>`` also closes an HTML element: it stays where the text holds the opening one.
    """
    marks = _END_MARKS[:-1] if "<s>" in text else _END_MARKS
    end = at = len(text)
    while True:
        while at and text[at - 1].isspace():
            at -= 1
        mark = next((mark for mark in marks if text.endswith(mark, 0, at)), None)
        if mark is None:
            return end
        end = at = at - len(mark)
