"""The environments there are: built in, or by plugins (entry point ``worldline.environments``)."""

import importlib
from functools import cache
from importlib.metadata import entry_points

from worldline.environments.base import Driver, Kind
from worldline.errors import UsageError

GROUP = "worldline.environments"


@cache
def kinds() -> dict[str, str]:
    """Names of the environments and ``module:attribute`` of each one's `Kind`."""
    return {entry.name: entry.value for entry in entry_points(group=GROUP)}


@cache
def kind(name: str) -> Kind:
    """The environment of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in kinds():
        raise UsageError(
            f"there is no real environment {name!r}",
            remedy=f"There are: {', '.join(sorted(kinds()))}.",
        )
    found = _load(kinds()[name])
    assert isinstance(found, Kind)
    return found


def load_driver(name: str) -> type[Driver]:
    """The driver's class."""
    found = _load(kind(name).driver)
    assert isinstance(found, type) and issubclass(found, Driver)
    return found


def _load(where: str) -> object:
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)
