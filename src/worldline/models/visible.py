"""The part of a streaming reply that a person may see: the observation, and nothing else.

Thoughts and tags are never shown. Text is shown as soon as it is certain that it is the
observation's: inside an answer block that opens the answer, or bare text where no tags were asked
for and thoughts cannot be in it. Whatever could still turn out to be a tag is held back. What
cannot be decided on the way is shown at the end, when the whole reply has been parsed
(`worldline.extract`): so the pieces add up to the observation, or to a beginning of it when a
broken stream was started anew. A reply that holds more tags than one pair may turn out to mean
another text than the one that was shown: whoever shows it compares the two at the end.
"""

import re
from collections.abc import Callable

from worldline.domains.common import ANSWER_TAG
from worldline.extract import HEADING

_TAG = re.compile(
    rf"<\s{{0,8}}(/?)\s{{0,8}}(thinking|think|{ANSWER_TAG})\s{{0,8}}>", re.IGNORECASE | re.ASCII
)
_MARK = re.compile(r"<\|(?:im_end|endoftext|eot_id|end_of_text|end)\|>|<end_of_turn>|<eos>|</s>")
_MAYBE = re.compile(r"<\s{0,8}/?\s{0,8}([a-z_|]{0,24})\s{0,8}\Z", re.IGNORECASE | re.ASCII)
_NAMES = (
    "thinking",
    ANSWER_TAG,
    "|im_end|",
    "|endoftext|",
    "|eot_id|",
    "|end_of_text|",
    "|end|",
    "end_of_turn",
    "eos",
    "s",
)
_LONGEST_TAG = 64
_LONGEST_LEAD = 4096
_NEWLINES = re.compile(r"(?:\r?\n){0,2}")


class Visible:
    """Filters one streaming reply; `show` gets each piece.

    Args:
        tagged: whether the prompt asked for tags.
        bare: whether untagged text may be shown on its way, because this model does not think in
            its content.
    """

    def __init__(self, show: Callable[[str], None], *, tagged: bool, bare: bool) -> None:
        self._show = show
        self._tagged = tagged
        self._bare = bare
        self._shown: list[str] = []
        self._pending = ""
        self._feed = self._seek
        self._depth = 0
        self._thinking = False
        self._after_thoughts = False

    def thought(self) -> None:
        """Thoughts are over, or came in a field of their own: what follows holds none."""
        self._bare = self._after_thoughts = True

    def feed(self, text: str) -> None:
        """The next piece of the reply's content."""
        self._pending += text
        while self._feed():
            pass

    def restart(self) -> None:
        """The reply broke off and begins anew: nothing more is shown before its end."""
        self._pending = ""
        self._thinking = self._after_thoughts = False
        self._feed = self._stop if self._shown else self._seek

    def finish(self, observation: str | None) -> None:
        """The reply is complete; show what is still missing of its observation."""
        self._feed = self._stop
        shown = "".join(self._shown)
        if observation is not None and observation.startswith(shown):
            self._emit(observation[len(shown) :])

    def _emit(self, text: str) -> None:
        if text:
            self._shown.append(text)
            self._show(text)

    # Each state takes what it can from the pending text; True when another state should go on.

    def _seek(self) -> bool:
        """At the beginning of the answer: is it a block, thoughts or bare text?"""
        lead = self._pending.lstrip()
        if not lead or _held(lead) == 0:
            return self._wait()
        tag = _TAG.match(lead)
        if tag and tag[2].lower() != ANSWER_TAG:
            self._pending = lead[tag.end() :]
            if tag[1]:
                self.thought()
            else:
                self._thinking, self._feed = True, self._hidden
        elif tag and not tag[1]:
            self._begin(lead[tag.end() :], depth=1)
        elif self._bare and not self._tagged:
            skipped = _newlines(self._pending) if self._after_thoughts else 0
            self._begin(self._pending[skipped:], depth=0)
        else:
            self._feed = self._hidden
        return True

    def _hidden(self) -> bool:
        """Inside thoughts, or text that may be thoughts or a preamble."""
        for tag in _TAG.finditer(self._pending):
            answers = tag[2].lower() == ANSWER_TAG
            if tag[1] and not answers:
                self._pending = self._pending[tag.end() :]
                self._thinking, self._feed = False, self._seek
                self.thought()
                return True
            if answers and not tag[1] and self._bare and not self._thinking:
                self._begin(self._pending[tag.end() :], depth=1)
                return True
        self._pending = self._pending[_held(self._pending) :]
        return False

    def _begin(self, text: str, *, depth: int) -> None:
        self._pending, self._depth, self._feed = text, depth, self._open

    def _open(self) -> bool:
        """The observation's first characters, less the newline and heading that are not its own."""
        text = self._pending
        if self._depth:
            lead = text.lstrip()
            if not lead or _held(lead) == 0:
                return self._wait()
            if _TAG.match(lead):  # a stutter, or an observation that begins with our own tag
                self._feed = self._stop
                return True
            text = text.removeprefix("\r\n") if text[0] == "\r" else text.removeprefix("\n")
        heading = f"{HEADING}\n"
        if heading.startswith(text):
            return False
        alone = text.removeprefix(HEADING) if text.startswith(f"{HEADING}<") else ""
        if alone and _held(alone) == 0:
            return False
        if alone and (_TAG.match(alone) or _MARK.match(alone)):
            text = alone  # a heading and nothing below it
        self._pending, self._feed = text.removeprefix(heading), self._inside
        return True

    def _inside(self) -> bool:
        """The observation, up to its closing tag or whatever could be one."""
        at, text = 0, self._pending
        for tag in _TAG.finditer(text):
            mark = _MARK.search(text, at, tag.start())
            if mark or self._ends(tag):
                return self._leave(text[: mark.start() if mark else tag.start()])
            at = tag.end()
        mark = _MARK.search(text, at)
        if mark:
            return self._leave(text[: mark.start()])
        held = max(at, _held(text))
        held = _before_newline(text, held)
        self._emit(text[:held])
        self._pending = text[held:]
        return False

    def _ends(self, tag: re.Match[str]) -> bool:
        """Whether a tag ends what may be shown; pairs of our own tags are the observation's."""
        answers = tag[2].lower() == ANSWER_TAG
        if not self._depth:
            return not answers
        self._depth += (-1 if tag[1] else 1) if answers else 0
        return not self._depth

    def _leave(self, text: str) -> bool:
        self._emit(text[: _before_newline(text, len(text))] if self._depth == 0 else text)
        self._pending, self._feed = "", self._stop
        return False

    def _wait(self) -> bool:
        """Too little to decide on; a reply that stays undecided is shown at its end."""
        if len(self._pending) > _LONGEST_LEAD:
            self._feed = self._stop
        return False

    def _stop(self) -> bool:
        self._pending = ""
        return False


def _held(text: str) -> int:
    """Where text that could be the beginning of a tag or an end mark starts."""
    at = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    match = _MAYBE.match(text, at) if at >= 0 else None
    if match and any(name.startswith(match[1].lower()) for name in _NAMES):
        return at
    return len(text)


def _before_newline(text: str, end: int) -> int:
    """Where to stop so that a newline before a closing tag is not shown."""
    if text.endswith("\n", 0, end):
        return end - (2 if text.endswith("\r\n", 0, end) else 1)
    return end - 1 if text.endswith("\r", 0, end) else end


def _newlines(text: str) -> int:
    match = _NEWLINES.match(text)
    return match.end() if match else 0
