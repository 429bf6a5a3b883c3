"""Small MCP sessions of our own writing, shared by the tests of the domain."""

from typing import Any

from worldline.domains.base import Known, Ledger
from worldline.domains.mcp import DOMAIN
from worldline.domains.mcp.actions import call_text
from worldline.trajectory import Source, Trajectory, Turn

READ_FILE = {
    "name": "read_file",
    "description": "Read the complete contents of a file.",
    "inputSchema": {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
    },
}
STRICT = {
    "name": "list_notes",
    "description": "List notes.",
    "inputSchema": {
        "type": "object",
        "properties": {"limit": {"type": "integer"}},
        "additionalProperties": False,
    },
}
QUERY = {
    "name": "query",
    "description": "Search the archive.",
    "inputSchema": {
        "type": "object",
        "$defs": {"Q": {"type": "object", "properties": {"limit": {"type": "integer"}}}},
        "properties": {"query": {"$ref": "#/$defs/Q"}},
        "required": ["query"],
    },
}


def tool(name: str, description: str = "", **properties: str) -> dict[str, Any]:
    """A tool whose arguments are all required; values are JSON types."""
    schema = {
        "type": "object",
        "properties": {k: {"type": v} for k, v in properties.items()},
        "required": list(properties),
    }
    return {"name": name, "description": description, "inputSchema": schema}


def session(*tools: dict[str, Any], dialect: str = "json", kind: str = "unknown") -> Trajectory:
    source = Source(kind=kind)
    return Trajectory(
        id="t", domain="mcp", dialect=dialect, tools=tuple(tools) or None, source=source
    )


def call(name: str, **arguments: Any) -> str:
    return call_text(name, arguments)


def opened(*tools: dict[str, Any], dialect: str = "json", kind: str = "unknown") -> Ledger:
    return DOMAIN.open(session(*tools, dialect=dialect, kind=kind))


def after(ledger: Ledger, *turns: tuple[str, str], origin: Any = "real") -> Ledger:
    for action, observation in turns:
        ledger = DOMAIN.track(ledger, Turn(action=action, observation=observation), origin)
    return ledger


def rejected(ledger: Ledger, action: str) -> str:
    found = DOMAIN.protocol(ledger, action)
    assert isinstance(found, Known) and found.origin == "protocol", action
    return found.observation
