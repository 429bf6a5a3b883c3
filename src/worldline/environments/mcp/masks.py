"""What differs between two runs of the same session: the time of day, in the servers' many forms.

Dates of fixtures lie before 2026 and are not masked. Each is a RE2 pattern; together they match at
most 1 % of the characters of a recording.
"""

MASKS: tuple[tuple[str, str], ...] = (
    # A workbook is a zip whose entries hold the time: that changes its size, too.
    ("workbook size and time", r"""['"]size['"]: \d+, ['"]modified['"]: \d+\.\d+"""),
    (
        "iso time",
        r"20(?:2[6-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?",
    ),
    ("js time", r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} \d\d 20\d\d \d\d:\d\d:\d\d GMT"),
    ("clock time", r"\b\d{1,2}:\d\d:\d\d [AP]M\b"),
    ("listed time", r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d\b"),
    ("weekday", r"\"day_of_week\": \"[A-Z][a-z]+day\""),
)
"""(name, pattern)."""
