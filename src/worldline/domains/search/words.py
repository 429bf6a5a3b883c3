"""The environment's own words: what its tools say, and which of a hit's fields nobody can know."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from worldline.domains.base import Ledger


@cache
def words() -> dict[str, Any]:
    """``words.toml``: each list as a tuple."""
    text = files("worldline.domains.search").joinpath("words.toml").read_text("utf-8")
    found = tomllib.loads(text)
    return {name: tuple(one) if isinstance(one, list) else one for name, one in found.items()}


def vocabulary(ledger: Ledger) -> Sequence[str]:
    """What the environment itself says in this dialect."""
    return words()["vocabulary"].get(ledger.dialect, ())


RUNTIME = (("own_value", rf"\bown (?:{'|'.join(sorted(words()['runtime']))})=\S{{1,60}}"),)
"""An engine's own values, as they are written as parts."""
