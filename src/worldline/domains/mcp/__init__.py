"""MCP servers and function calling: JSON tool calls, their results, their errors."""

from worldline.domains.mcp.domain import Mcp
from worldline.domains.mcp.listing import trajectory_from_tools

DOMAIN = Mcp()
__all__ = ["DOMAIN", "Mcp", "trajectory_from_tools"]
