"""What is known without a model, in all seven domains and every recorded dialect: never wrong."""

from benchmarks.show import Show, known, walk

AT_LEAST = 80
"""Known turns over all domains, as many as part 1 promises for its two."""


def check(show: Show) -> None:
    """Known turns, errors, bound and coverage, by domain and dialect."""
    certain = sum(known.measures(show, domain.id) for domain in walk.installed(show))
    show.measure("known turns", certain, better="higher", floor=AT_LEAST, n=certain, recorded=True)
