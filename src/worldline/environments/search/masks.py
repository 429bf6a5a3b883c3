"""Runtime metadata in observations: patterns (RE2) of what may differ between equal sessions.

There is none. An observation depends on the corpus, the seed and the actions alone.
"""

MASKS: tuple[tuple[str, str], ...] = ()
