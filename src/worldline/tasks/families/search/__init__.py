"""Tasks of searching: facts of made-up sites, notes about them, and some of the real documents.

The made-up sites come from the task's seed (`worldline.environments.search.fixtures`): what they
say is nowhere else, so whoever has not read the page cannot know it.
"""

from worldline.tasks.families.search import answers, effects
from worldline.tasks.task import Task

__all__ = ["tasks"]


def tasks() -> list[Task]:
    """All of them, family by family."""
    return [*answers.tasks(), *effects.tasks()]
