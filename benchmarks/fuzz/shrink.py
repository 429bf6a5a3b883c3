"""A failing input made small: stretches are left out while the failure stays the same."""

import time
from collections.abc import Callable


def shrink(text: str, fails: Callable[[str], bool], seconds: float = 5.0) -> str:
    """A shorter text that still fails.

    Args:
        fails: whether a text fails in the same way; it must not raise.
    """
    end = time.monotonic() + seconds
    size = max(len(text) // 2, 1)
    while size and time.monotonic() < end:
        at, smaller = 0, False
        while at < len(text) and time.monotonic() < end:
            shorter = text[:at] + text[at + size :]
            if fails(shorter):
                text, smaller = shorter, True
            else:
                at += size
        size = size if smaller and size > 1 else size // 2
    return text
