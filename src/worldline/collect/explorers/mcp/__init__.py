"""The explorer of MCP servers: purposeful calls, and calls that go wrong on purpose."""

from worldline.collect.explorers.mcp.explorer import McpExplorer

__all__ = ["McpExplorer"]
