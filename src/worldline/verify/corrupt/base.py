"""What a corruption and a benign variant are, and those of a domain."""

import importlib
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from worldline.verify.compare import Dimension
from worldline.verify.measure import Moment


class Corruption(NamedTuple):
    """One way of being wrong."""

    name: str
    dimension: Dimension
    """The one it must cost, declared beforehand."""
    make: Callable[[Moment, Random, float], str | None]
    """``(moment, rng, heaviness)``: the truth made wrong; `None` where it does not apply. Heaviness
    is 0 (the least: one place) to 1 (everywhere); the same seed at a greater one breaks more."""


class Variant(NamedTuple):
    """One way in which another observation is just as true: another time, pid, duration."""

    name: str
    make: Callable[[Moment, Random], str | None]


def corruptions(domain: str) -> tuple[Corruption, ...]:
    """The domain's corruptions, in a fixed order."""
    return _module(domain).CORRUPTIONS


def variants(domain: str) -> tuple[Variant, ...]:
    """The domain's benign variants, in a fixed order."""
    return _module(domain).VARIANTS


def _module(domain: str):
    name = {"os": "desktop"}.get(domain, domain)
    return importlib.import_module(f"worldline.verify.corrupt.{name}")
