"""Helpers to drive our own small MCP servers."""

import json
import sys
from pathlib import Path

from worldline.environments.process import Environment, environment

SERVERS = Path(__file__).parent / "mcp_servers"


def plain(*flags: str, **options) -> Environment:
    """An environment at `mcp_servers/plain.py`."""
    command = [sys.executable, str(SERVERS / "plain.py"), *flags]
    return environment("mcp", command=command, **options)


def call(name: str, **arguments) -> str:
    """A tool call as action text."""
    return json.dumps({"name": name, "arguments": arguments})


def texts(real: Environment, *actions: str) -> list[str | None]:
    """Observations of these actions, one after another."""
    return [real.step(action).observation for action in actions]
