"""The reported cases that part 1 owns."""

from benchmarks.show import Show
from benchmarks.show.cases import run_cases

OWNED = ["S01", "S02", "S08", "S10", "S11", "S13", "S15", "S20", "S21", "S26", "S42"]


def check(show: Show) -> None:
    run_cases(show, OWNED)
