"""Texts to start from: our small rows, and recorded ones where ``$WORLDLINE_REAL`` names them."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from benchmarks.fuzz.mutate import MARKS, ODD
from benchmarks.show import SMALL, real_data
from benchmarks.show.walk import read, texts
from worldline import jsonl
from worldline.bench.rows import rows_of
from worldline.trajectory import Trajectory

LONGEST = 8_000
"""Characters of a seed; longer ones are cut."""
MOST = 24
"""Seeds of a kind."""
PLAIN = ("", "a", "hello world\n", "".join(ODD), " ".join(MARKS[:40]), "x" * 300, "a\tb\nc\td\n")


@cache
def trajectories(domain: str) -> tuple[Trajectory, ...]:
    """Ours first, then some of the recorded ones."""
    found = read(SMALL / f"{domain}.jsonl")
    if folder := real_data():
        recorded = read(folder / f"{domain}.jsonl")
        found += recorded[:: max(len(recorded) // 40, 1)]
    return tuple(found)


@cache
def of_dialect(domain: str, dialect: str, kind: str) -> tuple[str, ...]:
    """Actions (``action``) or observations and states (``observation``) of a dialect."""
    found = [
        text.text
        for one in trajectories(domain)
        if one.dialect == dialect
        for text in texts(one)
        if (text.kind == "action") == (kind == "action")
    ]
    return chosen(found) + PLAIN


def chosen(found: Iterable[str]) -> tuple[str, ...]:
    """Some of the texts, from short to long."""
    different = sorted({text[:LONGEST] for text in found}, key=lambda text: (len(text), text))
    return tuple(different[:: max(len(different) // MOST, 1)])


def short(seeds: Iterable[str], most: int = 2) -> list[str]:
    """A few seeds of moderate size, for what is read in linear time."""
    fit = [seed for seed in seeds if 20 <= len(seed) <= 1_500]
    return fit[:: max(len(fit) // most, 1)][:most]


@cache
def lines(kind: str) -> tuple[str, ...]:
    """Lines of files: ``common`` recordings, ``trajectory`` records, benchmark ``row``s."""
    made: list[str] = []
    for path in sorted(SMALL.glob("*.jsonl")):
        if kind == "common":
            made += path.read_text("utf-8").splitlines()
            continue
        for one in read(path)[:2]:
            if kind == "trajectory":
                made.append(text(one.record()))
            else:
                made += [text(row.row) for row in list(rows_of(one))[:2]]
    return tuple(made)


@cache
def _reality() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("reality.toml").read_text("utf-8"))


def ours(kind: str) -> tuple[str, ...]:
    """Texts of ours for the parsers of part 3, by their name in ``reality.toml``."""
    return tuple(_reality()[kind])


def text(value: object) -> str:
    """A value as a line of JSON."""
    return jsonl.dumps(value).decode("utf-8")
