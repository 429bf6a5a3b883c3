"""Finding domains: built-in and plugged in, by the entry point group ``worldline.domains``.

A plugin names its `Domain` object in its own package metadata::

    [project.entry-points."worldline.domains"]
    sqlite = "worldline_sqlite:DOMAIN"

Nothing is imported before it is asked for.
"""

import importlib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from worldline.domains.base import Dialect, Domain
from worldline.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "worldline.domains"
_BUILT_IN = {
    "android": "worldline.domains.android",
    "generic": "worldline.domains.generic",
    "mcp": "worldline.domains.mcp",
    "os": "worldline.domains.desktop",
    "search": "worldline.domains.search",
    "swe": "worldline.domains.swe",
    "terminal": "worldline.domains.terminal",
    "web": "worldline.domains.web",
}


@cache
def _plugins() -> "dict[str, EntryPoint]":
    from importlib.metadata import entry_points  # 25 ms that a built-in domain need not wait for

    return {point.name: point for point in entry_points(group=GROUP)}


def names() -> list[str]:
    """Ids of every domain that can be loaded, built-in ones first."""
    return [*_BUILT_IN, *sorted(set(_plugins()) - set(_BUILT_IN))]


@cache
def domain(name: str) -> Domain:
    """The domain of this id.

    Raises:
        UsageError: no such domain, or its plugin does not load, is not a `Domain`, or lacks a part
            that every domain must have.
    """
    if name in _BUILT_IN:
        return importlib.import_module(_BUILT_IN[name]).DOMAIN
    if name not in _plugins():
        raise UsageError(
            f"there is no domain {name!r}",
            field="domain",
            remedy=f"Installed: {', '.join(names())}. A plugin adds more (docs/domains.md).",
        )
    point = _plugins()[name]
    try:
        found = point.load()
    except Exception as error:  # a plugin's import may fail in any way
        raise UsageError(
            f"the plugin {point.value!r} for the domain {name!r} does not load: {error}",
            field="domain",
            remedy="Reinstall or remove that package.",
        ) from error
    if not isinstance(found, Domain):
        raise UsageError(
            f"{point.value!r} is a {type(found).__name__}, not a Domain object",
            field="domain",
            remedy="Its entry point must name an instance of worldline.domains.base.Domain.",
        )
    if lack := _lack(found):
        raise UsageError(
            f"the plugin {point.value!r} {lack}",
            field=f"domain {name}",
            remedy="docs/domains.md shows a whole domain.",
        )
    return found


def _lack(found: Domain) -> str | None:
    """What is missing or wrong of what every domain must say of itself."""
    for name in ("id", "title", "default_dialect"):
        if not isinstance(getattr(found, name, None), str):
            return f"has no `{name}` (a text)"
    dialects: object = getattr(found, "dialects", None)
    if not (isinstance(dialects, Mapping) and dialects):
        return "has no `dialects` (a mapping of name to Dialect)"
    for name, dialect in dialects.items():
        if not isinstance(dialect, Dialect):
            return f"has no Dialect under `dialects[{name!r}]`, but a {type(dialect).__name__}"
    if found.default_dialect not in dialects:
        return f"has a `default_dialect` {found.default_dialect!r} that is not in its `dialects`"
    if type(found).system_text is Domain.system_text:
        return "has no method `system_text`"
    return None
