"""The table that the benchmark's authors published, as reference rows. Nothing of it is ours."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from worldline.bench.score.table import micro


class Reference(NamedTuple):
    """One published row, 0 to 100."""

    model: str
    domains: dict[str, float]
    average: float
    """As printed: macro."""
    micro: float
    """Worked out from the domains and their rows; it is not printed."""


class Published(NamedTuple):
    """The published table and what it is from."""

    source: str
    url: str
    judge: str
    prompts: str
    note: str
    rows: dict[str, int]
    """Domain -> evaluated turns."""
    models: tuple[Reference, ...]


@cache
def published() -> Published:
    """The table."""
    text = resources.files("worldline.bench.score").joinpath("published.toml").read_text("utf-8")
    told: dict[str, Any] = tomllib.loads(text)
    names, counts = list(told["rows"]), list(told["rows"].values())
    models = (
        Reference(
            model=model,
            domains=dict(zip(names, values[:-1], strict=True)),
            average=values[-1],
            micro=micro(values[:-1], counts),
        )
        for model, values in told.pop("models").items()
    )
    return Published(**told, models=tuple(models))
