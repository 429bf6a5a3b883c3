"""Corruptions and benign variants of the swe domain."""

from worldline.verify.corrupt.base import Corruption, Variant
from worldline.verify.corrupt.common import (
    CONTENT_REPLACED,
    LINE_DROPPED,
    NUMBERS_CHANGED,
    PROSE_ADDED,
    REASONING_LEAKED,
    SELF_PRAISE,
    TRUNCATED,
)

CORRUPTIONS: tuple[Corruption, ...] = (
    LINE_DROPPED,
    NUMBERS_CHANGED,
    CONTENT_REPLACED,
    TRUNCATED,
    PROSE_ADDED,
    REASONING_LEAKED,
    SELF_PRAISE,
)
VARIANTS: tuple[Variant, ...] = ()
