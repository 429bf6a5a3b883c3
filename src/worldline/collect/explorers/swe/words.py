"""Words and commands of ``words.toml``, filled in."""

import random
import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def _all() -> dict[str, Any]:
    text = (
        resources.files("worldline.collect.explorers.swe").joinpath("words.toml").read_text("utf-8")
    )
    return tomllib.loads(text)


def listed(name: str) -> list[str]:
    """A list of them."""
    return _all()[name]


def noun(rng: random.Random) -> str:
    """A thing."""
    return rng.choice(listed("nouns"))


def word(rng: random.Random) -> str:
    """A name in snake case."""
    return f"{rng.choice(listed('adjectives'))}_{noun(rng)}"


def action(rng: random.Random) -> str:
    """The name of a function."""
    return f"{rng.choice(listed('verbs'))}_{noun(rng)}s"


def filled(template: str, rng: random.Random, **places: str) -> str:
    """A template with its places filled; numbers are chosen."""
    n = rng.randint(3, 30)
    numbers = {
        "n": n,
        "m": n + rng.randint(4, 40),
        "small": rng.randint(1, 6),
        "wide": rng.randint(78, 110),
        "big": rng.randint(60, 900),
    }
    return template.format(**numbers, **places)
