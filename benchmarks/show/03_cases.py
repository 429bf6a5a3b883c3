"""The reported cases that part 3 owns."""

from benchmarks.show import Show
from benchmarks.show.cases import run_cases

OWNED = ["S22", "S23", "S24", "S25", "S27", "S29", "S30", "S38", "S40"]


def check(show: Show) -> None:
    run_cases(show, OWNED)
