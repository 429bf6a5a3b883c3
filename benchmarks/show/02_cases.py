"""The reported cases that part 2 owns."""

from benchmarks.show import Show
from benchmarks.show.cases import run_cases

OWNED = ["S32"]


def check(show: Show) -> None:
    run_cases(show, OWNED)
