"""The data in a result, whichever way a server printed it: JSON, or Python's own form of rows."""

from functools import lru_cache
from typing import Any, Final

from worldline.domains.mcp import exact
from worldline.domains.mcp.dialects import pyrepr
from worldline.domains.mcp.observations import Body, Json, Plain
from worldline.domains.mcp.reading import leaf


class _Nothing:
    """There is no data."""


NOTHING: Final = _Nothing()


@lru_cache(maxsize=64)
def literal(text: str) -> Any:
    """The rows in a text that is one printed Python list or dict; else `NOTHING`."""
    try:
        value = pyrepr.parse_literal(text.strip())
    except (ValueError, RecursionError):
        return NOTHING
    return value if exact.keepable(value) else NOTHING


def data(body: Body) -> Any:
    """The value that a result holds, if it is one object or array and nothing else."""
    end = leaf(body)
    if isinstance(end, Json):
        return end.value
    return literal(end.text) if isinstance(end, Plain) else NOTHING
