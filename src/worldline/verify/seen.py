"""What a session has shown so far: lines, and the turn that showed each first.

One table serves every moment of a session: a moment asks about what stood before its own turn.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"\w+")
_NUMBERED = re.compile(r" {0,9}\d{1,9}(?:\t|→|[:|] ?)")
"""What may stand before a line that is shown with its number: the line itself is seen too."""
LEAST = 3
"""Characters of a line that is telling; shorter ones (`}`, `0`) come back by chance."""


class Seen:
    """Lines and words of a session by the turn that showed them first (0: before any turn).

    It only grows; adding is amortised over the session.
    """

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}
        self._words: dict[str, int] = {}
        self._latest = 0

    def add(self, text: str, turn: int) -> None:
        """The text stands in the session from this turn on."""
        for line in text.split("\n"):
            self._lines.setdefault(line.strip(), turn)
            numbered = _NUMBERED.match(line)
            if numbered is not None:
                self._lines.setdefault(line[numbered.end() :].strip(), turn)
        for word in _WORD.findall(text):
            self._words.setdefault(word, turn)
        self._latest = max(self._latest, turn)

    def line(self, text: str, before: int) -> bool:
        """Whether a telling line stood in the session before this turn."""
        text = text.strip()
        return len(text) >= LEAST and self._lines.get(text, before) < before

    def unseen(self, text: str, before: int, also: Iterable[str] = ()) -> list[str]:
        """The words of a text that neither the session before this turn nor `also` holds.

        Each once, in the order of the text.
        """
        found = dict.fromkeys(_WORD.findall(text))
        if self._latest < before:  # all that is known here stood before
            left = found.keys() - self._words.keys()
        else:
            left = {word for word in found if self._words.get(word, before) >= before}
        for one in also:
            left -= _words(one)
        return [word for word in found if word in left]


@lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    """The words of a text; a domain's vocabulary is asked for again and again."""
    return frozenset(_WORD.findall(text))
