"""The two answers of a row that a judge chooses between, or the reason why there are none.

Blank lines at either end of an answer, and blanks at its very end, are taken off both: they would
tell recorded text from extracted text without anybody reading it.
"""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Literal, NamedTuple

from worldline import jsonl
from worldline.bench.judge import given as lines
from worldline.bench.judge.given import Given
from worldline.bench.source import file_sha, open_source
from worldline.bench.versus.truths import truths
from worldline.errors import DataError
from worldline.paths import is_file

Mode = Literal["turing", "pairwise"]
Side = Literal["first", "second"]


class Pair(NamedTuple):
    """One row to choose on."""

    given: Given
    first: str
    """Turing: the truth. Pairwise: the prediction of the first file."""
    second: str
    """Turing: the prediction. Pairwise: the prediction of the second file."""
    of: str
    """SHA-256 of the lines that it is made of."""
    reason: str | None = None
    """Why there is nothing to choose between."""
    asks_equal: bool = False
    """Whether two equal answers are asked about: the control does."""

    @property
    def equal(self) -> bool:
        """Whether the answers are the same, so that no choice can be right."""
        return self.reason is None and self.first == self.second and not self.asks_equal

    @property
    def weight(self) -> int:
        """Characters it keeps in memory, about."""
        return self.given.weight + len(self.second)


class Pairs(NamedTuple):
    """All rows of a run."""

    mode: Mode
    inputs: list[dict[str, str]]
    """Name and SHA-256 of each file, for the manifest."""
    rows: Iterator[Pair]
    total: int | None


def turing(predictions: Path, *, control: bool = False) -> Pairs:
    """Each truth against its prediction.

    Args:
        control: each truth against itself, which no judge can tell apart; benchmark rows,
            trajectories and worldline-bench will do then.

    Raises:
        DataError: the file cannot be read; later, a row is broken.
    """
    if control and not _predicted(predictions):
        source = open_source(predictions)
        inputs = [{"name": source.name, "sha": source.sha}]
        rows = (_control(one) for item in source.items() for one in truths(item))
        return Pairs("turing", inputs, rows, source.total())
    lines.checked(predictions)
    made = (_control(one) if control else _against_truth(one) for one in lines.read(predictions))
    return Pairs("turing", [_input(predictions)], made, _count(predictions))


def pairwise(first: Path, second: Path) -> Pairs:
    """The predictions of two files, row for row.

    Raises:
        DataError: a line is broken, or the files hold predictions of different rows; both are read
            to their ends first, before any judge is paid.
    """
    total = 0
    for path in (first, second):
        lines.checked(path)
    for number, one, other in _together(first, second):
        total = number
        if one is None or other is None or _row(one) != _row(other):
            short = one is None or other is None
            raise DataError(
                f"{'ends before' if short else 'is about another row than'} {first}",
                file=second,
                line=number,
                remedy="Give predictions of the same rows, in the same order.",
            )
    rows = (_both(one, other) for _, one, other in _together(first, second) if one and other)
    return Pairs("pairwise", [_input(first), _input(second)], rows, total)


def bare(text: str) -> str:
    """An answer without blank lines at its ends."""
    head = text[: len(text) - len(text.lstrip())]
    return text[head.rfind("\n") + 1 :].rstrip()


def _against_truth(given: Given) -> Pair:
    second = bare(given.observation or "")
    return Pair(given, bare(given.truth), second, given.of, given.reason)


def _control(given: Given) -> Pair:
    truth = bare(given.truth)
    return Pair(given, truth, truth, given.of, asks_equal=True)


def _both(one: Given, other: Given) -> Pair:
    reasons = [
        f"{name}: {given.reason}"
        for name, given in (("first", one), ("second", other))
        if given.reason is not None
    ]
    first, second = bare(one.observation or ""), bare(other.observation or "")
    of = jsonl.sha([one.of, other.of])
    return Pair(one, first, second, of, "; ".join(reasons) or None)


def _together(a: Path, b: Path) -> Iterator[tuple[int, Given | None, Given | None]]:
    for number, (one, other) in enumerate(zip_longest(lines.read(a), lines.read(b)), 1):
        yield number, one, other


def _row(given: Given) -> str:
    """What says that two lines are about the same row."""
    row = given.row.row
    told = [row["current_prompt"], row["turn_idx"], row["system_str"]]
    return jsonl.sha([given.session, given.row.domain, given.truth, *told, given.row.history])


def _predicted(path: Path) -> bool:
    if not is_file(path) or path.suffix == ".parquet":
        return False
    first = next(iter(jsonl.read(path)), None)
    return first is not None and isinstance(first.value, dict) and "gen" in first.value


def _input(path: Path) -> dict[str, str]:
    return {"name": path.name, "sha": file_sha(path)}


def _count(path: Path) -> int:
    return sum(1 for _ in jsonl.raw_lines(path))
