"""Tasks on repositories: seeded bugs of their real code, and files that one session alone has."""

from worldline.tasks.families.swe import content, fixing
from worldline.tasks.task import Task

__all__ = ["tasks"]


def tasks() -> list[Task]:
    """All of them, family by family."""
    return [*fixing.tasks(), *content.tasks()]
