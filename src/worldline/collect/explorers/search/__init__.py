"""The explorer of the search environment."""

from worldline.collect.explorers.search.explorer import SearchExplorer

__all__ = ["SearchExplorer"]
