"""Near-duplicates: how many turns are almost what an earlier one was.

Two turns are near-duplicates when the sets of three-word runs of their texts have an estimated
Jaccard similarity of at least `THRESHOLD` (MinHash, 64 permutations, standard error 0.05).
"""

import importlib
import itertools
from typing import Any

from worldline.columns import escape

THRESHOLD = 0.8
_PERMUTATIONS = 64
_BANDS = 16
_WORDS = 4000
"""Of a text at most: a page that repeats another for so long is its near-duplicate."""


class Near:
    """Counts near-duplicates in a stream of texts."""

    def __init__(self) -> None:
        rensa: Any = importlib.import_module("rensa")
        self._hash = rensa.RMinHash
        self._index = rensa.RMinHashLSH(THRESHOLD, _PERMUTATIONS, _BANDS)
        self._seen: list[Any] = []

    def seen(self, text: str) -> bool:
        """Whether an earlier text was almost this one; remembers it if not."""
        made = self._hash(num_perm=_PERMUTATIONS, seed=1)
        made.update(_shingles(escape(text)))  # it takes no halves of characters
        near = any(
            made.jaccard(self._seen[number]) >= THRESHOLD for number in self._index.query(made)
        )
        if not near:
            self._index.insert(len(self._seen), made)
            self._seen.append(made)
        return near


def _shingles(text: str) -> list[str]:
    words = text.split()[:_WORDS]
    if len(words) < 3:
        return [" ".join(words)]
    return [
        " ".join(run)
        for run in zip(words, words[1:], itertools.islice(words, 2, None), strict=False)
    ]
