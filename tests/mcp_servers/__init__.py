"""Small MCP servers of our own that misbehave on request."""
