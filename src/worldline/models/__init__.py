"""Who predicts: every model behind one interface, named by one line of text.

    from worldline.models import load

    model = load("openai:NAME@http://127.0.0.1:8000/v1?ctx=8192")
    prediction = await model.predict(request)

`worldline.models.spec` has the grammar, `worldline.models.base` the interface. An engine is
imported when a spec asks for it.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worldline.models.base import WorldModel
    from worldline.models.spec import load

__all__ = ["WorldModel", "load"]

_HOME = {"WorldModel": "worldline.models.base", "load": "worldline.models.spec"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'worldline.models' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
