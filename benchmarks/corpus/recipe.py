"""What is collected: read from ``recipe.toml``."""

import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent


class Part(NamedTuple):
    """One domain's share: so many episodes, of which at least so many turns must come."""

    domain: str
    episodes: int
    turns: int


class Recipe(NamedTuple):
    """The whole corpus."""

    seed: int
    minutes: float
    parts: tuple[Part, ...]


def recipe(path: Path = HERE / "recipe.toml") -> Recipe:
    """Read it."""
    value = tomllib.loads(path.read_text("utf-8"))
    parts = tuple(
        Part(name, part["episodes"], part["turns"])
        for name, part in value.items()
        if isinstance(part, dict)
    )
    return Recipe(value["seed"], value["minutes"], parts)
