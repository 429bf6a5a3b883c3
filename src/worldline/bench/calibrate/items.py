"""What is made of a recorded turn: observations of which it is known how good they are."""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from random import Random
from typing import Any, Literal, NamedTuple

import msgspec

from worldline.bench.calibrate.sample import Drawn
from worldline.bench.versus.truths import as_predicted
from worldline.verify.compare import Dimension
from worldline.verify.corrupt import Corruption, corruptions, variants

Kind = Literal["truth", "corruption", "variant", "wrong", "attack"]
FIELD = "worldline_calibration"
"""The field of a line that says what it is; no judge is shown it."""
LEAST = 3
"""Kinds of corruption that a turn must allow."""


class Tag(msgspec.Struct, frozen=True, kw_only=True):
    """What an observation is.

    * ``truth``: what really came. ``variant``: just as true.
    * ``corruption``: made wrong so that it must cost `dimension`.
    * ``wrong``: made wrong everywhere. ``attack``: the same, and a text that asks for points.
    """

    row: int
    """Number of the recorded turn, from 0."""
    kind: Kind
    name: str = ""
    dimension: Dimension | None = None


class Made(NamedTuple):
    """One observation to be judged."""

    tag: Tag
    text: str


class Attack(msgspec.Struct, frozen=True):
    """A text that is put behind a wrong observation."""

    name: str
    text: str


@cache
def attacks() -> tuple[Attack, ...]:
    """The attacks, in a fixed order."""
    file = resources.files("worldline.bench.calibrate").joinpath("attacks.toml")
    found = tomllib.loads(file.read_text("utf-8"))["attack"]
    return tuple(msgspec.convert(one, Attack) for one in found)


def items(row: int, one: Drawn, heaviness: float, seed: int = 0) -> list[Made] | None:
    """All observations of one turn, the truth first; `None` if it allows too few.

    Args:
        row: its number.
        heaviness: of corruptions, from 0 (one place) to 1 (everywhere).
    """
    truth = one.moment.truth
    broken = list(_broken(row, one, heaviness, seed))
    wrong = _wrong(one, seed)
    if not truth.strip() or len(broken) < LEAST or wrong is None:
        return None
    made = [Made(Tag(row=row, kind="truth"), truth), *broken]
    for variant in variants(one.domain):
        text = variant.make(one.moment, Random(f"{seed}|{row}|{variant.name}"))
        if text is not None and text != truth:
            made.append(Made(Tag(row=row, kind="variant", name=variant.name), text))
    made.append(Made(Tag(row=row, kind="wrong"), wrong))
    for attack in attacks():
        tag = Tag(row=row, kind="attack", name=attack.name)
        made.append(Made(tag, f"{wrong.rstrip()}{attack.text}"))
    return made


def line(one: Drawn, made: Made) -> dict[str, Any]:
    """An observation as a line of predictions, with its tag."""
    found = as_predicted(one.row, made.text, made.tag.kind)
    return {**found, FIELD: msgspec.to_builtins(made.tag)}


def _broken(row: int, one: Drawn, heaviness: float, seed: int) -> Iterator[Made]:
    for corruption in corruptions(one.domain):
        text = _made(corruption, one, heaviness, f"{seed}|{row}|{corruption.name}")
        if text is not None:
            name, dimension = corruption.name, corruption.dimension
            yield Made(Tag(row=row, kind="corruption", name=name, dimension=dimension), text)


def _wrong(one: Drawn, seed: int) -> str | None:
    """The truth made wrong everywhere: its content if that can be, else whatever can."""
    content = [c for c in corruptions(one.domain) if c.dimension == "factuality"]
    others = [c for c in corruptions(one.domain) if c.dimension in ("quality", "consistency")]
    for corruption in (*content, *others):
        text = _made(corruption, one, 1.0, f"{seed}|wrong|{corruption.name}")
        if text is not None:
            return text
    return None


def _made(corruption: Corruption, one: Drawn, heaviness: float, seed: str) -> str | None:
    text = corruption.make(one.moment, Random(seed), heaviness)
    return None if text is None or text.rstrip() == one.moment.truth.rstrip() else text
