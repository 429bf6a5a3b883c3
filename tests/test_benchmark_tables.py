"""What a reader of docs/benchmarks.md is promised: against what a row stands, and who is better."""

import pytest

from benchmarks import measure, report
from benchmarks.machine import Neighbours
from benchmarks.measure import compare, medians


def test_a_ratio_above_one_is_better_for_rates_and_for_times() -> None:
    assert compare("data", "read", 30.0, "MB/s", "by hand", 20.0).ratio == 1.5
    assert compare("data", "wait", 20.0, "ms", "by hand", 30.0, better="lower").ratio == 1.5


def test_a_row_names_its_command_and_both_numbers() -> None:
    lines = report.table([compare("data", "read", 1234.5, "MB/s", "limit", 2469.0)]).splitlines()
    assert len({len(line) for line in lines}) == 1
    for part in ("1,234 MB/s", "limit: 2,469 MB/s", "0.50", "`python -m benchmarks data`"):
        assert part in lines[2]


def test_ways_take_turns_and_the_median_counts() -> None:
    order: list[str] = []
    numbers = {"a": iter([1.0, 9.0, 2.0]), "b": iter([5.0, 4.0, 6.0])}

    def way(name: str) -> float:
        order.append(name)
        return next(numbers[name])

    assert medians(3, lambda: way("a"), lambda: way("b")) == [2.0, 5.0]
    assert "".join(order) == "ababab"


@pytest.mark.parametrize(("value", "text"), [(0.5944, "0.594"), (33.21, "33.2"), (1234, "1,234")])
def test_three_digits_count(value: float, text: str) -> None:
    assert measure.number(value) == text


def test_the_page_names_the_machine_and_how_busy_it_was() -> None:
    part = report.heading("Files: reading them.\n\nThe limit is none.\n", Neighbours().told())
    page = report.document([part])
    for text in (
        "cores",
        "Python 3.",
        "Measured on 20",
        "Load average before the run: ",
        "## Files",
    ):
        assert text in page
