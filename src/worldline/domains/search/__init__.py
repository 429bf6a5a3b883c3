"""Search: web search and page reading as text, in three dialects."""

from worldline.domains.search.domain import Search
from worldline.domains.search.prompt import instruction

DOMAIN = Search()
__all__ = ["DOMAIN", "Search", "instruction"]
