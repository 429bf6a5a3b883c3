"""Runtime metadata in observations: what may differ between two runs of the same episode.

Each environment lists its patterns in a module ``masks`` beside its `Kind`:
``MASKS: tuple[tuple[str, str], ...]`` of (name, RE2 pattern). One without such a module shows
nothing that varies.
"""

import importlib
from functools import cache
from typing import Any, NamedTuple

import re2

from worldline.columns import escape
from worldline.environments.registry import kinds


class Masked(NamedTuple):
    """Text whose runtime metadata is replaced by ``<name>``, and how many characters that took."""

    text: str
    characters: int


def masked(domain: str, text: str) -> Masked:
    """The text as it is the same in every run (lone surrogates escaped, as in files)."""
    text, taken = escape(text), 0
    for name, pattern in _patterns(domain):
        matches = [found.span() for found in pattern.finditer(text)]
        if matches:
            taken += sum(end - start for start, end in matches)
            text = pattern.sub(f"<{name}>", text)
    return Masked(text, taken)


@cache
def _patterns(domain: str) -> tuple[tuple[str, Any], ...]:
    if domain not in kinds():
        return ()
    where = f"{kinds()[domain].partition(':')[0]}.masks"
    try:
        found = importlib.import_module(where).MASKS
    except ModuleNotFoundError as error:
        if error.name != where and "is not a package" not in str(error):
            raise  # the module is there, and something it needs is not
        return ()
    return tuple((name, re2.compile(pattern)) for name, pattern in found)
