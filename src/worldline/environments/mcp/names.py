"""The tools of several servers under one roof: names that clash get their server's before them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

SEPARATOR = "__"


class Route(NamedTuple):
    """Where a call goes."""

    server: str
    tool: str


class Roof(NamedTuple):
    """The tool list as the agent sees it, and where each name leads.

    With one server `other` is its name: there a call of an unknown tool goes too, so that the
    server itself refuses it.
    """

    tools: tuple[dict[str, Any], ...]
    routes: Mapping[str, Route]
    other: str | None

    def route(self, name: str) -> Route | None:
        """Where a call of this name goes, if anywhere."""
        found = self.routes.get(name)
        if found is None and self.other is not None:
            return Route(self.other, name)
        return found


def roof(lists: Mapping[str, Sequence[dict[str, Any]]]) -> Roof:
    """Tool lists by server, in order, as one list. Entries are changed in nothing but the name."""
    counts = Counter(str(tool.get("name")) for tools in lists.values() for tool in tools)
    shown: list[dict[str, Any]] = []
    routes: dict[str, Route] = {}
    for server, tools in lists.items():
        for tool in tools:
            name = str(tool.get("name"))
            public = name
            if counts[name] > 1 and len(lists) > 1:
                public = f"{server}{SEPARATOR}{name}"
                tool = {**tool, "name": public}
            shown.append(tool)
            routes.setdefault(public, Route(server, name))
    return Roof(tuple(shown), routes, next(iter(lists)) if len(lists) == 1 else None)
