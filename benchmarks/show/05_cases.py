"""The reported cases that part 5 owns."""

from benchmarks.show import Show
from benchmarks.show.cases import run_cases

OWNED = [f"S{number:02}" for number in range(1, 15)]


def check(show: Show) -> None:
    run_cases(show, OWNED)
