"""Tasks in the terminal: all hidden content is made from the seed, both dialects by turns."""

from worldline.tasks.families.terminal import answers, effects, plain, repos
from worldline.tasks.families.terminal.making import made
from worldline.tasks.task import Task

__all__ = ["tasks"]

_FAMILIES = (*plain.FAMILIES, *answers.FAMILIES, *effects.FAMILIES, *repos.FAMILIES)


def tasks() -> list[Task]:
    """All of them, always the same."""
    return [task for family in _FAMILIES for task in made(family)]
