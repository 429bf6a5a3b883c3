"""The dialects of the web domain."""
