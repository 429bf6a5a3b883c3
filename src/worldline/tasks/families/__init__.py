"""Where built-in tasks come from: a module a domain, each with ``tasks() -> list[Task]``.

``python -m worldline.tasks.families [DOMAIN ...]`` makes the sets again from them.
"""

import importlib
import importlib.util

from worldline.errors import DataError
from worldline.tasks import SETS
from worldline.tasks.read import problems, together
from worldline.tasks.task import Task


def made() -> tuple[str, ...]:
    """Domains that have families, in the order of `SETS`."""
    return tuple(name for name in SETS if importlib.util.find_spec(f"{__name__}.{name}"))


def tasks(domain: str) -> tuple[Task, ...]:
    """The tasks of a domain's families, checked as reading them would.

    Raises:
        DataError: one is wrong; names the task and the field.
    """
    found = tuple(importlib.import_module(f"{__name__}.{domain}").tasks())
    for one in found:
        for error in problems(one):
            raise DataError(error.message, file=one.id, field=error.field, remedy=error.remedy)
    together((None, one) for one in found)
    return found
