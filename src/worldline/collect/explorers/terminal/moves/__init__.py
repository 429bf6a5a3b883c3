"""Moves: little scripts of a few acts each, by kind of work."""
