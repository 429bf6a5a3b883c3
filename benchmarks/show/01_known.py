"""What is known without a model in part 1's domains: certain answers against the recorded truth."""

from benchmarks.show import Show, known

DOMAINS = {"terminal": 60, "mcp": 20}
"""Domain -> known turns that there must be at least."""


def check(show: Show) -> None:
    """Known turns, errors, bound and coverage, by domain and dialect."""
    for domain, floor in DOMAINS.items():
        known.measures(show, domain, floor)
