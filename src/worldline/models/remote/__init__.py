"""Calling a chat endpoint over HTTP: attempts, limits, keys, cache, and what can go wrong."""
