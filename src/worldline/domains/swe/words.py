"""What a coding agent's environment always says, and what nobody can know beforehand."""

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

RUNTIME: tuple[tuple[str, str], ...] = (
    (
        "date",
        r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}"
        r"(?: [+-]\d{4})?",
    ),
    (
        "listed",
        r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2} {1,2}\d\d:\d\d\b",
    ),
    ("temporary", r"/tmp/tmp[a-z0-9_]{8}\b"),
    ("test_folder", r"\bpytest-of-\w+/pytest-\d+\b"),
    ("blobs", r"\bindex [0-9a-f]{7,40}\.\.[0-9a-f]{7,40}\b"),
    ("commit", r"(?m)^\[[\w/.-]+(?: \([\w -]+\))? [0-9a-f]{7,12}\]"),
    ("minutes", r"\b\d+m\d+\.\d+s\b"),
    ("clock", r"\b\d{1,2}:\d\d:\d\d\b"),
    ("rate", r"\b\d+(?:\.\d+)? [kM]B/s\b"),
)
"""(name, RE2 pattern) of pieces of a line."""


@cache
def _data() -> dict[str, Any]:
    text = files("worldline.domains.swe").joinpath("vocabulary.toml").read_text("utf-8")
    return tomllib.loads(text)


def vocabulary(dialect: str, action: str) -> Sequence[str]:
    """Texts whose words need no source in the session."""
    data = _data()
    programs = (text for name, text in data["programs"].items() if name in action)
    return (data["always"], data["dialects"].get(dialect, ""), *programs)
