"""Fidelity without a judge: rules without truth, and the exact scorecard with it.

`moments` walks recorded sessions and predictions, `guard` counts what breaks rules, `compare` finds
the differences from the truth, `scorecard` turns them into five dimensions, `knowable` says which
rows could have been known at all.
"""
