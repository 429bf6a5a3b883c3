"""The text forms of searches and what they return."""
