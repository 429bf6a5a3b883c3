"""The one way to import xllamacpp: so that its threads sleep while they wait for each other.

By default they spin. Then a busy neighbour on the machine makes it ten times slower (two cores, one
other busy process: 4 instead of 28 tokens a second; two of them: 1); sleeping costs up to a quarter
of an idle machine's speed. OpenMP reads the variable once, when it is loaded, and a value the user
has set stays.
"""

import os
from importlib import import_module
from typing import Any

WAIT_POLICY = "OMP_WAIT_POLICY"


def xllamacpp() -> Any:
    """The module."""
    if WAIT_POLICY in os.environ:
        return import_module("xllamacpp")
    os.environ[WAIT_POLICY] = "passive"
    try:
        return import_module("xllamacpp")
    finally:
        os.environ.pop(WAIT_POLICY, None)
