"""Pieces of HTML pages: one file each that needs nothing else, safe with hostile text.

All text that came from anywhere passes `plain` or `text`: escaped, and acting characters made
visible. The frame forbids scripts and anything from outside.
"""

from worldline.pages.pieces import Mark, bars, frame, marked, plain, table, text

__all__ = ["Mark", "bars", "frame", "marked", "plain", "table", "text"]
