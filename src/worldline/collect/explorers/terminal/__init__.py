"""The terminal's explorer."""

from worldline.collect.explorers.terminal.explorer import TerminalExplorer

__all__ = ["TerminalExplorer"]
