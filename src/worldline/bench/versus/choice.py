r"""What a reply chose: A or B, or the reason why it chose nothing.

A choice is written ``\boxed{A}``, or as JSON, ``{"answer": "A"}``; a reply that is one letter is
one too. Several different choices are none, as is one that cannot be read: nothing is guessed.
Drafts in thoughts do not count. Reading is linear in the length of the reply.
"""

import re
from typing import Literal

import msgspec

from worldline.bench.judge.verdict import Reason, unsaid
from worldline.reply import Reply, refuses

Answer = Literal["A", "B"]

_THOUGHT = re.compile(r"<\s*+(/?)\s*+think(?:ing)?\s*+>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\s*+\{((?:[^{}\n]|\{[^{}\n]{0,60}\}){0,60})\}")
_JSON = re.compile(r"""["'](?:answer|choice)["']\s*+:\s*+["']([^"'\n]{0,60})["']""", re.IGNORECASE)
_ENDED = re.compile(r"\}[\s.$*]{0,10}$")
LAST = 300
"""Characters at the end of a reply in which its choice stands: further up it may be quoted."""
_DRESSED = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*+\{([^{}]*+)\}")
_LETTER = re.compile(r"[\s*$(]*+(?:(?:answer|prediction)\s++)?([AB])[\s*$).]*+", re.IGNORECASE)


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """`answer` is there exactly when `reason` is not."""

    answer: Answer | None = None
    reason: Reason | None = None


def choice_of(reply: Reply) -> Choice:
    """The choice of a reply that came; a call that failed has `Reply.error` and is none."""
    nothing = unsaid(reply, _ENDED)
    if nothing is not None:
        return Choice(reason=nothing)
    text = reply.content or ""
    found = read(text)
    if found.answer is not None or found.reason == "multiple_verdicts":
        return found
    return Choice(reason="refusal") if refuses(text) else found


def read(text: str) -> Choice:
    """The choice in a text."""
    answer = _without_thoughts(text)
    told = [found[1] for pattern in (_BOXED, _JSON) for found in pattern.finditer(answer)]
    if told and not any(p.search(answer, max(0, len(answer) - LAST)) for p in (_BOXED, _JSON)):
        return Choice(reason="unreadable")
    if not told:
        alone = _letter(answer)
        return Choice(reason="no_verdict") if alone is None else Choice(answer=alone)
    letters: list[Answer | None] = [_letter(one) for one in told]
    if "A" in letters and "B" in letters:
        return Choice(reason="multiple_verdicts")
    return Choice(reason="unreadable") if None in letters else Choice(answer=letters[0])


def _without_thoughts(text: str) -> str:
    """What stands behind the last thoughts, up to ones that never end."""
    start, end = 0, len(text)
    for tag in _THOUGHT.finditer(text):
        if tag[1]:
            start, end = tag.end(), len(text)
        else:
            end = min(end, tag.start())
    return text[start:end]


def _letter(text: str) -> Answer | None:
    found = _LETTER.fullmatch(_DRESSED.sub(r"\1", text)) if len(text) <= 80 else None
    return None if found is None else "A" if found[1] in "Aa" else "B"
