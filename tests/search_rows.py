"""Small search sessions of our own writing, shared by the tests of the domain."""

import json
from typing import Any

from worldline.domains.base import Ledger
from worldline.domains.mcp.actions import call_text
from worldline.domains.search import DOMAIN
from worldline.trajectory import Source, SystemPrompt, Trajectory, Turn

LEAD = "The Blue Otter is an inn in Marrow. It opened in 1902 and has nine rooms."


def session(dialect: str, *turns: tuple[str, str], kind: str = "unknown", **parts: Any):
    made = tuple(Turn(action=action, observation=seen) for action, seen in turns)
    tools = parts.pop("tools", None)
    return Trajectory(
        id="t",
        domain="search",
        dialect=dialect,
        tools=tools,
        turns=made,
        system=SystemPrompt(**parts),
        source=Source(kind=kind),
    )


def opened(dialect: str, *facts: Any, **parts: Any) -> Ledger:
    return DOMAIN.open(session(dialect, **parts), facts)


def after(ledger: Ledger, *turns: tuple[str, str], origin: Any = "real") -> Ledger:
    for action, observation in turns:
        ledger = DOMAIN.track(ledger, Turn(action=action, observation=observation), origin)
    return ledger


def call(name: str, **arguments: Any) -> str:
    return call_text(name, arguments)


def memory(operation: str, **arguments: Any) -> str:
    return call("dict_memory", operation=operation, **arguments)


def answered(ledger: Ledger, action: str) -> str | None:
    found = DOMAIN.known(ledger, action)
    return None if found is None else found.observation


def rules(ledger: Ledger, action: str, observation: str) -> list[tuple[str, str]]:
    return [(v.rule, v.severity) for v in DOMAIN.checks(ledger, action, observation)]


def hits(*found: tuple[str, str, str]) -> str:
    """Numbered results: address, title, snippet."""
    return "\n\n".join(
        f"[{n}] {url}\nTitle: {title}\nSnippet: {snippet}\nDate: N/A"
        for n, (url, title, snippet) in enumerate(found, 1)
    )


def results(value: Any) -> str:
    """A result in its wrapping: a text, or JSON as text."""
    text = value if isinstance(value, str) else json.dumps(value)
    return json.dumps({"results": text}, separators=(",", ":"))


def saved(*keys: str, overwrites: str | None = None) -> str:
    """What a page store says after the last key was saved."""
    warning = (
        "WARNING: The key already exists in the data storage. "
        "The new result overwrites the old one.\n"
    )
    listed = "\n".join(keys)
    return results(
        (warning if overwrites else "")
        + "SUCCESS: The result has been saved to the data storage under the key: "
        + f"{overwrites or keys[-1]}.\n"
        + f"The data_storage currently contains the following keys:\n        {listed}\n"
    )
