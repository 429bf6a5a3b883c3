"""The ladder: how much of the next observation each rung predicts, on recorded test turns.

``copy`` (nothing changes) -> ``retrieval`` (the nearest recorded turn of the train split) -> the
embedded model *prompted raw* -> the same model *inside Worldline*. `arms` are the rungs, `rows` the
turns, `score` says what counts, `run` does the work and can be stopped and resumed, `report` makes
docs/results.md. Recorded text is never kept: results hold measures and hashes.
"""
