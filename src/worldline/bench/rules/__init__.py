"""Declared checks: what a turn's observation must hold, decided by code alone.

Each case is a turn of a recorded session whose answer follows from what came before it, or from an
instruction, and the checks that the answer must pass. Three axes, as in the paper's appendix C:

* ``control``: a simulation instruction says what the answer holds, and it holds it.
* ``error``: the action must fail, and in the right way.
* ``memory``: the answer repeats what an earlier turn established.
"""
