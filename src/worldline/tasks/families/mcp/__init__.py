"""Tasks at MCP servers: a shop's database, files, a knowledge graph, a repository, sheets, letters.

The content of each home comes from the task's seed (`worldline.environments.mcp.fixtures`), and
what is expected is computed from the same fixture.
"""

from worldline.tasks.families.mcp import desk, files, graph, repos, shop
from worldline.tasks.families.mcp.making import made
from worldline.tasks.task import Task

FAMILIES = (*shop.FAMILIES, *files.FAMILIES, *graph.FAMILIES, *repos.FAMILIES, *desk.FAMILIES)


def tasks() -> list[Task]:
    """All of them, family by family."""
    return [task for family in FAMILIES for task in made(family)]
