"""Observations made wrong on purpose, to measure the measures.

A `Corruption` says beforehand which dimension it must cost; a `Variant` is another observation that
is just as true. Each domain lists its own in a module of its name; `common` holds what any text can
suffer. They work on the text, not on the parts that the scorecard reads.
"""

from worldline.verify.corrupt.base import Corruption, Variant, corruptions, variants

__all__ = ["Corruption", "Variant", "corruptions", "variants"]
