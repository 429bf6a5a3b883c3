"""Worldline: an open language world model for agents.

    from worldline import World

    with World.open("terminal", model="embedded").sync() as world:
        print(world.step("ls -la").observation)

Names load on first use, so that importing one of them costs only what it needs.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline.domains import domain
    from worldline.environments.process import environment
    from worldline.models.base import WorldModel
    from worldline.prediction import Prediction
    from worldline.trajectory import Trajectory, Turn
    from worldline.world import World

__version__ = "0.1.0"
__all__ = ["Prediction", "Trajectory", "Turn", "World", "WorldModel", "domain", "environment"]

_HOME = {
    "Prediction": "worldline.prediction",
    "Trajectory": "worldline.trajectory",
    "Turn": "worldline.trajectory",
    "World": "worldline.world",
    "WorldModel": "worldline.models.base",
    "domain": "worldline.domains",
    "environment": "worldline.environments.process",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'worldline' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
