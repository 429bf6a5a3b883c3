"""A search environment over a handful of pages of our own, and how tests ask it."""

import json
from contextlib import contextmanager
from pathlib import Path

from worldline.environments.process import environment

PAPERS = Path(__file__).parent / "papers"
SITE = "https://folder.docs.example"
FERRIES = f"{SITE}/ferries.html"
LIGHTHOUSE = f"{SITE}/coast/lighthouse.md"


def call(name, **arguments):
    return json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)


@contextmanager
def harbour(seed=0, **options):
    """A session in a process of its own."""
    with environment("search", **{"folder": str(PAPERS), **options}) as real:
        real.reset(seed)
        yield real


def said(real, name, **arguments):
    """What a call gives."""
    result = real.step(call(name, **arguments))
    assert result.outcome == "ok", result.reason
    return result.observation


def note(real, operation, **arguments):
    """What the memory says."""
    return said(real, "dict_memory", operation=operation, **arguments)
