"""What differs between two runs of the same session: times of day, ids drawn at random.

Each is a RE2 pattern; together they may match at most 1 % of the characters of a recording.
"""

MASKS: tuple[tuple[str, str], ...] = (
    ("iso time", r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"),
    ("js time", r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d 20\d\d \d\d:\d\d:\d\d GMT"),
    ("git hash", r"\b[0-9a-f]{40}\b"),
)
"""(name, pattern)."""
