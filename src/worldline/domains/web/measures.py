"""What measures need to know of a browser beside its pages' parts."""

import tomllib
from functools import cache
from importlib.resources import files

from worldline.domains.web.dialects import errorlog, labelled

RUNTIME: tuple[tuple[str, str], ...] = (
    ("ago", r"\b(?:\d{1,4}|an?|a few) ?(?:seconds?|minutes?|min|hours?) ago\b|\bjust now\b"),
    ("stamp", r"\b\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:-\d{1,3})?Z?\b"),
    ("token", r"[?&](?:nonce|token|csrf|csrf_token|state|ts|_|sid|session|request_id)=[\w%.~-]+"),
    (
        "dom_id",  # elements point at each other by ids that no reader of the page sees
        r"\b(?:activedescendant|owns|controls|describedby|details|errormessage|flowto|labelledby)"
        r"='[^']{0,40}\d[^']{0,80}'",
    ),
    ("took", r"\(\d+(?:[.,]\d+)? (?:ms|s|sec|seconds)\)"),
    ("uuid", r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
)
"""(name, RE2 pattern) of what a page shows that nobody can know beforehand."""


@cache
def words() -> tuple[str, ...]:
    """What the dialects themselves say: roles, attributes, headings, how browsers complain."""
    text = files("worldline.domains.web").joinpath("words.toml").read_text("utf-8")
    return tuple(" ".join(said) for said in tomllib.loads(text).values())


def status(dialect: str, text: str) -> str:
    """``error`` where the harness says that the action failed, else ``ok``."""
    heads = {
        "browsergym": (errorlog.HEADING, "Error"),
        "labelled": (labelled.FAILED[:40], "Format ERROR"),
        "playwright": ("### Error", "Error"),
    }[dialect]
    return "error" if text.lstrip().startswith(heads) else "ok"
