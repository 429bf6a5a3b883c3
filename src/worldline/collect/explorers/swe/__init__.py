"""The swe environment's explorer."""

from worldline.collect.explorers.swe.explorer import SweExplorer

__all__ = ["SweExplorer"]
