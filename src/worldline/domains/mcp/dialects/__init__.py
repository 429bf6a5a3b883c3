"""The text forms of tool calls and their results."""
