"""Runtime metadata of a swe session: what differs between two runs of the same session.

Everything else is fixed: identities, dates of commits, hash seeds, the times of given files.
"""

MASKS: tuple[tuple[str, str], ...] = (
    ("test-time", r"\bin \d{1,4}\.\d{2}s(?: \(\d:\d{2}:\d{2}\))?"),
    ("test-duration", r"(?m)^\d{1,4}\.\d{2}s (?:call|setup|teardown) "),
    ("unittest-time", r"\bRan \d{1,6} tests? in \d{1,4}\.\d{3}s"),
    ("taken", r"\b\d{1,4}m\d{1,2}\.\d{3}s"),
    ("listed-time", r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d{2}:\d{2}\b"),
    ("file-time", r"\b20\d{2}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?(?: \+0000)?)?"),
    ("temporary", r"/tmp/(?:tmp[A-Za-z0-9_]{6,12}|pytest-of-user/pytest-\d{1,5})\b"),
    ("address", r"\b0[xX][0-9a-fA-F]{9,16}\b"),
    ("clock", r"\b(?:now|time|timer|start|expires?) = \d{1,7}\.\d{4,9}\b"),
    ("epoch", r"\b1[789]\d{8}(?:\.\d{1,9})?\b"),
    ("seconds", r"\b\d{1,5}\.\d{2,9} ?(?:s|ms|sec|seconds)\b"),
)
"""(name, RE2 pattern) of each kind."""
