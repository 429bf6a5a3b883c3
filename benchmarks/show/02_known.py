"""What is known without a model, in all seven domains and every recorded dialect: never wrong."""

from benchmarks.show import Show, known, walk


def check(show: Show) -> None:
    """Known turns, errors, bound and coverage, by domain and dialect."""
    for domain in walk.installed(show):
        known.measures(show, domain.id)
