"""Real environments: one interface, each in a process of its own.

from worldline import environment

with environment("terminal") as real:
    real.reset(seed=7)
    print(real.step("ls -la").observation)
"""

from worldline.environments.base import Driver, Kind, Need, Observed, Opening, Status
from worldline.environments.process import Environment, RealityError, environment
from worldline.environments.registry import kind, kinds

__all__ = [
    "Driver",
    "Environment",
    "Kind",
    "Need",
    "Observed",
    "Opening",
    "RealityError",
    "Status",
    "environment",
    "kind",
    "kinds",
]
